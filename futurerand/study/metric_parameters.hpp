// MetricParameters: the parameters of a metric that decide its privacy and its error. Every study
// starts from them: plan, simulate, compare, audit, randomize, and the simulated devices of a
// swarm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/core/plan/recommendation.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

struct MetricParameters {
  Period periods = 256;
  std::uint32_t changes = 4;
  Epsilon epsilon = *Epsilon::parse("1");
  Initial initial = Initial::kUnknown;
  CodingKind value = CodingKind::kYesNo;
  std::pair<double, double> range = {0, 1};  // of numbers and distributions
  std::optional<std::string> labels = {};    // of a category: how many, or a file with one a line
  std::uint32_t buckets = 32;                // of a distribution
  Segments segments = {};                    // a public attribute of devices

  // How values are coded. Fails if a setting is missing or wrong.
  Result<Coding> coding() const;

  // Fails as make_plan does.
  Result<Plan> plan(Protocol protocol) const {
    const Result<Coding> coded = coding();
    if (!coded) return coded.error();
    return with_segments(make_plan(protocol, periods, changes, epsilon, initial, *coded));
  }
  // The plan of a new metric.
  Result<Plan> recommended() const {
    const Result<Coding> coded = coding();
    if (!coded) return coded.error();
    return with_segments(recommended_plan(periods, changes, epsilon, initial, *coded));
  }
  // Requires success of coding().
  ProtocolSettings settings(std::uint64_t num_users, ProtocolConstants constants = {}) const {
    Result<Coding> coded = coding();
    return {num_users,
            periods,
            changes,
            epsilon,
            EstimatorKind::kOnline,
            std::move(constants),
            initial,
            coded ? *std::move(coded) : Coding()};
  }

 private:
  Result<Plan> with_segments(Result<Plan> plan) const {
    if (plan) plan->segments = segments;
    return plan;
  }
};

// A metric and the protocol for it.
struct ProtocolParameters : MetricParameters {
  std::optional<std::string> protocol = {};  // none: the recommendation of `plan`
};

}  // namespace futurerand
