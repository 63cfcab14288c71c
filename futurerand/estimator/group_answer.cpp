#include "futurerand/estimator/group_answer.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {
namespace {

AnswerRow scaled(const AnswerRow& row, double asked_share) {
  AnswerRow all = row;
  const auto devices = static_cast<double>(row.devices);
  all.devices = static_cast<std::uint64_t>(std::llround(devices / asked_share));
  all.own_share = AnswerRow::OwnShare{row.share_stddev(), row.share_band()};
  if (row.devices == 0) return all;
  const double times = static_cast<double>(all.devices) / devices;
  // The observed devices are binomial: n has the variance N s (1 - s), and N is about n / s.
  const double devices_stddev = times * std::sqrt(devices * (1 - asked_share));
  const double of_share = times * row.stddev;
  all.estimate = times * row.estimate;
  all.stddev = std::hypot(of_share, devices_stddev * std::clamp(row.share(), 0.0, 1.0));
  const double wider = of_share > 0 ? all.stddev / of_share : 1;
  all.band = {all.estimate - times * wider * (row.estimate - row.band.lower),
              all.estimate + times * wider * (row.band.upper - row.estimate)};
  return all;
}

}  // namespace

void scale_to_group(double asked_share, Answer& found) {
  found.asked_share = asked_share;
  if (asked_share == 1) return;
  for (AnswerRow& row : found.rows) row = scaled(row, asked_share);
  const double times = 1 / asked_share;
  found.devices =
      static_cast<std::uint64_t>(std::llround(times * static_cast<double>(found.devices)));
  found.one_device_moves *= times;
  if (found.too_noisy) *found.too_noisy *= times;
  if (found.cap_bias) *found.cap_bias *= times;
  found.counted =
      "all devices of the group, by those that drew this metric; each of them stands for " +
      std::to_string(times).substr(0, std::to_string(times).find('.') + 3) + ": " + found.counted;
  found.assumption =
      "each device draws its metric of the group whatever its values are; " + found.assumption;
}

}  // namespace futurerand
