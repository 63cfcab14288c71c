#include "futurerand/estimator/devices_by_period.hpp"

namespace futurerand {

std::vector<std::uint64_t> devices_by_period(const Plan& plan, const Sums& sums, Period up_to) {
  std::vector<std::uint64_t> devices(up_to);
  std::uint64_t joined = 0;
  for (Period t = 1; t <= up_to; ++t) {
    for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
      joined += sums.enrolled_in(view, t);
    }
    devices[t - 1] = joined;
  }
  return devices;
}

}  // namespace futurerand
