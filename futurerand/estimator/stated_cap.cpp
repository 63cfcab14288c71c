#include "futurerand/estimator/stated_cap.hpp"

namespace futurerand {

std::optional<double> cap_bias(const Presence* presence, Estimand estimand, EstimatorKind kind,
                               Period period, double devices) {
  const bool adds_devices = estimand == Estimand::kActive || is_online(Protocol::kInnovation, kind);
  if (presence == nullptr || !presence->estimate().is_capped() || !adds_devices || period == 0) {
    return std::nullopt;
  }
  return presence->estimate().bias(period) * devices;
}

}  // namespace futurerand
