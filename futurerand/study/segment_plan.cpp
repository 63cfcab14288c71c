#include "futurerand/study/segment_plan.hpp"

#include <cmath>
#include <numeric>

#include <fmt/core.h>

namespace futurerand {

Result<SegmentPlan> make_segment_plan(const PlanQuestion& question, const PlanRow& row) {
  const std::vector<std::string>& names = question.segments.values();
  std::vector<double> shares = question.segment_shares;
  if (shares.empty()) shares.assign(names.size(), 1 / static_cast<double>(names.size()));
  if (shares.size() != names.size()) {
    return Error{fmt::format("segment_shares has {} shares; expected {}, one for each segment",
                             shares.size(), names.size())};
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sum > 1 + 1e-9) {
    return Error{fmt::format("segment_shares add up to {:g}; expected at most 1", sum)};
  }
  const auto users = static_cast<double>(question.users);
  // The error of a share with one device.
  const double unit = row.error->rmse / std::sqrt(users);
  SegmentPlan plan;
  for (std::size_t g = 0; g < names.size(); ++g) {
    const double devices = shares[g] * users;
    plan.segments.push_back(
        {names[g], shares[g], devices, unit * std::sqrt(devices), unit / std::sqrt(devices)});
  }
  plan.target_error = question.target_error.value_or(kDefaultSegmentError);
  const double root = unit / plan.target_error;
  plan.smallest_devices = std::ceil(root * root);
  plan.smallest_share = plan.smallest_devices / users;
  return plan;
}

}  // namespace futurerand
