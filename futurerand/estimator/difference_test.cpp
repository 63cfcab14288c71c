#include "futurerand/estimator/difference.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/estimator/count_noise.hpp"
#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::folded;
using test::innovation_plan;
using test::psi_by_definition;
using test::some_devices;
using test::sparse_plan;
using test::TestDevice;
using test::TestFold;

bool is_in(const PeriodSpan& stretch, Period t) { return t >= stretch.first && t <= stretch.last; }

// From the definition, device by device: the means over both stretches, and the variance of the
// change of the share. A device's report for s has the weight w(t - s) in its estimate of t.
struct Definition {
  double before = 0, after = 0, devices_before = 0, devices_after = 0;
  double share_variance = 0, count_variance = 0;
};

Definition by_definition(const Plan& plan, const std::vector<TestDevice>& devices,
                         const DifferenceQuestion& question, const DeviceEstimate& estimate) {
  Definition found;
  for (const TestDevice& device : devices) {
    for (Period t = device.joined; t < device.next; ++t) {
      if (is_in(question.before, t)) {
        found.before += psi_by_definition(plan, device, t) / question.before.length();
        found.devices_before += 1 / question.before.length();
      }
      if (is_in(question.after, t)) {
        found.after += psi_by_definition(plan, device, t) / question.after.length();
        found.devices_after += 1 / question.after.length();
      }
    }
  }
  for (const TestDevice& device : devices) {
    for (Period s = device.joined; s < device.next; ++s) {
      double before = 0, after = 0;
      for (Period t = s; t < device.next; ++t) {
        const double weight = estimate.weights()[t - s];
        if (is_in(question.before, t)) before += weight / question.before.length();
        if (is_in(question.after, t)) after += weight / question.after.length();
      }
      found.count_variance += std::pow(after - before, 2);
      found.share_variance +=
          std::pow(after / found.devices_after - before / found.devices_before, 2);
    }
  }
  return found;
}

void expect_definition(const Plan& plan, const std::vector<TestDevice>& devices, double room) {
  const TestFold fold = folded(plan, devices);
  const Period current = plan.num_periods + 3;
  for (const auto& [before, after] : {std::pair(PeriodSpan{3, 9}, PeriodSpan{10, 16}),
                                      std::pair(PeriodSpan{1, 1}, PeriodSpan{2, 2}),
                                      std::pair(PeriodSpan{5, 20}, PeriodSpan{30, 33}),
                                      std::pair(PeriodSpan{2, 4}, PeriodSpan{12, 36})}) {
    const DifferenceQuestion question{before, after, 2};
    const Result<Difference> found =
        difference(plan, {fold.sums, &fold.presence, current}, question);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->rows.size(), 1u);
    const ChangeRow& row = found->rows.front();
    const Definition expected = by_definition(plan, devices, question, fold.presence.estimate());
    EXPECT_NEAR(row.before.count.value, expected.before, 1e-5);
    EXPECT_NEAR(row.after.count.value, expected.after, 1e-5);
    EXPECT_NEAR(row.before.devices, expected.devices_before, 1e-9);
    EXPECT_NEAR(row.before.share.value, expected.before / expected.devices_before, 1e-6);
    EXPECT_NEAR(row.share.value,
                expected.after / expected.devices_after - expected.before / expected.devices_before,
                1e-6);
    EXPECT_NEAR(std::pow(row.count.stddev, 2) / expected.count_variance, 1, room);
    EXPECT_NEAR(std::pow(row.share.stddev, 2) / expected.share_variance, 1, room);
    // Neighbouring stretches share reports. Without the covariance the band would be wrong.
    if (after.first == before.last + 1) {
      EXPECT_LT(row.share.stddev,
                0.9 * std::hypot(row.before.share.stddev, row.after.share.stddev));
    }
  }
}

std::vector<TestDevice> staying(const Plan& plan, std::mt19937_64& random) {
  std::vector<TestDevice> devices = some_devices(plan, 400, random);
  for (TestDevice& device : devices) {
    for (Period t = std::max(device.next, device.joined); t <= plan.num_periods; ++t) {
      device.signs[t - 1] = random() % 2 == 0 ? 1 : -1;
    }
    device.next = plan.num_periods + 1;
  }
  return devices;
}

TEST(Difference, IsTheDefinitionWhereNobodyLeaves) {
  std::mt19937_64 random(32);
  const Plan plan = innovation_plan(40);
  expect_definition(plan, staying(plan, random), 1e-6);
}

// Devices leave at any age with the same probability, so a few of them differ only by chance.
TEST(Difference, IsTheDefinitionWhereDevicesLeaveAtAnyAge) {
  std::mt19937_64 random(33);
  const Plan plan = innovation_plan(40);
  std::vector<TestDevice> devices = staying(plan, random);
  for (int more = 0; more < 19; ++more) {
    for (const TestDevice& device : staying(plan, random)) devices.push_back(device);
  }
  for (TestDevice& device : devices) {
    device.next = device.joined;
    while (device.next <= plan.num_periods && random() % 20 != 0) ++device.next;
  }
  expect_definition(plan, devices, 0.05);
}

TEST(Difference, CountsZeroSymbolsLess) {
  std::mt19937_64 random(34);
  const Plan plan = sparse_plan(40);
  const std::vector<TestDevice> devices = some_devices(plan, 400, random);
  const TestFold fold = folded(plan, devices);
  const DifferenceQuestion question{{3, 9}, {20, 26}, 2};
  const Difference found = *difference(plan, {fold.sums, &fold.presence, 43}, question);
  const Definition all = by_definition(plan, devices, question, fold.presence.estimate());
  const double ratio = std::pow(found.rows.front().share.stddev, 2) / all.share_variance;
  EXPECT_GT(ratio, 0.05);
  EXPECT_LT(ratio, 0.5);  // seven of eight symbols are zero
}

// The noise of one period is the noise that its estimate states.
TEST(CountNoise, HasTheVarianceOfEachPeriod) {
  std::mt19937_64 random(35);
  for (const Plan& plan : {innovation_plan(40), sparse_plan(40)}) {
    const TestFold fold = folded(plan, some_devices(plan, 300, random));
    const auto counts = active_counts(fold.sums, fold.presence, {41, 3}, 40);
    const CountNoise noise(period_noise(counts, fold.sums, fold.presence.estimate()),
                           fold.presence.estimate().weights());
    for (std::size_t t = 0; t < counts.size(); ++t) {
      std::vector<double> coefficients(t + 1);
      coefficients[t] = 2;
      EXPECT_NEAR(noise.variance(coefficients), 4 * counts[t].variance,
                  1e-9 * (1 + counts[t].variance));
    }
  }
}

TEST(Difference, RefusesWhatItCannotCompare) {
  std::mt19937_64 random(36);
  const Plan plan = innovation_plan(40);
  const TestFold fold = folded(plan, some_devices(plan, 50, random));
  const auto error = [&](const DifferenceQuestion& question, const Presence* presence) {
    const auto found = difference(plan, {fold.sums, presence, 20}, question);
    return found ? std::string() : found.error().message;
  };
  const Presence* const known = &fold.presence;
  EXPECT_EQ(error({{1, 7}, {8, 19}}, known), "");
  EXPECT_EQ(error({{1, 7}, {8, 20}}, known),
            "after is 8..20; expected periods that are over, 1 to 19");
  EXPECT_EQ(error({{1, 7}, {7, 14}}, known),
            "after is 7..14; expected to begin after period 7, the end of before");
  EXPECT_EQ(error({{8, 14}, {1, 7}}, known),
            "after is 1..7; expected to begin after period 14, the end of before");
  EXPECT_NE(error({{1, 7}, {8, 14}}, nullptr).find("active devices"), std::string::npos);
  EXPECT_NE(error({{1, 7}, {8, 14}, 3, 1.5}, known).find("probability"), std::string::npos);
  DifferenceQuestion labelled{{1, 7}, {8, 14}};
  labelled.values.label = "x";
  EXPECT_NE(error(labelled, known).find("no label"), std::string::npos);
}

TEST(Difference, IsUnknownWithoutDevices) {
  const Plan plan = innovation_plan(40);
  const TestFold fold = folded(plan, {});
  const Difference found = *difference(plan, {fold.sums, &fold.presence, 20}, {{1, 7}, {8, 14}});
  EXPECT_TRUE(std::isnan(found.rows.front().share.value));
  EXPECT_FALSE(found.rows.front().is_clear());
  EXPECT_FALSE(found.note.empty());
}

TEST(Difference, ReadsStretches) {
  EXPECT_EQ(*parse_period_span("8..14", "before"), (PeriodSpan{8, 14}));
  EXPECT_EQ(*parse_period_span("8", "before"), (PeriodSpan{8, 8}));
  for (const char* text : {"", "..", "8..", "..8", "9..8", "0..3", "1...3", "1..2x", "-1..2", "1-2",
                           "99999999999..2"}) {
    EXPECT_FALSE(parse_period_span(text, "before")) << text;
  }
}

// A quarter of a group's devices drew the metric. Shares are theirs, with the error of the
// sampling; counts are of all devices.
TEST(Difference, StandsForAllDevicesOfAGroup) {
  std::mt19937_64 random(4);
  const Plan plan = innovation_plan(36);
  const std::vector<TestDevice> devices = some_devices(plan, 400, random);
  const TestFold fold = folded(plan, devices);
  const DifferenceQuestion question{{3, 9}, {10, 16}, 2};
  const ChangeRow own = difference(plan, {fold.sums, &fold.presence, 40}, question)->rows.front();
  const Result<Difference> found =
      difference(plan, {fold.sums, &fold.presence, 40, 0.25}, question);
  ASSERT_TRUE(found);
  const ChangeRow& row = found->rows.front();
  EXPECT_DOUBLE_EQ(row.share.value, own.share.value);
  EXPECT_NEAR(row.count.value, 4 * own.count.value, 1e-9);
  EXPECT_NEAR(row.before.devices, 4 * own.before.devices, 1e-9);
  // Of N devices n were drawn: p (1 - p) / n less the part of all N, for both stretches.
  double sampling = 0;
  for (const StretchMean* mean : {&own.before, &own.after}) {
    const double p = std::clamp(mean->share.value, 0.0, 1.0);
    sampling += 0.75 * p * (1 - p) / mean->devices;
  }
  EXPECT_NEAR(std::pow(row.share.stddev, 2), std::pow(own.share.stddev, 2) + sampling,
              1e-3 * std::pow(row.share.stddev, 2));
  EXPECT_GT(row.count.stddev, 4 * own.count.stddev);
  EXPECT_NE(found->counted.find("group"), std::string::npos);
}

}  // namespace
}  // namespace futurerand
