#include "futurerand/study/simulation_question.hpp"

#include <algorithm>
#include <thread>

#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/study/ranges.hpp"

namespace futurerand {

Result<SimulationKey> key_from(const std::optional<std::uint64_t>& seed) {
  if (seed) return SimulationKey::from_seed(*seed);
  SimulationKey key;
  if (!SystemEntropy().fill(key.words)) {
    return Error{"the system's entropy cannot be read", ErrorCode::kNoEntropy};
  }
  return key;
}

std::string name_of(Engine engine) { return engine == Engine::kSums ? "sums" : "users"; }

Result<Estimand> chosen_estimand(const std::optional<Estimand>& asked, const Plan& plan) {
  const Status shown = shows_who_is_active(plan);
  if (!asked) return shown ? Estimand::kActive : Estimand::kEnrolled;
  if (*asked == Estimand::kActive && !shown) {
    return Error{"estimand active: " + shown.error().message};
  }
  return *asked;
}

Status SimulationQuestion::check() const {
  return first_failure(
      kUsersRange.check(users.value_or(1)), kPeriodsRange.check(periods),
      kChangesRange.check(changes), kLevelRange.check(level), kTrialsRange.check(trials),
      kThreadsRange.check(std::max(threads, 1U)), kInactiveAfterRange.check(inactive_after),
      kDropoutRange.check(churn.dropout), kDropoutFactorRange.check(churn.dropout_factor),
      kOfflineRange.check(churn.offline), kLiarsRange.check(churn.liars));
}

Result<Population> SimulationQuestion::make_population(const SimulationKey& key) const {
  PopulationShape shape{users.value_or(100'000), periods, changes};
  if (!panel) return Population::named(population, shape, key);
  if (panel->empty() && !users) {
    return Error{panel_name + ": there are no users; expected rows, or their number"};
  }
  shape.num_users = users.value_or(panel->size());
  return Population::from_panel(*panel, shape, key);
}

ProtocolSettings SimulationQuestion::protocol_settings(std::uint64_t num_users) const {
  return {num_users, periods, changes, epsilon, estimator, constants};
}

SimulationSettings SimulationQuestion::settings(const SimulationKey& key,
                                                const Progress& progress) const {
  SimulationSettings settings;
  settings.key = key;
  settings.trials = trials;
  settings.engine = engine;
  settings.level = level;
  settings.keep_trials = keep_trials;
  settings.threads = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  settings.cancel = progress.cancel;
  if (!seed) settings.entropy = [] { return std::make_unique<SystemEntropy>(); };
  return settings;
}

}  // namespace futurerand
