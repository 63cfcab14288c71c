#include "futurerand/collector/api/events.hpp"

#include "futurerand/collector/api/estimates.hpp"

namespace futurerand {
namespace {

// Often enough for proxies and browsers to keep an idle stream, and to detect a dead one.
constexpr std::chrono::seconds kHeartbeat{15};
constexpr std::chrono::seconds kUpdateInterval{1};

}  // namespace

std::string NewestEstimates::of(const Snapshot& snapshot, const MetricSnapshot& metric,
                                std::uint64_t version, Instant now) {
  const Period current = metric.current_period(now);
  const std::lock_guard lock(mutex_);
  Made& made = made_[metric.number];
  if (made.version != version || made.period != current) {
    made = {version, current,
            metric.definition->seasons ? newest_estimate(metric, panels_.of(snapshot, metric, now))
                                       : newest_estimate(metric, current)};
  }
  return made.json;
}

std::string EventStream::next() {
  const Instant now = now_();
  const std::shared_ptr<const Snapshot> snapshot = writer_.snapshot();
  const std::shared_ptr<const MetricSnapshot> metric = snapshot->find(metric_);
  if (metric == nullptr) return {};
  const std::uint64_t version = totals_of(*snapshot, *metric, now).version;
  const Period current = metric->current_period(now);
  const bool new_period = current != period_;
  // While reports stream in, the newest estimate moves with every group.
  const bool refined = version != version_ && now - last_sent_ >= kUpdateInterval;
  if (new_period || refined) {
    period_ = current;
    version_ = version;
    std::string estimate = newest_.of(*snapshot, *metric, version, now);
    if (!estimate.empty() && estimate != last_) {
      last_ = std::move(estimate);
      last_sent_ = now;
      return "event: estimate\ndata: " + last_ + "\n\n";
    }
    if (new_period) {
      last_sent_ = now;
      return "event: period\ndata: {\"period\":" + std::to_string(current) + "}\n\n";
    }
  }
  if (now - last_sent_ < kHeartbeat) return {};
  last_sent_ = now;
  return ": still here\n\n";
}

}  // namespace futurerand
