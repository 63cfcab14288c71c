// Segments: a public attribute of devices, such as their platform, and its values. A device states
// its value on joining, in the clear, so results by segment cost no epsilon. A segment must never
// depend on a secret: a private attribute belongs in a category metric.
//
// Thread safety: an immutable value. Copies share their texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

class Segments {
 public:
  static constexpr std::size_t kMaxValues = 256;

  // No attribute: all devices are one stratum.
  Segments() = default;
  // Requires 1 to kMaxValues distinct values. The name and the values are labels without '"', '\',
  // ',' and '='.
  static Result<Segments> create(std::string name, std::vector<std::string> values);
  // Reads NAME=A,B,C.
  static Result<Segments> parse(std::string_view text);

  bool empty() const { return body_ == nullptr; }
  // The name of the attribute.
  const std::string& name() const { return body_->name; }
  const std::vector<std::string>& values() const;
  // Devices are counted by stratum: by segment, or all together if there are none.
  std::uint32_t num_strata() const;
  // Returns the stratum of a stated value, which is empty if none was stated. Fails if the value is
  // unknown or missing, or stated where there are no segments.
  Result<std::uint32_t> stratum(std::string_view value) const;
  // The same, without the text of an error.
  std::optional<std::uint32_t> find(std::string_view value) const;

  friend bool operator==(const Segments& a, const Segments& b) {
    return a.body_ == b.body_ || (a.body_ != nullptr && b.body_ != nullptr && *a.body_ == *b.body_);
  }

 private:
  struct Body {
    std::string name;
    std::vector<std::string> values;
    friend bool operator==(const Body&, const Body&) = default;
  };
  std::shared_ptr<const Body> body_;
};

// Whether this may be a value: a label that needs no quoting in lines, flags and lists.
bool is_segment(std::string_view text);

}  // namespace futurerand
