// LineErrors: why lines of reports were not taken, for GET /metrics.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/documents/prometheus_writer.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

class LineErrors {
 public:
  // Whatever an answer lists; of errors that it only counts, that they are.
  void count(const ReportAnswer& answer) {
    for (const LineError& error : answer.errors) ++counts_[place_of(error.reason)];
    counts_[kReasons.size() - 1] += answer.errors_not_shown;
  }

  std::string prometheus() const {
    PrometheusWriter out;
    out.begin("futurerand_line_errors_total", PrometheusWriter::Kind::kCounter,
              "Lines that were not taken, by reason.");
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
      out.sample(counts_[i], {{"reason", kReasons[i]}});
    }
    return std::move(out).take();
  }

 private:
  // Those of docs/http.md; the last one is for all others.
  static constexpr std::array<std::string_view, 13> kReasons = {
      "early",     "gap",       "unknown_client", "enrolled_differently", "bad_view",  "bad_period",
      "bad_index", "bad_signs", "closed",         "too_many_devices",     "malformed", "too_long",
      "not_shown"};

  static std::size_t place_of(std::string_view reason) {
    std::size_t at = 0;
    while (at + 1 < kReasons.size() && kReasons[at] != reason) ++at;
    return at;
  }

  std::array<std::atomic<std::uint64_t>, kReasons.size()> counts_{};
};

}  // namespace futurerand
