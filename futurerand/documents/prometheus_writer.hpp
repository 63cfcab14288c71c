// PrometheusWriter: writes figures in the text format of Prometheus, version 0.0.4.
//
// begin() names a figure, and its samples follow. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace futurerand {

struct PrometheusLabel {
  std::string_view name;
  std::string_view value;
};

class PrometheusWriter {
 public:
  enum class Kind { kCounter, kGauge, kHistogram };
  using Labels = std::initializer_list<PrometheusLabel>;

  PrometheusWriter& begin(std::string_view name, Kind kind, std::string_view help);
  PrometheusWriter& sample(std::uint64_t value, Labels labels = {}) {
    return put("", labels, std::to_string(value));
  }
  // A finite number.
  PrometheusWriter& real(double value, Labels labels = {});
  // The value is in seconds, with three decimals.
  PrometheusWriter& seconds(std::uint64_t milliseconds, Labels labels = {});

  // One sample without labels.
  PrometheusWriter& counter(std::string_view name, std::string_view help, std::uint64_t value) {
    return begin(name, Kind::kCounter, help).sample(value);
  }
  PrometheusWriter& gauge(std::string_view name, std::string_view help, std::uint64_t value) {
    return begin(name, Kind::kGauge, help).sample(value);
  }
  // counts[i] are the times up to bounds_ms[i] that are above the bound before it; the last of
  // counts, one more than bounds, are those above all bounds.
  PrometheusWriter& histogram(std::string_view name, std::string_view help,
                              std::span<const std::uint32_t> bounds_ms,
                              std::span<const std::uint64_t> counts,
                              std::uint64_t total_milliseconds);

  std::string take() && { return std::move(out_); }

 private:
  PrometheusWriter& put(std::string_view suffix, Labels labels, std::string_view value);

  std::string out_;
  std::string name_;
};

}  // namespace futurerand
