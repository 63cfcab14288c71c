#include "futurerand/study/run_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/season_protocol.hpp"

namespace futurerand {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// The churn of devices, and the counted devices. Without churn everyone takes part throughout.
struct Counted {
  std::optional<Churn> churn = {};
  Estimand estimand = Estimand::kEnrolled;
};

Result<Counted> counted_by(const std::string& name, const SimulationQuestion& question,
                           const SimulationKey& key) {
  const std::optional<Protocol> protocol = protocol_named(name);
  const Result<ChurnPattern> churn = question.churn_pattern();
  if (!churn) return churn.error();
  if (churn->is_plain()) {
    if (question.estimand == Estimand::kActive && !protocol) {
      return Error{"estimand active: expected a protocol with a plan"};
    }
    return Counted{};
  }
  if (!protocol) {
    return Error{"protocol " + name +
                 ": its devices all take part throughout; expected a protocol with a plan, or no "
                 "joining, dropout, offline and liars"};
  }
  if (question.engine == Engine::kSums) {
    return Error{"engine sums: expected users, since devices come and go one by one"};
  }
  const Result<Plan> plan = question.plan(*protocol);
  if (!plan) return plan.error();
  if (plan->coding.has_rows()) {
    if (churn->liars > 0) return Error{"attack: expected value yes_no or number with it"};
    if (churn->dropout_factor != 1) {
      return Error{"dropout_factor: expected value yes_no or number with it"};
    }
    if (question.estimand == Estimand::kEnrolled) {
      return Error{"estimand enrolled: expected active for labels and buckets"};
    }
  }
  const Result<Estimand> estimand = chosen_estimand(question.estimand, *plan);
  if (!estimand) return estimand.error();
  return Counted{Churn(*churn, question.simulated_periods(), key, plan->coding.full_scale()),
                 *estimand};
}

// A metric without an end, with honest devices.
Result<std::unique_ptr<SimulatedProtocol>> make_seasons(const std::string& name,
                                                        const SimulationQuestion& question,
                                                        const Calendar& calendar,
                                                        const ProtocolSettings& settings) {
  const std::optional<Protocol> protocol = protocol_named(name);
  if (!protocol || question.engine == Engine::kSums || question.attack || question.liars ||
      question.estimator != EstimatorKind::kOnline) {
    return Error{
        "every: seasons are simulated device by device, online and honest; expected a "
        "protocol with a plan, and no engine sums, attack or other estimator"};
  }
  Result<Plan> season = question.plan(*protocol);
  if (!season) return season.error();
  ProtocolSettings of_clock = settings;
  of_clock.num_periods = question.simulated_periods();
  return make_season_protocol(*std::move(season), calendar, of_clock);
}

Moved moved_by_liars(std::uint64_t liars, const SimulationResult& result) {
  Moved moved{liars};
  for (std::size_t t = 0; t < result.moved.size(); ++t) {
    const double each = std::abs(result.moved[t]) / static_cast<double>(liars);
    if (each > moved.each) {
      moved = {liars, static_cast<Period>(t + 1), each, result.one_moves_at_most[t]};
    }
  }
  return moved;
}

}  // namespace

Result<SimulationAnswer> run_simulation(const SimulationQuestion& question,
                                        const Progress& progress) {
  const SteadyClock::time_point start = SteadyClock::now();
  const Result<std::string> name = chosen_protocol(question);
  if (!name) return name.error();
  const Result<SimulationKey> key = key_from(question.seed);
  if (!key) return key.error();
  const Result<Population> population = question.make_population(*key);
  if (!population) return population.error();
  const std::uint64_t num_users = population->num_users();
  const Result<std::optional<Calendar>> calendar = question.calendar();
  if (!calendar) return calendar.error();
  const Result<Counted> counted = counted_by(*name, question, *key);
  if (!counted) return counted.error();
  ProtocolSettings protocol_settings = question.protocol_settings(num_users);
  protocol_settings.estimand = counted->estimand;
  protocol_settings.inactive_after = question.inactive_after;
  protocol_settings.transcript_cap = !question.uncapped;
  const auto protocol = *calendar ? make_seasons(*name, question, **calendar, protocol_settings)
                                  : make_simulated_protocol(*name, protocol_settings);
  if (!protocol) return protocol.error();

  SimulationSettings settings = question.settings(*key, progress);
  if (counted->churn) settings.churn = &*counted->churn;
  // Counting the population is one more pass over it.
  const double passes = static_cast<double>(settings.trials) + 1;
  const Workers workers(settings.threads, progress.cancel,
                        [&](double share) { progress.show(share / passes); });
  const std::vector<double> truth =
      *calendar ? true_shares(*population, counted->churn ? &*counted->churn : nullptr, workers)
      : counted->churn ? active_counts(*population, *counted->churn, counted->estimand,
                                       question.inactive_after, workers)
                       : true_counts(*population, workers);
  if (progress.stopped()) return interrupted();
  settings.progress = [&](double share) {
    progress.show((1 + share * static_cast<double>(settings.trials)) / passes);
  };
  std::optional<StepNoise> steps;
  if (*calendar && question.cycles > 1) {
    steps.emplace(**calendar, truth, population->num_periods());
    settings.each_trial = [&](const std::vector<PeriodEstimate>& trial) { steps->add(trial); };
  }
  Result<SimulationResult> result = simulate(**protocol, *population, truth, settings);
  if (progress.stopped()) return interrupted();
  if (!result) return result.error();
  SimulationAnswer answer{num_users,
                          {*std::move(result), seconds_since(start)},
                          counted->churn.has_value(),
                          counted->estimand};
  if (steps) answer.step_noise_ratio = steps->ratio();
  if (counted->churn && counted->churn->num_liars(num_users) > 0) {
    answer.moved = moved_by_liars(counted->churn->num_liars(num_users), answer.timed.result);
  }
  return answer;
}

void sort_results(std::vector<TimedResult>& results) {
  std::stable_sort(results.begin(), results.end(), [](const TimedResult& a, const TimedResult& b) {
    const auto rank = [](const TimedResult& timed) {
      // Those without any answer come last.
      const double rmse = timed.result.rmse;
      return std::pair(timed.result.traits.guarantee, std::isnan(rmse) ? INFINITY : rmse);
    };
    return rank(a) < rank(b);
  });
}

Result<ComparisonAnswer> run_comparison(const std::vector<std::string>& protocols,
                                        const SimulationQuestion& question, Unserved unserved,
                                        const Progress& progress) {
  const Result<SimulationKey> key = key_from(question.seed);
  if (!key) return key.error();
  const Result<Population> population = question.make_population(*key);
  if (!population) return population.error();
  ComparisonAnswer answer{population->num_users()};
  const ProtocolSettings protocol_settings = question.protocol_settings(answer.num_users);

  std::vector<std::string> names = protocols;
  if (names.empty()) {
    for (const std::string_view name : protocols_for(question.value)) names.emplace_back(name);
  }
  std::vector<std::unique_ptr<SimulatedProtocol>> made;
  for (const std::string& name : names) {
    progress.show(0);
    if (progress.stopped()) return interrupted();
    auto protocol = make_simulated_protocol(name, protocol_settings);
    if (protocol) {
      made.push_back(*std::move(protocol));
    } else if (unserved == Unserved::kRefused) {
      return protocol.error();
    } else {
      answer.unavailable.push_back({name, protocol.error().message});
    }
  }

  // Counting the population is one more pass over it.
  SimulationSettings settings = question.settings(*key, progress);
  const double trials = static_cast<double>(question.trials);
  const double passes = static_cast<double>(made.size()) * trials + 1;
  const std::vector<double> truth =
      true_counts(*population, Workers(settings.threads, progress.cancel,
                                       [&](double share) { progress.show(share / passes); }));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const SteadyClock::time_point start = SteadyClock::now();
    settings.progress = [&](double share) {
      progress.show((1 + (static_cast<double>(i) + share) * trials) / passes);
    };
    Result<SimulationResult> result = simulate(*made[i], *population, truth, settings);
    if (progress.stopped()) return interrupted();
    if (!result) return result.error();
    answer.results.push_back({*std::move(result), seconds_since(start)});
  }
  sort_results(answer.results);
  return answer;
}

}  // namespace futurerand
