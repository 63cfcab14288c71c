#include "futurerand/estimator/stated_cap.hpp"

namespace futurerand {

std::optional<double> cap_bias(const Presence* presence, Estimand estimand, EstimatorKind kind,
                               Period period, double devices) {
  const bool sums_devices = estimand == Estimand::kActive ? kind == EstimatorKind::kOnline
                                                          : is_online(Protocol::kInnovation, kind);
  if (presence == nullptr || presence->limits() == nullptr || !sums_devices || period == 0) {
    return std::nullopt;
  }
  return presence->limits()->bias(period) * devices;
}

}  // namespace futurerand
