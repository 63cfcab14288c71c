#include "futurerand/estimator/sums.hpp"

#include <utility>

namespace futurerand {

Sums::Sums(const Plan& plan) : num_periods_(plan.num_periods) {
  for (const View& view : plan.views) {
    const Schedule schedule(view, plan.num_periods);
    const std::uint32_t indices = schedule.num_indices;
    views_.push_back({schedule, std::vector<IndexSum>(indices),
                      std::vector<std::uint64_t>(plan.num_periods),
                      std::vector<std::uint64_t>(schedule.draws_start() ? indices : 0)});
  }
}

void Sums::enrol(std::uint32_t view, Period period, std::uint32_t index, std::uint64_t devices) {
  ViewSums& sums = views_[view];
  sums.enrolled[period - 1] += devices;
  const Schedule& schedule = sums.schedule;
  if (!schedule.draws_start()) return;
  for (std::uint32_t owed = schedule.first_index(period, index); owed <= schedule.num_indices;
       owed += schedule.stride) {
    sums.snapshot_devices[owed - 1] += devices;
  }
}

void Sums::set_enrolled(std::uint32_t view, std::vector<std::uint64_t> enrolled,
                        std::vector<std::uint64_t> snapshot_devices) {
  views_[view].enrolled = std::move(enrolled);
  views_[view].snapshot_devices = std::move(snapshot_devices);
}

void Sums::add(std::uint32_t view, std::uint32_t index, const IndexSum& reports) {
  IndexSum& at = views_[view].indices[index - 1];
  at = at + reports;
}

void Sums::merge(const Sums& other) {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const ViewSums& from = other.views_[v];
    ViewSums& to = views_[v];
    for (std::uint32_t j = 1; j <= to.indices.size(); ++j) {
      add(static_cast<std::uint32_t>(v), j, from.indices[j - 1]);
    }
    for (std::size_t t = 0; t < to.enrolled.size(); ++t) to.enrolled[t] += from.enrolled[t];
    for (std::size_t j = 0; j < to.snapshot_devices.size(); ++j) {
      to.snapshot_devices[j] += from.snapshot_devices[j];
    }
  }
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
