#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "futurerand/device/test/sources.hpp"
#include "futurerand/rivals/categories/category_rival.hpp"
#include "futurerand/rivals/categories/memoizing.hpp"

namespace futurerand {
namespace {

using MakeRival = CategoryFactory;

std::unique_ptr<CategoryRival> rival(MakeRival make, std::uint32_t values, Period periods,
                                     std::uint32_t changes, double epsilon, double first = 0.1) {
  return *make({values, periods, changes, epsilon, first});
}

// Standard deviations of a rare value from an independent program, divided by sqrt(n).
TEST(Categories, OneTimeAnswersHaveTheirPublishedErrors) {
  const auto sd = [](MakeRival make, std::uint32_t values, double epsilon) {
    return std::sqrt(rival(make, values, 1, 0, epsilon)->variance(0));
  };
  const double epsilons[] = {1, 2, 4}, two[] = {0.960, 0.425, 0.138};
  const double grr[] = {4.68, 1.30, 0.201}, oue[] = {1.92, 0.851, 0.276};
  const double subset[] = {1.88, 0.820, 0.201};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(sd(make_grr, 2, epsilons[i]), two[i], 6e-4);
    EXPECT_NEAR(sd(make_subset_selection, 2, epsilons[i]), two[i], 6e-4);
    EXPECT_NEAR(sd(make_oue, 2, epsilons[i]), 2 * two[i], 1.2e-3);
    EXPECT_NEAR(sd(make_grr, 64, epsilons[i]), grr[i], 6e-3);
    EXPECT_NEAR(sd(make_oue, 64, epsilons[i]), oue[i], 6e-3);
    EXPECT_NEAR(sd(make_subset_selection, 64, epsilons[i]), subset[i], 6e-3);
  }
  // Once in d periods: d times the variance, and the reporting devices are a sample.
  EXPECT_NEAR(rival(make_grr, 64, 256, 3, 1)->variance(0),
              256 * rival(make_grr, 64, 1, 3, 1)->variance(0), 1e-6);
  EXPECT_NEAR(rival(make_grr, 2, 10, 3, 1)->variance(0.5),
              10 * rival(make_grr, 2, 1, 3, 1)->variance(0.5) + 9 * 0.25, 1e-9);
  // Two values with epsilon / 256 in every period: the 256.0 of `repeated`.
  EXPECT_NEAR(std::sqrt(rival(make_repeated_grr, 2, 256, 3, 1)->variance(0)), 256.0, 0.05);
}

TEST(Categories, MemoizingAnswersHaveTheirPublishedErrors) {
  const auto sd = [](MakeRival make, std::uint32_t values, double epsilon, double share) {
    return std::sqrt(rival(make, values, 1, 0, epsilon, epsilon / 2)->variance(share));
  };
  EXPECT_NEAR(sd(make_l_grr, 2, 1, 0), 1.979, 1e-3);
  EXPECT_NEAR(sd(make_l_osue, 2, 1, 0), 3.96, 6e-3);
  EXPECT_NEAR(sd(make_l_osue, 2, 1, 0.5), 4.02, 6e-3);
  EXPECT_NEAR(sd(make_l_osue, 2, 2, 0), 1.92, 6e-3);
  EXPECT_NEAR(sd(make_l_osue, 2, 2, 0.5), 2.05, 6e-3);
  EXPECT_NEAR(sd(make_loloha, 1000, 1, 0), 4.08, 6e-3);
  EXPECT_NEAR(sd(make_loloha, 1000, 2, 0), 2.05, 6e-3);
  EXPECT_NEAR(sd(make_loloha, 1000, 4, 0), 0.89, 6e-3);
  // The authors' count.
  EXPECT_EQ(rival(make_l_grr, 64, 256, 3, 1, 0.5)->stated_loss(), 4);
  EXPECT_EQ(rival(make_loloha, 64, 256, 3, 1, 0.5)->stated_loss(), 2);
}

// Two values over d periods, from an independent program: one change from a known start, and any
// number of changes.
TEST(Categories, MemoizingSequencesLoseFarMoreThanIsCounted) {
  struct Row {
    double epsilon;
    Period periods;
    double one_change, more;
  };
  for (const Row& row : {Row{1, 1, 0.50, 0.50},
                         {1, 2, 0.81, 1.00},
                         {1, 16, 8.82, 9.05},
                         {1, 64, 37.1, 37.4},
                         {1, 256, 150.4, 150.7},
                         {2, 2, 1.64, 2.00},
                         {2, 16, 11.4, 11.8},
                         {2, 64, 45.1, 45.6},
                         {0.5, 16, 8.01, 8.01},
                         {4, 16, 18.4, 19.7},
                         {4, 256, 275.6, 276.9}}) {
    const auto permanent = RandomizedAnswer::of_epsilon(2, row.epsilon);
    const RandomizedAnswer fresh = fresh_round(permanent, row.epsilon / 2);
    const std::vector<MemoizedPart> parts = {
        memoized_grr(2, permanent.keep, permanent.other(), std::log(fresh.keep / fresh.other()))};
    const double close = row.more > 20 ? 0.06 : 0.006 * std::max(1.0, row.more);
    EXPECT_NEAR(memoized_loss_from_zero(parts, row.periods), row.one_change, close);
    const auto loss = rival(make_l_grr, 2, row.periods, 2, row.epsilon, row.epsilon / 2);
    EXPECT_NEAR(*loss->sequence_loss().epsilon, row.more, close);
  }
}

std::uint32_t changes_of(std::uint32_t sequence, Period periods) {
  std::uint32_t count = 0;
  for (Period t = 1; t < periods; ++t) count += (sequence >> t & 1) != (sequence >> (t - 1) & 1);
  return count;
}

// Loss from the definition, over every pair of sequences of two values and every sequence of
// reports. `permanent` gives the chance of a cell by value, `fresh` the chance of a report by cell.
double loss_by_definition(Period periods, std::uint32_t changes, std::uint32_t cells,
                          const std::function<double(int, std::uint32_t)>& permanent,
                          const std::function<double(std::uint32_t, std::uint32_t)>& fresh) {
  double largest = 0;
  const auto all = static_cast<std::uint32_t>(std::pow(cells, periods));
  for (std::uint32_t reports = 0; reports < all; ++reports) {
    double least = INFINITY, most = 0;
    for (std::uint32_t x = 0; x < 1U << periods; ++x) {
      if (changes_of(x, periods) > changes) continue;
      double chance = 1;
      for (const int value : {0, 1}) {
        double sum = 0;
        for (std::uint32_t cell = 0; cell < cells; ++cell) {
          double product = permanent(value, cell);
          std::uint32_t rest = reports;
          for (Period t = 0; t < periods; ++t, rest /= cells) {
            if (static_cast<int>(x >> t & 1) == value) product *= fresh(cell, rest % cells);
          }
          sum += product;
        }
        chance *= sum;
      }
      least = std::min(least, chance);
      most = std::max(most, chance);
    }
    largest = std::max(largest, std::log(most / least));
  }
  return largest;
}

TEST(Categories, MemoizedLossIsItsDefinition) {
  struct Case {
    std::uint32_t values;
    Period most_periods;
  };
  for (const Case& of : {Case{2, 6}, {3, 5}, {4, 4}}) {
    for (const double epsilon : {0.5, 2.0}) {
      const auto permanent = RandomizedAnswer::of_epsilon(of.values, epsilon);
      const RandomizedAnswer fresh = fresh_round(permanent, epsilon / 2);
      for (Period periods = 1; periods <= of.most_periods; ++periods) {
        for (const std::uint32_t changes : {0U, 1U, 2U, 5U}) {
          const double expected = loss_by_definition(
              periods, changes, of.values,
              [&](int value, std::uint32_t cell) {
                return cell == static_cast<std::uint32_t>(value) ? permanent.keep
                                                                 : permanent.other();
              },
              [&](std::uint32_t cell, std::uint32_t sent) {
                return cell == sent ? fresh.keep : fresh.other();
              });
          const auto l_grr = rival(make_l_grr, of.values, periods, changes, epsilon, epsilon / 2);
          EXPECT_NEAR(*l_grr->sequence_loss().epsilon, expected, 1e-9)
              << of.values << " values, " << periods << " periods, " << changes << " changes";
        }
      }
    }
  }
}

// The cells of L-OSUE are vectors of bits.
TEST(Categories, LossOfUnaryEncodingIsItsDefinition) {
  constexpr std::uint32_t kValues = 3;
  const double epsilon = 1, first = 0.5, a = std::exp(epsilon), b = std::exp(first);
  const double keep = (a * b - 1) / ((a - 1) * (b + 1)), other = 1 / (a + 1);
  for (Period periods = 1; periods <= 3; ++periods) {
    for (const std::uint32_t changes : {0U, 1U, 2U}) {
      const double expected = loss_by_definition(
          periods, changes, 1U << kValues,
          [&](int value, std::uint32_t cell) {
            double chance = 1;
            for (std::uint32_t v = 0; v < kValues; ++v) {
              const double one = static_cast<int>(v) == value ? 0.5 : other;
              chance *= (cell >> v & 1) != 0 ? one : 1 - one;
            }
            return chance;
          },
          [&](std::uint32_t cell, std::uint32_t sent) {
            const int flipped = std::popcount(cell ^ sent);
            return std::pow(1 - keep, flipped) *
                   std::pow(keep, static_cast<int>(kValues) - flipped);
          });
      const auto l_osue = rival(make_l_osue, kValues, periods, changes, epsilon, first);
      EXPECT_NEAR(*l_osue->sequence_loss().epsilon, expected, 1e-9) << periods << " " << changes;
      if (periods == 1) {
        EXPECT_NEAR(expected, first, 1e-9);
      }
    }
  }
}

// A set with the own value is E times as likely as one without it.
TEST(Categories, SubsetsLoseEpsilon) {
  for (const std::uint32_t values : {2U, 5U, 64U}) {
    for (const double epsilon : {0.5, 1.0, 3.0}) {
      const SupportRates rates = rival(make_subset_selection, values, 1, 0, epsilon)->rates();
      const double size = rates.own + (values - 1) * rates.other;
      EXPECT_NEAR(size, std::round(size), 1e-9);
      // C(V-1, w) / C(V-1, w-1) = (V-w)/w.
      EXPECT_NEAR(std::log(rates.own / (1 - rates.own) * (values - size) / size), epsilon, 1e-9);
    }
  }
}

// How often 20,000 devices support each value. They hold 1, then 3. Each check fails with a chance
// of 6e-7 at five sd; some 300 checks: 2e-4.
TEST(Categories, DevicesFollowTheirRates) {
  constexpr std::uint32_t kValues = 5;
  constexpr Period kPeriods = 4;
  constexpr int kDevices = 20'000;
  testing_sources::SeededSource source(30);
  UniformBits bits(source);
  for (const NamedCategoryRival& named : kCategoryRivals) {
    const auto of = rival(named.make, kValues, kPeriods, 1, 3, 1.5);
    EXPECT_EQ(of->name(), named.name);
    const std::uint32_t held[] = {1, 1, 3, 3};
    double reports[kPeriods] = {}, supporters[kPeriods][kValues] = {};
    for (int i = 0; i < kDevices; ++i) {
      of->run(held, bits, [&](Period t, std::span<const std::uint32_t> supported) {
        reports[t - 1] += 1;
        for (const std::uint32_t v : supported) supporters[t - 1][v] += 1;
      });
    }
    for (Period t = 1; t <= kPeriods; ++t) {
      const double share = of->reporting();
      EXPECT_LT(std::abs(reports[t - 1] - kDevices * share),
                5 * std::sqrt(kDevices * share * (1 - share)) + 0.5);
      for (std::uint32_t v = 0; v < kValues; ++v) {
        const bool own = held[t - 1] == v;
        const double rate = own ? of->rates().own : of->rates().other;
        EXPECT_LT(std::abs(supporters[t - 1][v] - reports[t - 1] * rate),
                  5 * std::sqrt(reports[t - 1] * rate * (1 - rate)))
            << named.name << " period " << t << " value " << v;
        const double count = of->estimate(supporters[t - 1][v], reports[t - 1], kDevices);
        EXPECT_LT(std::abs(count - (own ? kDevices : 0)),
                  5 * std::sqrt(kDevices * of->variance(own ? 1 : 0)));
      }
    }
  }
}

TEST(Categories, RefusesSettingsThatMeanNothing) {
  for (const NamedCategoryRival& named : kCategoryRivals) {
    EXPECT_FALSE(named.make({1, 4, 1, 1, 0.5}));
    EXPECT_FALSE(named.make({65'537, 4, 1, 1, 0.5}));
    EXPECT_FALSE(named.make({2, 0, 1, 1, 0.5}));
    EXPECT_FALSE(named.make({2, 4, 1, 0, 0.5}));
    EXPECT_FALSE(named.make({2, 4, 1, std::nan(""), 0.5}));
  }
  EXPECT_FALSE(make_l_grr({2, 4, 1, 1, 1}));
  EXPECT_FALSE(make_loloha({2, 4, 1, 1, 0}));
}

}  // namespace
}  // namespace futurerand
