// The difference of two stretches on real devices that join late, leave and change: bands hold, for
// yes/no, numbers and labels. The seeds are fixed.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/device/run_device.hpp"
#include "futurerand/estimator/difference.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand {
namespace {

constexpr Period kStretchPeriods = 32;
constexpr std::uint64_t kStretchDevices = 400;
constexpr int kStretchTrials = 400;
const SimulationKey kStretchKey = SimulationKey::from_seed(32);

struct StretchPerson {
  std::vector<std::uint32_t> values;  // a code, or a number's share of the full scale
  Period joined = 1;
  Period next = kStretchPeriods + 1;
};

std::vector<StretchPerson> draw_stretch_people(const Coding& coding) {
  std::vector<StretchPerson> people;
  const std::uint32_t limit = coding.kind() == CodingKind::kNumber
                                  ? Coding::kFullScale + 1
                                  : std::max(2u, coding.num_codes());
  for (std::uint64_t user = 0; user < kStretchDevices; ++user) {
    PhiloxSource random(kStretchKey, Stream::kPopulation, coding.num_codes(), user);
    const auto below = [&](double most) {
      return static_cast<std::uint32_t>(most * random.uniform());
    };
    StretchPerson person;
    person.values.assign(kStretchPeriods, below(limit * random.uniform()));
    const std::uint32_t other = below(limit);
    for (Period t = below(kStretchPeriods); t < kStretchPeriods; ++t) person.values[t] = other;
    if (user % 3 == 0) person.joined = 1 + below(kStretchPeriods / 2);
    while (user % 2 == 0 && person.next > person.joined + 1 && random.uniform() < 0.5) {
      person.next = person.joined + 1 + below(kStretchPeriods - person.joined + 1.0);
    }
    people.push_back(person);
  }
  return people;
}

struct StretchCoverage {
  double share = 0;       // of trials with the true change inside the band
  double ratio = 0;       // mean square error over mean variance
  double worst_bias = 0;  // in standard errors
};

StretchCoverage coverage_of(const Coding& coding, const DifferenceQuestion& question) {
  const Plan terms = *make_plan(Protocol::kInnovation, kStretchPeriods, 2, *Epsilon::parse("1"),
                                Initial::kUnknown, coding);
  const CertifiedPlan plan = *CertifiedPlan::create(terms);
  const std::vector<StretchPerson> people = draw_stretch_people(coding);
  const bool is_number = coding.kind() == CodingKind::kNumber;
  const auto truth = [&](std::uint32_t code, const PeriodSpan& stretch) {
    double sum = 0, devices = 0;
    for (const StretchPerson& person : people) {
      for (Period t = stretch.first; t <= stretch.last; ++t) {
        if (person.joined > t || person.next <= t) continue;
        const std::uint32_t own = person.values[t - 1];
        devices += 1;
        sum += is_number ? static_cast<double>(own) / Coding::kFullScale : own == code ? 1 : 0;
      }
    }
    return sum / devices;
  };
  StretchCoverage coverage;
  std::vector<double> sum, square;
  double variance = 0;
  for (int trial = 0; trial < kStretchTrials; ++trial) {
    Sums sums(terms);
    Presence presence = *empty_presence(terms, false);
    for (std::uint64_t user = 0; user < kStretchDevices; ++user) {
      const StretchPerson& person = people[user];
      PhiloxSource source(kStretchKey, Stream::kDevice, static_cast<std::uint64_t>(trial), user);
      CodingRow row{};
      if (coding.has_rows()) {
        row = row_from_bits(coding, static_cast<std::uint64_t>(source.uniform() * 0x1p63) << 1);
      }
      std::vector<ValueFrom> held;
      for (Period t = person.joined; t <= kStretchPeriods; ++t) {
        const std::uint32_t value = person.values[t - 1];
        held.push_back({t, is_number           ? value
                           : coding.has_rows() ? Coding::state(row, value)
                           : value > 0         ? Coding::kFullScale
                                               : 0});
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
    const Difference found = *difference(terms, {sums, &presence, kStretchPeriods + 3}, question);
    sum.resize(found.rows.size());
    square.resize(found.rows.size());
    for (std::uint32_t i = 0; i < found.rows.size(); ++i) {
      const std::uint32_t code = coding.has_rows() ? i : 1;
      const double change = truth(code, question.after) - truth(code, question.before);
      const Figure& share = found.rows[i].share;
      const double error = share.value - change;
      sum[i] += error;
      square[i] += error * error;
      variance += share.stddev * share.stddev;
      coverage.share += share.band.lower <= change && change <= share.band.upper ? 1 : 0;
    }
  }
  double errors = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    errors += square[i];
    coverage.worst_bias = std::max(coverage.worst_bias, std::abs(sum[i]) / std::sqrt(square[i]));
  }
  coverage.ratio = errors / variance;
  coverage.share /= kStretchTrials * static_cast<double>(sum.size());
  return coverage;
}

// 95% of 400 trials have a standard error of 1.1%; labels and stretches add up.
void expect_coverage(const Coding& coding, const char* name) {
  double share = 0, ratio = 0;
  int questions = 0;
  for (const auto& [before, after] : {std::pair(PeriodSpan{5, 11}, PeriodSpan{12, 18}),
                                      std::pair(PeriodSpan{2, 8}, PeriodSpan{22, 31}),
                                      std::pair(PeriodSpan{20, 20}, PeriodSpan{21, 21}),
                                      std::pair(PeriodSpan{1, 16}, PeriodSpan{17, 32})}) {
    const StretchCoverage found = coverage_of(coding, {before, after, 2});
    EXPECT_LT(found.worst_bias, 4.5) << name << ' ' << before.first;
    EXPECT_NEAR(found.share, 0.95, 0.04) << name << ' ' << before.first;
    share += found.share;
    ratio += found.ratio;
    ++questions;
  }
  SCOPED_TRACE(testing::Message() << name << ": coverage " << share / questions << ", ratio "
                                  << ratio / questions);
  EXPECT_GE(share / questions, 0.94) << name;
  EXPECT_LE(share / questions, 0.96) << name;
  EXPECT_NEAR(ratio / questions, 1, 0.1) << name;
}

TEST(DifferenceStatistics, BandsHoldForYesAndNo) { expect_coverage(Coding(), "yes_no"); }

TEST(DifferenceStatistics, BandsHoldForNumbers) {
  expect_coverage(*Coding::create(NumberCoding{0, 10, "ms"}), "numbers");
}

TEST(DifferenceStatistics, BandsHoldForLabels) {
  CategoryCoding settings;
  for (int i = 0; i < 6; ++i) settings.labels.push_back(std::to_string(i));
  expect_coverage(*Coding::create(settings), "labels");
}

}  // namespace
}  // namespace futurerand
