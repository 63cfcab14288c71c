// Answers by segment: about the devices in one segment, about each segment, or about the difference
// between two. The devices of a segment are counted as if they were a metric of their own.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/estimator/answer.hpp"

namespace futurerand {

// The sums and presence of one stratum.
class FoldedStratum {
 public:
  // Keeps a reference to the sums.
  FoldedStratum(const Folded& all, std::uint32_t stratum)
      : sums_(all.sums.stratum(stratum)), current_(all.current), asked_share_(all.asked_share) {
    if (all.presence != nullptr) presence_ = all.presence->stratum(stratum);
  }
  Folded folded() const {
    return {sums_, presence_ ? &*presence_ : nullptr, current_, asked_share_};
  }

 private:
  const Sums& sums_;
  std::optional<Presence> presence_;
  Period current_;
  double asked_share_;
};

// The plan of the devices in one segment.
Plan without_segments(const Plan& plan);

// Answers a question about all devices, or about those of one stratum. The plan that it gets has no
// segments, and the question none either.
using AnswerStratum = std::function<Result<Answer>(
    const Plan& plan, std::optional<std::uint32_t> stratum, const Question& question)>;

// Answers from what was folded, which must outlive it.
AnswerStratum answer_stratum_of(const Folded& folded);

// Answers the part of a question that is about segments. Fails if there is no such segment.
Result<Answer> answer_segments(const Plan& plan, const Question& question,
                               const AnswerStratum& answer_stratum);

// A count and share of one segment less those of another. The two have no device in common, so
// their errors are independent.
struct ComparisonRow {
  AnswerRow of, against;
  double difference = 0;  // of counts
  double stddev = 0;
  Band band = {};
  double share_difference = 0;
  double share_stddev = 0;
  Band share_band = {};
};

struct Comparison {
  Answer of, against;
  std::vector<ComparisonRow> rows = {};  // by period, and by label if there are labels
};

// Compares the segment of the question with another one. Fails as an answer does, for equal
// segments, and for rows that need not be the same ones in both: top labels and quantiles.
Result<Comparison> compare_segments(const Plan& plan, const Question& question,
                                    const std::string& against,
                                    const AnswerStratum& answer_stratum);
// The same of what was folded.
Result<Comparison> compare(const Plan& plan, const Folded& folded, const Question& question,
                           const std::string& against);

}  // namespace futurerand
