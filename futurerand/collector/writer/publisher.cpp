#include "futurerand/collector/writer/publisher.hpp"

#include <algorithm>
#include <utility>

namespace futurerand {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Publishing may take at most a tenth of the time.
constexpr int kShare = 10;

}  // namespace

void Publisher::changed(std::uint32_t metric) {
  if (metric >= unpublished_.size()) {
    unpublished_.resize(metric + 1);
    lines_.resize(metric + 1);
  }
  unpublished_[metric] = true;
}

void Publisher::all_changed(std::uint32_t num_metrics) {
  for (std::uint32_t metric = 0; metric < num_metrics; ++metric) changed(metric);
}

void Publisher::count(std::uint32_t metric, const LineCounts& more) {
  changed(metric);
  lines_[metric] += more;
}

void Publisher::pass_lines(std::uint32_t from, std::uint32_t to) {
  changed(from);
  count(to, std::exchange(lines_[from], {}));
}

void Publisher::publish(const State& state, std::uint64_t sequence, bool now) {
  std::shared_ptr<const Snapshot> before = this->snapshot();
  const bool any = std::find(unpublished_.begin(), unpublished_.end(), true) != unpublished_.end();
  if (before != nullptr && !any) return;
  const SteadyClock::time_point begin = SteadyClock::now();
  const SteadyClock::duration least = std::max<SteadyClock::duration>(kShare * cost_, interval_);
  if (!now && begin - last_ < least) return;

  auto snapshot = std::make_shared<Snapshot>();
  if (before != nullptr) *snapshot = *before;
  snapshot->sequence = sequence;
  snapshot->metrics.resize(state.size());
  for (std::uint32_t number = 0; number < unpublished_.size(); ++number) {
    if (!unpublished_[number]) continue;
    if (!state.has(number)) {
      snapshot->metrics[number] = nullptr;
      lines_[number] = {};
      continue;
    }
    const Metric& metric = state.metric(number);
    const MetricSnapshot* old = snapshot->metrics[number].get();
    const Presence* presence = metric.fold.presence();
    snapshot->metrics[number] = std::make_shared<const MetricSnapshot>(MetricSnapshot{
        metric, number, metric.fold.sums(), metric.fold.num_clients(),
        old == nullptr ? 1 : old->version + 1, lines_[number],
        presence == nullptr ? nullptr : std::make_shared<const Presence>(*presence),
        metric.definition->seasons ? std::make_shared<const FinalSeasons>(metric.final_seasons)
                                   : nullptr});
  }
  if (snapshot->numbers == nullptr || names_version_ != state.names_version()) {
    names_version_ = state.names_version();
    std::map<std::string, std::uint32_t, std::less<>> numbers;
    for (std::uint32_t number = 0; number < state.size(); ++number) {
      if (state.has(number)) numbers.emplace(state.metric(number).definition->name, number);
    }
    snapshot->numbers = std::make_shared<const decltype(numbers)>(std::move(numbers));
  }
  {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(snapshot);
  }
  before.reset();  // freed here if nobody reads it, not under the lock
  unpublished_.assign(state.size(), false);
  last_ = SteadyClock::now();
  cost_ = last_ - begin;
}

}  // namespace futurerand
