#include "futurerand/study/value_plan.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/simulator/clipping.hpp"
#include "futurerand/study/over_changes.hpp"

namespace futurerand {
namespace {

constexpr std::uint32_t kPatterns = 24;   // of flips, for each number of them
constexpr std::uint32_t kMostFlips = 24;  // beyond max_changes; more are too rare to matter

// Times of `count` flips after the first period, all equally likely. Only the speed and the third
// digit of a forecast depend on this generator.
std::vector<ValueFrom> flips_of(std::uint32_t count, Period periods, std::mt19937_64& random) {
  std::vector<Period> times;
  for (Period t = 2; t <= periods; ++t) times.push_back(t);
  std::shuffle(times.begin(), times.end(), random);
  times.resize(std::min<std::size_t>(count, times.size()));
  std::sort(times.begin(), times.end());
  std::vector<ValueFrom> changes = {{1, 1}};
  for (const Period time : times) changes.push_back({time, 1 - changes.back().value});
  return changes;
}

// Returns the lost share of a yes/no device's state with this number of flips, averaged over the
// periods.
double loss_of_flips(const Plan& yes_no, std::uint32_t flips, const Workers& workers) {
  std::mt19937_64 random(flips);
  double loss = 0;
  for (std::uint32_t i = 0; i < kPatterns; ++i) {
    const std::vector<UserValues> panel = {{"user", flips_of(flips, yes_no.num_periods, random)}};
    const PopulationShape shape{1, yes_no.num_periods, yes_no.max_changes, yes_no.initial};
    const Result<Population> population = Population::from_panel(panel, shape, SimulationKey{});
    if (!population) return 0;
    const auto bias = clipping_bias(yes_no, *population, EstimatorKind::kOnline, workers);
    if (!bias) continue;
    std::size_t at = 0;
    for (Period t = 1; t <= yes_no.num_periods; ++t) {
      const auto& changes = panel.front().changes;
      while (at + 1 < changes.size() && changes[at + 1].period <= t) ++at;
      const double toward_the_other = changes[at].value == 1 ? -1 : 1;
      loss += 2 * toward_the_other * (*bias)[t - 1] / (yes_no.num_periods * kPatterns);
    }
  }
  return loss;
}

// The chance of this number of flips: Binomial(changes, 1/2).
double chance_of(std::uint32_t flips, std::uint32_t changes) {
  return std::exp(std::lgamma(changes + 1.0) - std::lgamma(flips + 1.0) -
                  std::lgamma(changes - flips + 1.0) - changes * std::log(2.0));
}

}  // namespace

Result<ValuePlan> make_value_plan(const MetricParameters& question, std::uint64_t users,
                                  const Progress& progress) {
  const Result<Coding> coding = question.coding();
  if (!coding) return coding.error();
  if (const Result<Plan> served = question.plan(Protocol::kInnovation); !served) {
    return served.error();
  }
  const bool is_distribution = coding->kind() == CodingKind::kDistribution;
  const double noise_factor =
      std::sqrt(is_distribution ? mean_cumulative_factor(coding->bits()) : count_factor(*coding));
  const Workers workers(1, progress.cancel);
  const double root = std::sqrt(static_cast<double>(users));
  ValuePlan plan;
  // The number of crossings of a level's boundaries depends on the number itself. So a distribution
  // is planned for the requested changes.
  const std::uint32_t least = is_distribution ? question.changes : 0;
  for (std::uint32_t k = least; k <= question.changes; ++k) {
    progress.show(static_cast<double>(k - least) / (question.changes - least + 1));
    if (progress.stopped()) return interrupted();
    MetricParameters asked = question;
    asked.changes = k;
    asked.value = CodingKind::kYesNo;
    const Result<Plan> yes_no = asked.plan(Protocol::kInnovation);
    if (!yes_no) return yes_no.error();
    const double each = predict_error(*yes_no, 1).rmse;
    ValueChoice choice{k, noise_factor * each / root};
    if (is_distribution) choice.mean_noise = std::sqrt(mean_factor(coding->bits())) * each / root;
    for (std::uint32_t flips = k + 1; flips <= std::min(question.changes, k + kMostFlips);
         ++flips) {
      const double chance = chance_of(flips, question.changes);
      if (chance > 1e-6) choice.loss += chance * loss_of_flips(*yes_no, flips, workers);
    }
    choice.error = std::hypot(choice.noise, choice.loss * kTypicalShare);
    plan.choices.push_back(choice);
  }
  const auto less = [](const ValueChoice& a, const ValueChoice& b) { return a.error < b.error; };
  const auto best = std::min_element(plan.choices.begin(), plan.choices.end(), less);
  plan.best = static_cast<std::size_t>(best - plan.choices.begin());
  for (const double share : {0.01, 0.05, 0.1}) {
    const double needed = 4 * best->noise * root / share;
    plan.devices_for_share.emplace_back(share, std::ceil(needed * needed));
  }
  return plan;
}

}  // namespace futurerand
