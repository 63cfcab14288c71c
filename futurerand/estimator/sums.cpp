#include "futurerand/estimator/sums.hpp"

#include <algorithm>
#include <functional>

namespace futurerand {
namespace {

void add_counts(const std::vector<std::uint64_t>& more, std::vector<std::uint64_t>& counts) {
  std::transform(counts.begin(), counts.end(), more.begin(), counts.begin(), std::plus<>());
}

std::uint64_t view_bytes(const Schedule& view, Period num_periods) {
  const std::size_t each = sizeof(IndexSum) + (view.draws_start() ? sizeof(std::uint64_t) : 0);
  return std::uint64_t{view.num_indices} * each + num_periods * sizeof(std::uint64_t);
}

}  // namespace

Sums::Sums(const Plan& plan) : num_periods_(plan.num_periods) {
  for (const View& view : plan.views) {
    const Schedule schedule(view, plan.num_periods);
    const std::uint32_t indices = schedule.num_indices;
    views_.push_back({schedule, std::vector<IndexSum>(indices),
                      std::vector<std::uint64_t>(plan.num_periods),
                      std::vector<std::uint64_t>(schedule.draws_start() ? indices : 0)});
  }
  if (!plan.segments.empty()) strata_.assign(plan.segments.num_strata(), *this);
}

void Sums::enrol(std::uint32_t view, Period period, std::uint32_t index, std::uint64_t devices,
                 std::uint32_t stratum) {
  if (!strata_.empty()) strata_[stratum].enrol(view, period, index, devices);
  ViewSums& sums = views_[view];
  sums.enrolled[period - 1] += devices;
  const Schedule& schedule = sums.schedule;
  if (!schedule.draws_start()) return;
  for (std::uint32_t owed = schedule.first_index(period, index); owed <= schedule.num_indices;
       owed += schedule.stride) {
    sums.snapshot_devices[owed - 1] += devices;
  }
}

void Sums::add_enrolled(std::uint32_t view, const std::vector<std::uint64_t>& enrolled,
                        const std::vector<std::uint64_t>& snapshot_devices, std::uint32_t stratum) {
  if (!strata_.empty()) strata_[stratum].add_enrolled(view, enrolled, snapshot_devices);
  ViewSums& sums = views_[view];
  add_counts(enrolled, sums.enrolled);
  add_counts(snapshot_devices, sums.snapshot_devices);
}

void Sums::add(std::uint32_t view, std::uint32_t index, const IndexSum& reports,
               std::uint32_t stratum) {
  if (!strata_.empty()) strata_[stratum].add(view, index, reports);
  IndexSum& at = views_[view].indices[index - 1];
  at = at + reports;
}

void Sums::merge(const Sums& other) {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const ViewSums& from = other.views_[v];
    ViewSums& to = views_[v];
    for (std::size_t j = 0; j < to.indices.size(); ++j) {
      to.indices[j] = to.indices[j] + from.indices[j];
    }
    add_counts(from.enrolled, to.enrolled);
    add_counts(from.snapshot_devices, to.snapshot_devices);
  }
  for (std::size_t g = 0; g < strata_.size(); ++g) strata_[g].merge(other.strata_[g]);
}

std::uint64_t Sums::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const ViewSums& view : views_) bytes += view_bytes(view.schedule, num_periods_);
  return bytes * (1 + strata_.size());
}

std::uint64_t sums_bytes(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const View& view : plan.views) {
    bytes += view_bytes(Schedule(view, plan.num_periods), plan.num_periods);
  }
  return bytes * (plan.segments.empty() ? 1 : 1 + plan.segments.num_strata());
}

std::vector<std::uint64_t> Sums::enrolled_by_period() const {
  std::vector<std::uint64_t> by_period(num_periods_);
  std::uint64_t total = 0;
  for (Period t = 0; t < num_periods_; ++t) {
    for (const ViewSums& view : views_) total += view.enrolled[t];
    by_period[t] = total;
  }
  return by_period;
}

std::vector<std::uint64_t> Sums::expected_reports(std::uint32_t view) const {
  const ViewSums& sums = views_[view];
  if (sums.schedule.draws_start()) return sums.snapshot_devices;
  if (sums.schedule.kind == ViewKind::kOnce) return sums.enrolled;
  std::vector<std::uint64_t> expected(sums.indices.size());
  std::uint64_t devices = 0;
  Period t = 0;
  for (std::size_t j = 0; j < expected.size(); ++j) {
    while (t < sums.schedule.due(static_cast<std::uint32_t>(j + 1))) devices += sums.enrolled[t++];
    expected[j] = devices;
  }
  return expected;
}

}  // namespace futurerand
