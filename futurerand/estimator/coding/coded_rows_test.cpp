// Answers about values against their definition: every device that is active is counted by its own
// reports, through the question of its row.
#include "futurerand/estimator/coding/coded_rows.hpp"

#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::some_devices;
using test::TestBits;
using test::TestDevice;

constexpr Period kPeriods = 12;

Plan coded_plan(const Coding& coding) {
  return *make_plan(Protocol::kInnovation, kPeriods, 2, *Epsilon::parse("2"), Initial::kUnknown,
                    coding);
}

Coding category(std::size_t labels) {
  CategoryCoding settings;
  for (std::size_t i = 0; i < labels; ++i) settings.labels.push_back("label " + std::to_string(i));
  return *Coding::create(settings);
}

Coding distribution() {
  return *Coding::create(DistributionCoding{.low = 10, .high = 50, .unit = "ms", .buckets = 8});
}

struct RowDevice {
  TestDevice device;
  std::uint32_t row;
};

struct CodedFleet {
  explicit CodedFleet(const Coding& coding, std::size_t size = 300)
      : plan(coded_plan(coding)), sums(plan), presence(*empty_presence(plan, false)) {
    std::mt19937_64 random(5);
    for (const TestDevice& device : some_devices(plan, size, random)) {
      devices.push_back({device, row_from_bits(coding, random())});
    }
    for (const RowDevice& at : devices) {
      sums.enrol(0, at.device.joined, 0);
      for (Period t = at.device.joined; t < at.device.next; ++t) {
        sums.add(0, t, one_report(static_cast<Sign>(at.device.signs[t - 1])));
      }
      const TestBits bits(at.device, false);
      Transcript transcript = bits.transcript;
      transcript.row = at.row;
      presence.change(transcript.before(at.device.joined), transcript);
    }
  }

  Result<Answer> ask(const Question& question) const {
    return answer(plan, {sums, &presence, kPeriods + 1}, question);
  }
  std::vector<AnswerRow> rows(const Question& question) const { return ask(question)->rows; }

  Plan plan;
  Sums sums;
  Presence presence;
  std::vector<RowDevice> devices;
};

// 2 psi - 1 of one device: y_t = 2 s_t / kappa + sum over j of phi_j y_(t-j).
double own_sign(const Plan& plan, const TestDevice& device, Period t) {
  const std::vector<double> gaps = [&] {
    std::vector<double> all;
    for (const auto gap : std::get<WeightedThresholdLaw>(plan.views[0].law).filter_gaps()) {
      all.push_back(static_cast<double>(gap) / 0x1p40);
    }
    return all;
  }();
  const double kappa = gaps.front() + gaps.back();
  std::vector<double> y(t + 1);
  for (Period s = device.joined; s <= t; ++s) {
    y[s] = 2 * device.signs[s - 1] / kappa;
    for (std::size_t j = 1; j < gaps.size() && j < s; ++j) {
      y[s] += (gaps[j - 1] - gaps[j]) / kappa * y[s - j];
    }
  }
  return y[t];
}

double sign_of(std::uint32_t row, std::uint32_t code) {
  return std::popcount(row & code) % 2 == 0 ? 1 : -1;
}

struct Count {
  double value = 0;
  double devices = 0;
};

// By the definition. The state of a device is 1 if row and code have an odd number of common bits.
// So the sign of its question is that of 1 - 2 state.
Count count_by_definition(const CodedFleet& fleet, std::uint32_t code, Period t, Period gone) {
  const Coding& coding = fleet.plan.coding;
  Count count;
  double by_rows = 0;
  for (const RowDevice& at : fleet.devices) {
    const TestDevice& device = at.device;
    if (device.joined > t || device.next == device.joined) continue;
    const bool reported = device.next > t;
    if (!reported && device.next + gone <= kPeriods + 1) continue;
    ++count.devices;
    by_rows += inverse_chance(coding, at.row) * sign_of(at.row, code) *
               -own_sign(fleet.plan, device, reported ? t : device.next - 1);
  }
  count.value = (count.devices + by_rows) / coding.num_codes();
  return count;
}

TEST(CodedRows, CountEachLabelByTheDefinition) {
  for (const std::size_t labels : {2U, 3U, 8U, 37U}) {
    const CodedFleet fleet(category(labels));
    const std::vector<AnswerRow> rows = fleet.rows({});
    ASSERT_EQ(rows.size(), labels * kPeriods);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto code = static_cast<std::uint32_t>(i % labels);
      const Count count = count_by_definition(fleet, code, rows[i].period, kDefaultInactiveAfter);
      EXPECT_EQ(rows[i].period, i / labels + 1);
      EXPECT_EQ(rows[i].label, "label " + std::to_string(code));
      EXPECT_NEAR(rows[i].estimate, count.value, 1e-4);
      EXPECT_EQ(static_cast<double>(rows[i].devices), count.devices);
    }
    Question one;
    one.values.label = "label 1";
    const std::vector<AnswerRow> only = fleet.rows(one);
    ASSERT_EQ(only.size(), kPeriods);
    for (std::size_t t = 0; t < only.size(); ++t) {
      EXPECT_NEAR(only[t].estimate, rows[t * labels + 1].estimate, 1e-6);
      EXPECT_NEAR(only[t].stddev, rows[t * labels + 1].stddev, 1e-9);
    }
  }
}

TEST(CodedRows, AWindowIsTheMeanOfItsPeriods) {
  const CodedFleet fleet(category(5));
  Question question;
  question.window = 4;
  question.from = 3;
  const std::vector<AnswerRow> rows = fleet.rows(question);
  ASSERT_EQ(rows.size(), 5U * (kPeriods - 2));
  for (const AnswerRow& row : rows) {
    const auto code = static_cast<std::uint32_t>(row.label.back() - '0');
    double value = 0, devices = 0;
    for (Period t = row.period < 4 ? 1 : row.period - 3; t <= row.period; ++t) {
      const Count count = count_by_definition(fleet, code, t, kDefaultInactiveAfter);
      value += count.value;
      devices += count.devices;
    }
    EXPECT_NEAR(row.share(), value / devices, 1e-6);
  }
}

TEST(CodedRows, CumulativeCountsAndMeansAddUpBuckets) {
  const CodedFleet fleet(distribution());
  Question buckets, below;
  buckets.values.rows = ValueRows::kByLabel;
  below.values.rows = ValueRows::kCumulative;
  below.values.unbiased = true;
  const std::vector<AnswerRow> histogram = fleet.rows(buckets), curve = fleet.rows(below);
  const std::vector<AnswerRow> means = fleet.rows({});
  ASSERT_EQ(histogram.size(), 8U * kPeriods);
  ASSERT_EQ(curve.size(), 9U * kPeriods);
  ASSERT_EQ(means.size(), kPeriods);
  EXPECT_EQ(histogram[1].label, "15 to 20");
  EXPECT_EQ(curve[1].label, "below 15");
  for (Period t = 1; t <= kPeriods; ++t) {
    double sum = 0, middles = 0;
    for (std::uint32_t bucket = 0; bucket < 8; ++bucket) {
      const AnswerRow& row = histogram[8 * (t - 1) + bucket];
      const Count count = count_by_definition(fleet, bucket, t, kDefaultInactiveAfter);
      EXPECT_NEAR(row.estimate, count.value, 1e-4);
      EXPECT_NEAR(curve[9 * (t - 1) + bucket].estimate, sum, 1e-4);
      sum += count.value;
      middles += count.value * (bucket + 0.5) / 8;
    }
    EXPECT_NEAR(means[t - 1].estimate, middles, 1e-4);
  }
  EXPECT_EQ(fleet.ask({})->scale, (NumberScale{10, 50, "ms"}));
  below.values.unbiased = false;
  const std::vector<AnswerRow> rising = fleet.rows(below);
  for (std::size_t i = 1; i < rising.size(); ++i) {
    if (i % 9 != 0) {
      EXPECT_GE(rising[i].estimate, rising[i - 1].estimate);
    }
  }
}

TEST(CodedRows, QuantilesLieInTheRange) {
  const CodedFleet fleet(distribution());
  Question question;
  question.values.rows = ValueRows::kQuantiles;
  question.values.quantiles = {0.1, 0.5};
  const Answer found = *fleet.ask(question);
  EXPECT_TRUE(found.has_quantiles && found.has_labels);
  ASSERT_EQ(found.rows.size(), 2U * kPeriods);
  EXPECT_EQ(found.rows[0].label, "p10");
  for (const AnswerRow& row : found.rows) {
    EXPECT_GE(row.quantile->value, row.quantile->band.lower);
    EXPECT_LE(row.quantile->value, row.quantile->band.upper);
    EXPECT_GE(row.quantile->band.lower, 10);
    EXPECT_LE(row.quantile->band.upper, 50);
  }
}

TEST(CodedRows, ThereAreNoneBeforeTheFirstPeriodIsOver) {
  const CodedFleet fleet(category(3));
  for (const ValueRows rows : {ValueRows::kDefault, ValueRows::kByLabel, ValueRows::kTop}) {
    Question question;
    question.values.rows = rows;
    const Result<Answer> found = answer(fleet.plan, {fleet.sums, &fleet.presence, 1}, question);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->rows.empty());
  }
}

TEST(CodedRows, RefuseWhatTheyDoNotHave) {
  const CodedFleet labels(category(3)), numbers(distribution());
  const auto message = [](const CodedFleet& fleet, const auto& change) {
    Question question;
    change(question);
    const Result<Answer> found = fleet.ask(question);
    return found ? "" : found.error().message;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(message(labels, [](Question& q) { q.values.label = "none"; }), "no such label"));
  EXPECT_TRUE(has(message(labels, [](Question& q) { q.values.rows = ValueRows::kQuantiles; }),
                  "for distributions"));
  EXPECT_TRUE(
      has(message(numbers, [](Question& q) { q.values.rows = ValueRows::kTop; }), "for labels"));
  EXPECT_TRUE(has(message(numbers, [](Question& q) { q.values.label = "10 to 15"; }), "quantile"));
  EXPECT_TRUE(has(message(numbers,
                          [](Question& q) {
                            q.values.rows = ValueRows::kQuantiles;
                            q.values.quantiles = {1};
                          }),
                  "between 0 and 1"));
  EXPECT_TRUE(has(message(labels, [](Question& q) { q.window = 13; }), "1 to 12"));
  EXPECT_TRUE(
      has(message(labels, [](Question& q) { q.estimator = EstimatorKind::kTrend; }), "online"));
  EXPECT_TRUE(
      has(message(labels, [](Question& q) { q.estimand = Estimand::kEnrolled; }), "active"));
  const CodedFleet many(category(20'000), 10);
  EXPECT_TRUE(has(message(many, [](Question&) {}), "at most 100000"));
  EXPECT_EQ(message(many, [](Question& q) { q.values.label = "label 7"; }), "");
}

}  // namespace
}  // namespace futurerand
