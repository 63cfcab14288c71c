#include "futurerand/study/simulation_question.hpp"

#include <algorithm>
#include <thread>

#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/simulator/populations/held_counts.hpp"
#include "futurerand/study/plan_rows.hpp"

namespace futurerand {
namespace {

// Labels times periods: some hundreds of megabytes of figures.
constexpr std::size_t kMostSimulated = std::size_t{1} << 24;

}  // namespace

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

Result<std::string> chosen_protocol(const SimulationQuestion& question) {
  if (question.protocol) return *question.protocol;
  PlanQuestion plan{question};
  if (question.users) plan.users = *question.users;
  plan.estimator = question.estimator;
  plan.estimand = question.estimand.value_or(Estimand::kActive);
  return recommended_protocol(plan);
}

Result<ChurnPattern> SimulationQuestion::churn_pattern() const {
  ChurnPattern pattern = churn;
  if (!attack) {
    if (liars) return Error{"liars: expected an attack with them"};
    return pattern;
  }
  pattern.attack = *attack;
  pattern.liars = liars.value_or(0.01);
  return pattern;
}

Result<std::optional<Calendar>> SimulationQuestion::calendar() const {
  if (!every) {
    if (rest) return Error{"rest: expected every with it"};
    return std::optional<Calendar>();
  }
  const Result<Calendar> made = Calendar::create(periods, *every, rest.value_or(periods));
  if (!made) return made.error();
  if (made->cycle() * cycles > kMaxPeriods) {
    return Error{"cycles: " + std::to_string(made->cycle() * cycles) +
                 " periods are too many; expected at most " + std::to_string(kMaxPeriods)};
  }
  return std::optional<Calendar>(*made);
}

Period SimulationQuestion::simulated_periods() const {
  const Result<std::optional<Calendar>> seasons = calendar();
  if (!seasons || !*seasons) return periods;
  return static_cast<Period>((*seasons)->cycle() * cycles);
}

Result<Population> SimulationQuestion::make_population(const SimulationKey& key) const {
  const Result<Coding> coded = coding();
  if (!coded) return coded.error();
  if (value == CodingKind::kText) {
    return Error{"value text is not simulated; expected category, which has the same errors"};
  }
  if (num_figures(*coded) > kMostSimulated / simulated_periods()) {
    return Error{std::to_string(num_figures(*coded)) + " labels in each of " +
                 std::to_string(simulated_periods()) +
                 " periods are too many to simulate; expected at most " +
                 std::to_string(kMostSimulated) + " in all"};
  }
  PopulationShape shape{users.value_or(100'000), simulated_periods(), changes, initial, *coded};
  if (!panel) return Population::named(population, shape, key);
  if (panel->empty() && !users) {
    return Error{panel_name + ": there are no users; expected rows, or their number"};
  }
  shape.num_users = users.value_or(panel->size());
  return Population::from_panel(*panel, shape, key);
}

ProtocolSettings SimulationQuestion::protocol_settings(std::uint64_t num_users) const {
  ProtocolSettings made = MetricParameters::settings(num_users, constants);
  made.estimator = estimator;
  return made;
}

SimulationSettings SimulationQuestion::settings(const SimulationKey& key,
                                                const Progress& progress) const {
  SimulationSettings settings;
  settings.key = key;
  settings.trials = trials;
  settings.engine = engine;
  settings.level = level;
  settings.keep_trials = keep_trials;
  settings.threads = threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
  settings.cancel = progress.cancel;
  if (!seed) settings.entropy = [] { return std::make_unique<SystemEntropy>(); };
  return settings;
}

}  // namespace futurerand
