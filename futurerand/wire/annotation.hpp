// Annotation: an operator's note on a date of a metric, such as a release. Notes are public.
//
// Thread safety: plain values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct Annotation {
  Period period = 0;      // that the date is in
  std::string date = {};  // in the metric's time zone; empty for a manual clock
  std::string text = {};  // empty: the note of this date is removed

  friend bool operator==(const Annotation&, const Annotation&) = default;
};

inline constexpr std::size_t kMaxAnnotations = 200;  // of a metric
inline constexpr std::size_t kMaxAnnotationBytes = 200;

// Fails for control characters, and for more than kMaxAnnotationBytes.
Status check_annotation_text(std::string_view text);

// The list with this note set or removed: at most one a date, by period and date. Fails if the
// list becomes longer than kMaxAnnotations. Requires a checked text.
Result<std::vector<Annotation>> annotate(std::vector<Annotation> all, const Annotation& one);

// One line each, for storage.
std::string to_lines(const std::vector<Annotation>& annotations);
std::vector<Annotation> annotations_from_lines(std::string_view lines);

}  // namespace futurerand
