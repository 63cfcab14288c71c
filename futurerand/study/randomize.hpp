// The device side over people whose values are known beforehand: all that their devices ever send.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/simulator/populations/values_file.hpp"
#include "futurerand/study/metric_parameters.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

struct RandomizeQuestion : ProtocolParameters {
  std::optional<std::uint64_t> users = {};  // none: as many as have values
  std::optional<std::uint64_t> seed = {};
};

// `write` hears the header and then the lines of one device after the other, each with its newline.
// There are `num_users` devices, those past `users` hold 0. In the order of `users` the lines would
// tell who is not in it, so their order is random, except that a seed makes everything
// reproducible, hence not private; the header says so. Requires num_users >= users.size() and >= 1.
// Fails if the system's entropy does, and once stopped.
Status randomize(const CertifiedPlan& plan, const std::vector<UserValues>& users,
                 std::uint64_t num_users, const std::optional<std::uint64_t>& seed,
                 const std::function<void(std::string_view)>& write, const Progress& progress);

}  // namespace futurerand
