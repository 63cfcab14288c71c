// ReportFold: the lines of a file of reports into sums, strictly: the header comes first, every
// line fits the plan, and every report comes once, in order and after its enrolment.
//
// An error has the found and the expected text. The reader of the file adds the place. Memory grows
// with the number of devices, not with the file. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/difference.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {

struct FoldedReports {
  Header header;
  Sums sums;
  std::uint64_t devices = 0;
  // Set if the plan can count active devices, with the current period. For a complete file that is
  // the period after the horizon. Otherwise it is the period after the last report.
  std::optional<Presence> presence = {};
  Period current = 0;

  // Fails if the question is out of range, or has no answer (estimator/answer.hpp).
  Result<Answer> answer(const Question& question) const;
  Result<Difference> difference(const DifferenceQuestion& question) const;
};

struct EstimateQuestion : Question {
  bool incomplete = false;  // see ReportFold::finish
  bool uncapped = false;    // outlier devices are not clipped
};

class ReportFold {
 public:
  // The longest allowed line of a file.
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 21;

  // With `transcript_cap` each contribution is clipped at its limit, if the plan has one.
  static Result<ReportFold> begin(std::string_view header, bool transcript_cap);
  Status add(std::string_view line);
  // With `incomplete`, reports may be missing at a device's end, because the file was cut or is
  // still being written.
  Result<FoldedReports> finish(bool incomplete);

 private:
  ReportFold(Header header, bool transcript_cap);
  template <typename Message>
  Status apply(const Message& message);

  Header header_;
  Fold fold_;
};

}  // namespace futurerand
