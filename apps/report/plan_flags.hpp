// The flags of `plan`, and the question that they ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/cli/flags.hpp"
#include "futurerand/study/plan_rows.hpp"

namespace futurerand::apps {

struct PlanCommandFlags {
  PlanFlags plan;
  std::uint64_t users = 100'000;
  std::optional<double> target_error;
  Format format = Format::kText;
  double delta = 1e-6;
  EstimatorKind estimator = EstimatorKind::kOnline;
  double drift = 0.01;
  ProtocolConstants constants = {};
  std::optional<double> liars = {};
  std::string values = {};  // a file of users; empty: none

  PlanQuestion question() const {
    return {users, plan.periods, plan.changes, plan.budget(), target_error,
            delta, estimator,    drift,        constants,     liars};
  }
};

}  // namespace futurerand::apps
