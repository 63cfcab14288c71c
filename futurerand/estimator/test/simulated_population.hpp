// For tests only: populations, and the sums of the reports their devices would send, drawn without
// any code of the client. Each device draws its view and its whole vector b, so that reports of one
// device are correlated as in life; the fair coins of all zeros of an index are drawn at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <variant>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

using Random = std::mt19937_64;

struct Device {
  Period joined = 1;
  std::vector<Period> changes;  // ascending, not before `joined`; the value goes 0, 1, 0, 1, ...

  bool value(Period t) const {
    return (std::upper_bound(changes.begin(), changes.end(), t) - changes.begin()) % 2 == 1;
  }
};

using Population = std::vector<Device>;

inline std::vector<double> true_counts(const Population& population, Period num_periods) {
  std::vector<double> counts(num_periods);
  for (const Device& device : population) {
    double sign = 1;
    for (const Period t : device.changes) counts[t - 1] += sign, sign = -sign;
  }
  for (Period t = 1; t < num_periods; ++t) counts[t] += counts[t - 1];
  return counts;
}

inline Period draw_period(Period first, Period last, Random& random) {
  return std::uniform_int_distribution<Period>(first, last)(random);
}

// Everyone changes exactly `changes` times, at periods drawn uniformly from those after joining.
// Joining is spread over periods 1..last_joined.
inline Population uniform_population(std::size_t users, Period num_periods, std::uint32_t changes,
                                     Random& random, Period last_joined = 1) {
  Population population(users);
  for (Device& device : population) {
    device.joined = last_joined == 1 ? 1 : draw_period(1, last_joined, random);
    while (device.changes.size() < std::min(changes, num_periods - device.joined + 1)) {
      const Period t = draw_period(device.joined, num_periods, random);
      const auto at = std::lower_bound(device.changes.begin(), device.changes.end(), t);
      if (at == device.changes.end() || *at != t) device.changes.insert(at, t);
    }
  }
  return population;
}

// A share of the users adopts, once, around the middle: an S-curve.
inline Population adoption_population(std::size_t users, Period num_periods, double share,
                                      Random& random) {
  Population population(users);
  std::uniform_real_distribution<double> unit;
  for (Device& device : population) {
    if (unit(random) >= share) continue;
    const double u = unit(random);
    const double at = num_periods * (0.5 + 0.08 * std::log(u / (1 - u)));
    if (at < num_periods) device.changes = {static_cast<Period>(std::max(0.0, at)) + 1};
  }
  return population;
}

// A share of the users holds 1 all the time.
inline Population static_population(std::size_t users, double share) {
  Population population;
  population.resize(static_cast<std::size_t>(share * static_cast<double>(users)), {1, {1}});
  population.resize(users);
  return population;
}

inline double nonzero_of(const Law& law) {
  const auto* quiet = std::get_if<SparseLaw>(&law);
  return quiet == nullptr ? 1 : static_cast<double>(quiet->nonzero) / SparseLaw::kUnits;
}

// Entry j says whether the j-th non-zero input is kept, reversed or silent. Only for the laws used
// here.
inline void draw_signs(const Law& law, Random& random, std::vector<int>& signs) {
  constexpr double kTwo64 = 18446744073709551616.0;
  if (const auto* product = std::get_if<ProductLaw>(&law)) {
    std::bernoulli_distribution flip(static_cast<double>(product->flip) / kTwo64);
    signs.resize(product->num_signs);
    for (int& sign : signs) sign = flip(random) ? -1 : 1;
    return;
  }
  if (const auto* quiet = std::get_if<SparseLaw>(&law)) {
    std::bernoulli_distribution speaks(nonzero_of(law));
    const bool loud =
        std::bernoulli_distribution(static_cast<double>(quiet->high_side) / kTwo64)(random);
    signs.resize(quiet->num_signs);
    int score;
    do {
      score = 0;
      for (int& sign : signs) score += sign = speaks(random) ? (random() & 1U ? 1 : -1) : 0;
    } while ((score > static_cast<int>(quiet->tau)) != loud);
    return;
  }
  const auto& threshold = std::get<ThresholdLaw>(law);
  const bool low =
      std::bernoulli_distribution(static_cast<double>(threshold.low_side) / kTwo64)(random);
  signs.resize(threshold.num_signs);
  std::uint32_t minus;
  do {
    minus = 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (i % 64 == 0) bits = random();
      signs[i] = bits & 1U ? -1 : 1;
      minus += bits & 1U;
      bits >>= 1U;
    }
  } while ((minus <= threshold.tau) != low);
}

// `silent` is the probability that a report is lost.
inline Sums draw_sums(const Plan& plan, const Population& population, Random& random,
                      double silent = 0) {
  Sums sums(plan);
  std::vector<double> weights;
  for (const View& view : plan.views) weights.push_back(static_cast<double>(view.weight));
  std::discrete_distribution<std::uint32_t> draw_view(weights.begin(), weights.end());
  std::bernoulli_distribution lost(silent);
  std::vector<std::vector<std::int64_t>> non_zeros;  // reports of a non-zero, lost or not
  for (const View& view : plan.views) non_zeros.emplace_back(view.num_indices(plan.num_periods));
  std::vector<int> signs;

  for (const Device& device : population) {
    const std::uint32_t v = draw_view(random);
    const View& view = plan.views[v];
    const Schedule schedule(view, plan.num_periods);
    const std::uint32_t last = view.num_indices(plan.num_periods);
    const std::uint32_t stride = schedule.stride;
    const std::uint32_t drawn =
        view.kind == ViewKind::kSnapshot ? draw_period(1, stride, random) : 0;
    sums.enrol(v, device.joined, drawn);
    draw_signs(view.law, random, signs);
    std::size_t used = 0;
    const auto report = [&](std::uint32_t index, int input) {
      ++non_zeros[v][index - 1];
      const int sign = used < signs.size() ? input * signs[used++] : (random() & 1U ? 1 : -1);
      if (!lost(random)) sums.add(v, index, {sign, 1, sign == 0 ? 0U : 1U});
    };
    if (view.kind == ViewKind::kChanges) {
      int net = 0, sign = 1;
      for (std::size_t i = 0; i < device.changes.size(); ++i, sign = -sign) {
        const std::uint32_t index = ((device.changes[i] - 1) >> view.order) + 1;
        net += sign;
        const bool more =
            i + 1 < device.changes.size() && (device.changes[i + 1] - 1) >> view.order == index - 1;
        if (more) continue;
        if (net != 0 && index <= last) report(index, net);
        net = 0;
      }
      continue;
    }
    for (std::uint32_t index = std::max(drawn, 1U); index <= last; index += stride) {
      const Period due = index << view.order;
      if (due >= device.joined) report(index, device.value(due) ? 1 : -1);
    }
  }
  // All others who are enrolled by then report a fair coin.
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    if (plan.views[v].kind != ViewKind::kChanges) continue;
    const std::vector<std::uint64_t> expected = sums.expected_reports(v);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      auto zeros = static_cast<std::int64_t>(expected[index - 1]) - non_zeros[v][index - 1];
      if (silent > 0) zeros -= std::binomial_distribution<std::int64_t>(zeros, silent)(random);
      const double nonzero = nonzero_of(plan.views[v].law);
      const auto spoken = std::binomial_distribution<std::int64_t>(zeros, nonzero)(random);
      const auto plus = std::binomial_distribution<std::int64_t>(spoken, 0.5)(random);
      sums.add(v, index,
               {2 * plus - spoken, static_cast<std::uint64_t>(zeros),
                static_cast<std::uint64_t>(spoken)});
    }
  }
  return sums;
}

// This is what many trials on one population add up to.
struct Trials {
  double rmse = 0;
  double predicted_rmse = 0;
  double worst_bias = 0;    // over periods: the mean error, in its predicted standard errors
  double coverage = 0;      // of pointwise 95% bands, over periods and trials
  double simultaneous = 0;  // of simultaneous 95% bands, over trials
};

// Returns one result for each of the kinds, on the same reports.
inline std::vector<Trials> run_trials(const Plan& plan, const Population& population,
                                      const std::vector<EstimatorKind>& kinds, int trials,
                                      std::uint64_t seed, double silent = 0) {
  Random random(seed);
  const Period d = plan.num_periods;
  const std::vector<double> truth = true_counts(population, d);
  const std::vector<std::vector<double>> zeros(kinds.size(), std::vector<double>(d));
  std::vector<std::vector<double>> errors = zeros, variances = zeros;
  std::vector<Trials> results(kinds.size());
  for (int trial = 0; trial < trials; ++trial) {
    const Sums sums = draw_sums(plan, population, random, silent);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const std::vector<PeriodEstimate> estimates = estimate(plan, sums, kinds[i], d);
      const std::vector<Band> bands = pointwise_bands(estimates, 0.95);
      const std::vector<Band> all = simultaneous_bands(estimates, 0.95);
      bool all_inside = true;
      for (Period t = 0; t < d; ++t) {
        const double error = estimates[t].estimate - truth[t];
        errors[i][t] += error;
        variances[i][t] += estimates[t].stddev * estimates[t].stddev;
        results[i].rmse += error * error;
        results[i].coverage += bands[t].lower <= truth[t] && truth[t] <= bands[t].upper;
        all_inside = all_inside && all[t].lower <= truth[t] && truth[t] <= all[t].upper;
      }
      results[i].simultaneous += all_inside;
    }
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Trials& result = results[i];
    for (Period t = 0; t < d; ++t) {
      const double bias = std::abs(errors[i][t]) / std::sqrt(variances[i][t]);
      result.worst_bias = std::max(result.worst_bias, bias);
      result.predicted_rmse += variances[i][t];
    }
    const double all = static_cast<double>(d) * trials;
    result.rmse = std::sqrt(result.rmse / all);
    result.predicted_rmse = std::sqrt(result.predicted_rmse / all);
    result.coverage /= all;
    result.simultaneous /= trials;
  }
  return results;
}

}  // namespace futurerand
