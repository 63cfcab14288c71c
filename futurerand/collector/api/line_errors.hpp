// LineErrors: counts of rejected lines by reason, for GET /metrics.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/documents/prometheus_writer.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

class LineErrors {
 public:
  // Counts the errors that an answer lists by their reason, and the others as not_shown.
  void count(const ReportAnswer& answer) {
    for (const LineError& error : answer.errors) ++counts_[place_of(error.reason)];
    counts_[kNumReasons - 1] += answer.errors_not_shown;
  }

  std::string prometheus() const {
    PrometheusWriter out;
    out.begin("futurerand_line_errors_total", PrometheusWriter::Kind::kCounter,
              "Lines that were not taken, by reason.");
    for (std::size_t i = 0; i < kNumReasons; ++i) {
      out.sample(counts_[i], {{"reason", reason(i)}});
    }
    return std::move(out).take();
  }

 private:
  // The fold's reasons, those of the reader of lines, and "not_shown" for errors without a reason.
  static constexpr std::size_t kFoldReasons = static_cast<std::size_t>(Reason::kCount) - 1;
  static constexpr std::array<std::string_view, 3> kOtherReasons = {"malformed", "too_long",
                                                                    "not_shown"};
  static constexpr std::size_t kNumReasons = kFoldReasons + kOtherReasons.size();

  static std::string_view reason(std::size_t at) {
    // Reason::kNone is no reason.
    return at < kFoldReasons ? name_of(static_cast<Reason>(at + 1))
                             : kOtherReasons[at - kFoldReasons];
  }
  static std::size_t place_of(std::string_view wanted) {
    std::size_t at = 0;
    while (at + 1 < kNumReasons && reason(at) != wanted) ++at;
    return at;
  }

  std::array<std::atomic<std::uint64_t>, kNumReasons> counts_{};
};

}  // namespace futurerand
