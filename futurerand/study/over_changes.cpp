#include "futurerand/study/over_changes.hpp"

#include <cmath>
#include <thread>
#include <utility>

#include "futurerand/simulator/clipping.hpp"

namespace futurerand {

OverChanges count_over_changes(const std::vector<UserValues>& panel, std::uint32_t max_changes,
                               Initial initial) {
  OverChanges result;
  for (const UserValues& user : panel) {
    std::uint32_t value = 0, changes = 0;
    for (const ValueFrom& from : user.changes) {
      const bool is_start = initial == Initial::kUnknown && from.period == 1;
      // Rows with the current value again are no changes.
      changes += from.value != value && !is_start ? 1U : 0U;
      value = from.value;
    }
    ++result.users;
    result.over += changes > max_changes ? 1U : 0U;
  }
  return result;
}

BiasOf summarize_bias(std::string protocol, const std::vector<double>& bias) {
  BiasOf found{std::move(protocol)};
  for (std::size_t t = 0; t < bias.size(); ++t) {
    if (!std::isfinite(bias[t])) continue;
    found.mean += bias[t] / static_cast<double>(bias.size());
    if (std::abs(bias[t]) <= std::abs(found.largest)) continue;
    found.largest = bias[t];
    found.period = static_cast<Period>(t + 1);
  }
  return found;
}

Result<OverChanges> find_over_changes(const std::vector<UserValues>& panel,
                                      const PlanQuestion& question, const Progress& progress) {
  OverChanges found = count_over_changes(panel, question.changes, question.initial);
  if (found.over == 0) return found;
  const PopulationShape shape{found.users, question.periods, question.changes, question.initial};
  const Result<Population> population = Population::from_panel(panel, shape, SimulationKey{});
  if (!population) return population.error();
  const Workers workers(std::max(1U, std::thread::hardware_concurrency()), progress.cancel);
  for (const Protocol protocol : kProtocols) {
    const Result<Plan> plan = question.plan(protocol);
    if (!plan) continue;
    const auto bias = clipping_bias(*plan, *population, question.estimator, workers);
    if (progress.stopped()) return interrupted();
    if (bias) found.bias.push_back(summarize_bias(std::string(name_of(protocol)), *bias));
  }
  return found;
}

}  // namespace futurerand
