// Errors of codings on real devices: counts of labels and shares below thresholds are unbiased,
// errors follow the formulas, and bands hold, even while devices join late, leave and stop
// reporting. The seeds are fixed.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/device/run_device.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/simulator/plan_protocol.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/simulator/simulation.hpp"

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

// A person: its codes over time, and its device's participation.
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
  double mean_square = 0;  // of the stated standard deviations
  double coverage = 0;     // of 95% bands
  double worst_bias = 0;   // of a row, in its standard errors
};

// How many people a row counts at its period: those with a code, or with a smaller one.
double true_count(const std::vector<Person>& people, Period t, std::size_t code,
                  bool is_cumulative) {
  double count = 0;
  for (const Person& person : people) {
    if (person.joined > t || person.next <= t) continue;
    const std::uint32_t own = person.codes[t - 1];
    count += (is_cumulative ? own < code : own == code) ? 1 : 0;
  }
  return count;
}

Accuracy accuracy_of(const Coding& coding, std::size_t values, bool come_and_go,
                     const Question& question, bool is_cumulative = false) {
  constexpr int kTrials = 80;
  const Plan terms = *make_plan(Protocol::kInnovation, kLabelPeriods, kLabelChanges,
                                *Epsilon::parse("1"), Initial::kUnknown, coding);
  const CertifiedPlan plan = *CertifiedPlan::create(terms);
  const std::vector<Person> people = draw_people(coding, values, come_and_go);
  std::vector<double> truths, sum, square;  // by row
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
    truths.resize(rows.size());
    sum.resize(rows.size());
    square.resize(rows.size());
    const std::size_t figures = rows.size() / kLabelPeriods;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Period t = rows[i].period;
      const std::size_t code = coding.kind() == CodingKind::kYesNo ? 1 : i % figures;
      if (trial == 0) {
        const Period first = t > question.window ? t + 1 - question.window : 1;
        for (Period at = first; at <= t; ++at) {
          truths[i] += true_count(people, at, code, is_cumulative) / (t + 1 - first);
        }
      }
      const double truth = truths[i];
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

// Errors of neighbouring periods go together, all the more in windows, so that 80 trials know less.
TEST(LabelStatistics, WindowsErrAsStatedAndTheirBandsHold) {
  struct Case {
    Coding coding;
    std::size_t values;
    bool come_and_go;
  };
  for (const Case& of : {Case{Coding(), 2, false},
                         {Coding(), 2, true},
                         {labels(5), 5, false},
                         {labels(5), 5, true},
                         {labels(64), 64, true}}) {
    for (const Period window : {4U, 16U}) {
      SCOPED_TRACE(std::to_string(of.values) + " values, window " + std::to_string(window) +
                   (of.come_and_go ? ", devices come and go" : ""));
      Question question;
      question.window = window;
      const Accuracy accuracy = accuracy_of(of.coding, of.values, of.come_and_go, question);
      EXPECT_NEAR(accuracy.rmse / std::sqrt(accuracy.mean_square), 1, 0.06);
      EXPECT_NEAR(accuracy.coverage, 0.95, 0.02);
      EXPECT_LT(accuracy.worst_bias, 4.8);
    }
  }
}

// As `simulate` runs them: all take part, and no report is kept.
SimulationResult simulate_labels(const Coding& coding, std::string_view population, Engine engine,
                                 std::uint64_t users, std::uint64_t trials,
                                 const Churn* churn = nullptr) {
  ProtocolSettings settings{users, kLabelPeriods, kLabelChanges, *Epsilon::parse("1")};
  settings.initial = Initial::kUnknown;
  settings.coding = coding;
  settings.estimand = Estimand::kActive;
  SimulationSettings simulation;
  simulation.key = kLabelKey;
  simulation.trials = trials;
  simulation.engine = engine;
  simulation.threads = 2;
  simulation.churn = churn;
  const Workers workers(2);
  const Population people = *Population::named(
      population, {users, kLabelPeriods, kLabelChanges, settings.initial, coding}, simulation.key);
  const auto protocol = *make_plan_protocol("innovation", settings);
  const std::vector<double> truth =
      churn == nullptr
          ? true_counts(people, workers)
          : active_counts(people, *churn, Estimand::kActive, kDefaultInactiveAfter, workers);
  return *simulate(*protocol, people, truth, simulation);
}

void expect_as_predicted(const SimulationResult& result, const std::string& name) {
  SCOPED_TRACE(name);
  EXPECT_NEAR(result.rmse / *result.predicted_rmse, 1, 0.03);
  EXPECT_NEAR(result.band_coverage, 0.95, 0.01);
  EXPECT_EQ(result.clipped_users, 0);
  EXPECT_EQ(result.figures.size(), result.figure_names.size() * kLabelPeriods);
  EXPECT_EQ(result.periods.size(), kLabelPeriods);
  // Thousands of figures, and a normal error.
  for (const SimulatedPeriod& at : result.figures) EXPECT_LT(std::abs(at.bias_z), 5.5);
}

TEST(LabelSimulation, ErrorsAreAsPredictedInBothEngines) {
  for (const Engine engine : {Engine::kUsers, Engine::kSums}) {
    // Fewer rows average over less: two labels have one row, and their errors are opposite.
    for (const auto& [count, trials] :
         {std::pair{2U, 800U}, std::pair{5U, 200U}, std::pair{64U, 60U}, std::pair{1000U, 30U}}) {
      const SimulationResult result = simulate_labels(labels(count), "drift", engine, 1200, trials);
      expect_as_predicted(result, std::to_string(count) + " labels");
      // The formula of values.md, up to the sampling of rows.
      const double codes = labels(count).num_codes();
      const double yes_no = yes_no_error() * std::sqrt(1200.0 / kLabelDevices);
      EXPECT_NEAR(*result.predicted_rmse / (2 * (codes - 1) / codes * yes_no), 1, 0.02);
    }
    for (const std::uint32_t count : {16U, 256U}) {
      expect_as_predicted(simulate_labels(buckets(count), "drift", engine, 1200, 100),
                          std::to_string(count) + " buckets");
    }
  }
  expect_as_predicted(simulate_labels(labels(5), "static", Engine::kSums, 1200, 100), "static");
}

TEST(LabelSimulation, DevicesMayJoinLateAndLeave) {
  ChurnPattern pattern;
  pattern.joining = Joining::kStaggered;
  pattern.dropout = 0.03;
  pattern.offline = 0.1;
  const Churn churn(pattern, kLabelPeriods, kLabelKey);
  for (const Coding& coding : {labels(5), buckets(16)}) {
    const SimulationResult result =
        simulate_labels(coding, "uniform", Engine::kUsers, 600, 100, &churn);
    EXPECT_NEAR(result.band_coverage, 0.95, 0.01);
    for (const SimulatedPeriod& at : result.figures) EXPECT_LT(std::abs(at.bias_z), 5.5);
  }
}

// A text of one device in ten stands out from a list of 10,000. A text of one in twenty does so
// only after periods are pooled. The others hold texts outside the list.
TEST(Candidates, AFrequentTextStandsOutFromAListOfTenThousand) {
  constexpr std::uint64_t kDevices = 40'000;
  constexpr Period kPeriods = 64;
  const Coding coding = *Coding::create(TextCoding{});
  const Plan terms = *make_plan(Protocol::kInnovation, kPeriods, 1, *Epsilon::parse("4"),
                                Initial::kUnknown, coding);
  const CertifiedPlan plan = *CertifiedPlan::create(terms);
  Sums sums(terms);
  Presence presence = *empty_presence(terms, false);
  for (std::uint64_t user = 0; user < kDevices; ++user) {
    PhiloxSource source(kLabelKey, Stream::kDevice, 0, user);
    const std::string text = user % 10 == 0   ? "/settings"
                             : user % 20 == 1 ? "/help"
                                              : "/page/" + std::to_string(user);
    const CodingRow row = row_from_bits(coding, source.word());
    const std::vector<ValueFrom> held = {{1, Coding::state(row, *coding.code(text))}};
    Device device = *Device::join(plan, 1, source);
    sums.enrol(0, 1, 0);
    std::uint64_t minus = 0, zero = 0;
    ASSERT_TRUE(run_device(device, held, source, [&](const SignRun& run) {
      minus |= run.minus << (run.first_index - 1);
      zero |= run.silent << (run.first_index - 1);
      for (std::uint32_t i = 0; i < run.count; ++i) {
        sums.add(0, run.first_index + i, one_report(run.at(i)));
      }
    }));
    const Transcript all{.joined = 1,
                         .next = kPeriods + 1,
                         .minus = &minus,
                         .zero = presence.estimate().has_zeros() ? &zero : nullptr,
                         .row = row};
    presence.change(all.before(1), all);
  }
  Question question;
  question.from = kPeriods;
  question.values.rows = ValueRows::kTop;
  for (int i = 0; i < 9'998; ++i) question.values.candidates.push_back("/no/" + std::to_string(i));
  question.values.candidates.push_back("/settings");
  question.values.candidates.push_back("/help");
  const auto top = [&](Period window) {
    question.window = window;
    std::vector<std::string> names;
    const Result<Answer> found = answer(terms, {sums, &presence, kPeriods + 1}, question);
    EXPECT_TRUE(found) << found.error().message;
    for (const AnswerRow& row : found->rows) names.push_back(row.label);
    return names;
  };
  const std::vector<std::string> now = top(1), pooled = top(kPeriods);
  // A candidate may share a hash with another one, and so its name.
  const auto has = [](const std::vector<std::string>& names, std::string_view text) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.substr(0, text.size()) == text;
    });
  };
  EXPECT_TRUE(has(now, "/settings"));
  EXPECT_FALSE(has(now, "/help"));
  EXPECT_LE(now.size(), 2U);
  EXPECT_TRUE(has(pooled, "/settings"));
  EXPECT_TRUE(has(pooled, "/help"));
  EXPECT_LE(pooled.size(), 4U);
}

}  // namespace
}  // namespace futurerand
