// LineErrors: reasons of rejected lines, for GET /metrics.
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
  // Counts the errors listed in an answer; unlisted ones are `not_shown`.
  void count(const ReportAnswer& answer) {
    for (const LineError& error : answer.errors) ++counts_[place_of(error.reason)];
    counts_.back() += answer.errors_not_shown;
  }

  std::string prometheus() const {
    PrometheusWriter out;
    out.begin("futurerand_line_errors_total", PrometheusWriter::Kind::kCounter,
              "Lines not accepted, by reason.");
    for (std::size_t i = 0; i < kPlaces; ++i) out.sample(counts_[i], {{"reason", name_at(i)}});
    return std::move(out).take();
  }

 private:
  // The reasons of a fold except kNone, those of unreadable lines, and all others.
  static constexpr std::size_t kFolded = kNumReasons - 1;
  static constexpr std::array<std::string_view, 3> kOthers = {"malformed", "too_long", "not_shown"};
  static constexpr std::size_t kPlaces = kFolded + kOthers.size();

  static std::string_view name_at(std::size_t place) {
    return place < kFolded ? name_of(static_cast<Reason>(place + 1)) : kOthers[place - kFolded];
  }
  static std::size_t place_of(std::string_view reason) {
    std::size_t at = 0;
    while (at + 1 < kPlaces && name_at(at) != reason) ++at;
    return at;
  }

  std::array<std::atomic<std::uint64_t>, kPlaces> counts_{};
};

}  // namespace futurerand
