// The device side for known values: all messages of these people's devices.
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

// The users of a plan with segments are in all of them in turn. `write` gets the header and then
// the lines of one device after the other, each with its newline. There are `num_users` devices;
// those past `users` hold 0. Lines in the order of `users` would reveal the devices outside it. So
// their order is random, except with a seed: a seed makes everything reproducible, hence not
// private, and the header says so. Requires num_users >= users.size() and >= 1. Fails if the
// system's entropy does, and once stopped.
Status randomize(const CertifiedPlan& plan, const std::vector<UserValues>& users,
                 std::uint64_t num_users, const std::optional<std::uint64_t>& seed,
                 const std::function<void(std::string_view)>& write, const Progress& progress);

}  // namespace futurerand
