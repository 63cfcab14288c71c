// Refusals: what strangers were refused, for the operator to see in GET /metrics.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace futurerand {

enum class Refusal : std::uint8_t {
  kLineRate,
  kEnrolmentRate,
  kBadLines,
  kExpansion,  // a body that unpacks to too many times its size
  kOrigin,
  kHost,
  kToken,
  kCount
};

class Refusals {
 public:
  void count(Refusal refusal) { ++counts_[static_cast<std::size_t>(refusal)]; }
  std::string prometheus() const {
    constexpr std::array<std::string_view, static_cast<std::size_t>(Refusal::kCount)> kNames = {
        "line_rate", "enrolment_rate", "bad_lines", "expansion", "origin", "host", "token"};
    std::string out =
        "# HELP futurerand_refused_total Requests refused, by reason.\n"
        "# TYPE futurerand_refused_total counter\n";
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      out += "futurerand_refused_total{reason=\"";
      out += kNames[i];
      out += "\"} " + std::to_string(counts_[i]) + "\n";
    }
    return out;
  }

 private:
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Refusal::kCount)> counts_{};
};

}  // namespace futurerand
