// These test what codings promise, on real devices: counts of labels and shares below thresholds
// are unbiased, errors follow the formulas, and bands hold, also while devices join late, leave and
// stop reporting. The seeds are fixed.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/device/run_device.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/simulator/populations/philox.hpp"

namespace futurerand {
namespace {

constexpr Period kLabelPeriods = 32;
constexpr std::uint32_t kLabelChanges = 2;
constexpr std::uint64_t kLabelDevices = 600;
const SimulationKey kLabelKey = SimulationKey::from_seed(29);

Coding labels(std::size_t count) {
  CategoryCoding settings;
  for (std::size_t i = 0; i < count; ++i) settings.labels.push_back(std::to_string(i));
  return *Coding::create(settings);
}

Coding buckets(std::uint32_t count) { return *Coding::create(DistributionCoding{0, 1, "", count}); }

// A person: the codes that it holds, and when its device takes part.
struct Person {
  std::vector<std::uint32_t> codes;  // element t-1 is period t
  Period joined = 1;
  Period next = kLabelPeriods + 1;  // the first missing period
};

std::vector<Person> draw_people(const Coding& coding, std::size_t values, bool come_and_go) {
  std::vector<Person> people;
  for (std::uint64_t user = 0; user < kLabelDevices; ++user) {
    PhiloxSource random(kLabelKey, Stream::kPopulation, coding.num_codes(), user);
    const auto below = [&](double limit) {
      return static_cast<std::uint32_t>(limit * random.uniform());
    };
    // Small codes are more frequent.
    const auto code = [&] { return below(static_cast<double>(values) * random.uniform()); };
    Person person;
    person.codes.assign(kLabelPeriods, code());
    for (std::uint32_t change = 0; change < kLabelChanges; ++change) {
      const std::uint32_t other = code();
      for (Period t = below(kLabelPeriods); t < kLabelPeriods; ++t) person.codes[t] = other;
    }
    // Changes may overlap: the later one wins, so there are at most kLabelChanges.
    if (come_and_go && user % 2 == 0) person.joined = 1 + below(kLabelPeriods / 2);
    if (come_and_go && user % 3 == 0) person.next = person.joined + 1 + below(kLabelPeriods / 2);
    people.push_back(person);
  }
  return people;
}

struct Accuracy {
  double rmse = 0;         // over all rows and trials
  double mean_square = 0;  // of the standard deviations that answers state
  double coverage = 0;     // of 95% bands
  double worst_bias = 0;   // of a row, in its standard errors
};

Accuracy accuracy_of(const Coding& coding, std::size_t values, bool come_and_go,
                     const Question& question, bool is_cumulative = false) {
  constexpr int kTrials = 80;
  const Plan terms = *make_plan(Protocol::kInnovation, kLabelPeriods, kLabelChanges,
                                *Epsilon::parse("1"), Initial::kUnknown, coding);
  const CertifiedPlan plan = *CertifiedPlan::create(terms);
  const std::vector<Person> people = draw_people(coding, values, come_and_go);
  std::vector<double> sum, square;
  Accuracy accuracy;
  for (int trial = 0; trial < kTrials; ++trial) {
    Sums sums(terms);
    Presence presence = *empty_presence(terms, false);
    for (std::uint64_t user = 0; user < kLabelDevices; ++user) {
      const Person& person = people[user];
      PhiloxSource source(kLabelKey, Stream::kDevice, static_cast<std::uint64_t>(trial), user);
      const CodingRow row =
          row_from_bits(coding, static_cast<std::uint64_t>(source.uniform() * 0x1p63) << 1);
      std::vector<ValueFrom> held;
      for (Period t = person.joined; t <= kLabelPeriods; ++t) {
        held.push_back({t, Coding::state(row, person.codes[t - 1])});
      }
      Device device = *Device::join(plan, person.joined, source);
      sums.enrol(0, person.joined, 0);
      std::vector<std::uint64_t> minus(1);
      const auto add = [&](const SignRun& run) {
        for (std::uint32_t i = 0; i < run.count; ++i) {
          const Period t = run.first_index + i;
          if (t >= person.next) continue;
          sums.add(0, t, static_cast<int>(run.at(i)), 1);
          if (run.at(i) == Sign::kMinus) minus[0] |= std::uint64_t{1} << (t - 1);
        }
      };
      EXPECT_TRUE(run_device(device, held, source, add));
      const Transcript all{.joined = person.joined,
                           .next = person.next,
                           .minus = minus.data(),
                           .zero = nullptr,
                           .row = row};
      presence.change(all.before(person.joined), all);
    }
    const std::vector<AnswerRow> rows =
        answer(terms, {sums, &presence, kLabelPeriods + 3}, question)->rows;
    sum.resize(rows.size());
    square.resize(rows.size());
    const std::size_t figures = rows.size() / kLabelPeriods;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Period t = rows[i].period;
      const std::size_t code = i % figures;
      double truth = 0;
      for (const Person& person : people) {
        if (person.joined > t || person.next <= t) continue;
        const std::uint32_t own = person.codes[t - 1];
        truth += (is_cumulative ? own < code : own == code) ? 1 : 0;
      }
      const double error = rows[i].estimate - truth;
      if (is_cumulative && (code == 0 || code + 1 == figures)) continue;  // known
      sum[i] += error;
      square[i] += error * error;
      accuracy.rmse += error * error;
      accuracy.mean_square += rows[i].stddev * rows[i].stddev;
      accuracy.coverage += rows[i].band.lower <= truth && truth <= rows[i].band.upper ? 1 : 0;
    }
  }
  double counted = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (square[i] == 0) continue;
    ++counted;
    accuracy.worst_bias = std::max(accuracy.worst_bias, std::abs(sum[i]) / std::sqrt(square[i]));
  }
  accuracy.rmse = std::sqrt(accuracy.rmse / (counted * kTrials));
  accuracy.mean_square /= counted * kTrials;
  accuracy.coverage /= counted * kTrials;
  return accuracy;
}

double yes_no_error() {
  return predict_error(*make_plan(Protocol::kInnovation, kLabelPeriods, kLabelChanges,
                                  *Epsilon::parse("1"), Initial::kUnknown),
                       kLabelDevices)
      .rmse;
}

void expect_good(const Accuracy& accuracy, double factor, const std::string& name) {
  SCOPED_TRACE(name);
  if (factor > 0) {
    // With known chances of rows, sampling them adds a little (variance_factor.hpp).
    const double sampled = kLabelDevices / (4 * yes_no_error() * yes_no_error());
    EXPECT_NEAR(accuracy.rmse / (factor * yes_no_error()), std::sqrt(1 + sampled / 2), 0.03);
  }
  EXPECT_NEAR(accuracy.rmse / std::sqrt(accuracy.mean_square), 1, 0.03);
  EXPECT_NEAR(accuracy.coverage, 0.95, 0.01);
  EXPECT_LT(accuracy.worst_bias, 4.8);
}

TEST(LabelStatistics, ErrorsFollowTheFormulasAndBandsHold) {
  for (const std::size_t count : {2U, 5U, 64U}) {
    const Coding coding = labels(count);
    const double codes = coding.num_codes();
    expect_good(accuracy_of(coding, count, false, {}), 2 * (codes - 1) / codes,
                std::to_string(count) + " labels");
  }
}

TEST(LabelStatistics, DevicesMayJoinLateAndLeave) {
  expect_good(accuracy_of(labels(5), 5, true, {}), 0, "5 labels");
}

TEST(LabelStatistics, SharesBelowThresholdsToo) {
  Question question;
  question.values.rows = ValueRows::kCumulative;
  question.values.unbiased = true;
  expect_good(accuracy_of(buckets(16), 16, false, question, true),
              std::sqrt(mean_cumulative_factor(4)), "16 buckets");
}

}  // namespace
}  // namespace futurerand
