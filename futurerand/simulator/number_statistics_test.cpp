// These test what `innovation` promises for numbers, on simulated devices: the sum is unbiased at
// every period, errors are as predicted, and bands hold. The seeds are fixed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/device/run_device.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/simulator/populations/philox.hpp"

namespace futurerand {
namespace {

constexpr Period kNumberPeriods = 48;
constexpr std::uint32_t kChanges = 2;
constexpr double kFull = Coding::kFullScale;
const SimulationKey kKey = SimulationKey::from_seed(12);

using Path = std::vector<double>;  // one value for each period

// Each path has a total variation of at most kChanges after its first period.
Path drifting(PhiloxSource& random) {
  Path path = {random.uniform()};
  const double step = 1.0 / kNumberPeriods;
  while (path.size() < kNumberPeriods) {
    path.push_back(std::clamp(path.back() + step * (2 * random.uniform() - 0.7), 0.0, 1.0));
  }
  return path;
}

Path jumping(PhiloxSource& random) {
  Path path(kNumberPeriods, random.uniform());
  for (std::uint32_t jump = 0; jump < kChanges; ++jump) {
    const auto at = static_cast<std::size_t>(kNumberPeriods * random.uniform());
    std::fill(path.begin() + static_cast<std::ptrdiff_t>(at), path.end(), random.uniform());
  }
  return path;
}

// From one end of the range to the other and back, at full speed.
Path saturated(PhiloxSource& random) {
  const double first = random.uniform() < 0.5 ? 0 : 1;
  const auto at = static_cast<std::size_t>((kNumberPeriods - 8) * random.uniform());
  Path path(kNumberPeriods, first);
  for (std::size_t t = at; t < at + 5; ++t) path[t] = 1 - first;
  return path;
}

Path jittering(PhiloxSource& random) {
  const double middle = 0.1 + 0.8 * random.uniform();
  const double width = static_cast<double>(kChanges) / kNumberPeriods / 2;
  Path path;
  for (Period t = 0; t < kNumberPeriods; ++t)
    path.push_back(middle + (t % 2 == 0 ? width : -width));
  return path;
}

void expect_as_predicted(const std::string& name, const std::function<Path(PhiloxSource&)>& draw,
                         Initial initial) {
  constexpr int kTrials = 100;
  constexpr std::uint64_t kDevices = 500;
  const Plan terms =
      *make_plan(Protocol::kInnovation, kNumberPeriods, kChanges, *Epsilon::parse("1"), initial,
                 *Coding::create(NumberCoding{0, 1, ""}));
  const CertifiedPlan plan = *CertifiedPlan::create(terms);
  std::vector<std::vector<ValueFrom>> people;
  std::vector<double> truth(kNumberPeriods);
  for (std::uint64_t user = 0; user < kDevices; ++user) {
    PhiloxSource random(kKey, Stream::kPopulation, 0, user);
    Path path = draw(random);
    // If everybody starts at 0, the first step counts too.
    if (initial == Initial::kZero) path[0] = 0;
    std::vector<ValueFrom>& values = people.emplace_back();
    for (Period t = 1; t <= kNumberPeriods; ++t) {
      const auto held = static_cast<std::uint32_t>(std::lround(kFull * path[t - 1]));
      values.push_back({t, held});
      truth[t - 1] += held / kFull;
    }
  }
  std::vector<double> sum(kNumberPeriods), square(kNumberPeriods);
  double coverage = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Sums sums(terms);
    for (std::uint64_t user = 0; user < kDevices; ++user) {
      PhiloxSource source(kKey, Stream::kDevice, static_cast<std::uint64_t>(trial), user);
      Device device = *Device::join(plan, 1, source);
      sums.enrol(0, 1, 0);
      const auto add = [&](const SignRun& run) {
        for (std::uint32_t i = 0; i < run.count; ++i) {
          sums.add(0, run.first_index + i, static_cast<int>(run.at(i)), 1);
        }
      };
      ASSERT_TRUE(run_device(device, people[user], source, add));
    }
    const auto estimates = estimate(terms, sums, EstimatorKind::kOnline, kNumberPeriods);
    const auto bands = pointwise_bands(estimates, 0.95);
    for (Period t = 0; t < kNumberPeriods; ++t) {
      const double error = estimates[t].estimate - truth[t];
      sum[t] += error;
      square[t] += error * error;
      coverage += bands[t].lower <= truth[t] && truth[t] <= bands[t].upper ? 1 : 0;
    }
  }
  double all = 0, worst_bias = 0;
  for (Period t = 0; t < kNumberPeriods; ++t) {
    all += square[t];
    worst_bias = std::max(worst_bias, std::abs(sum[t]) / std::sqrt(square[t]));
  }
  const double rmse = std::sqrt(all / (kNumberPeriods * kTrials));
  const double predicted = predict_error(terms, kDevices).rmse;
  // Over 100 trials of 48 correlated periods the error is known to about two percent.
  EXPECT_NEAR(rmse / predicted, 1, 0.06) << name;
  EXPECT_NEAR(coverage / (kNumberPeriods * kTrials), 0.95, 0.015) << name;
  EXPECT_LT(worst_bias, 4.5) << name;
}

TEST(NumberStatistics, ErrorsAreAsPredictedAndBandsHold) {
  expect_as_predicted("drift", drifting, Initial::kUnknown);
  expect_as_predicted("jumps", jumping, Initial::kUnknown);
  expect_as_predicted("saturated", saturated, Initial::kUnknown);
  expect_as_predicted("jitter", jittering, Initial::kUnknown);
}

TEST(NumberStatistics, FromZeroToo) { expect_as_predicted("drift", drifting, Initial::kZero); }

}  // namespace
}  // namespace futurerand
