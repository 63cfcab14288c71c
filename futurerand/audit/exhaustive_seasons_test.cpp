// All messages of a device over two and three seasons of a small plan: every history, every output,
// exact chances. The loss between histories with differences inside W periods is at most epsilon
// times J(W), and equal to it if whole seasons differ.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/audit/exhaustive_innovation.hpp"
#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {
namespace {

constexpr Period kSeason = 4;
constexpr std::uint32_t kInputs = 1U << kSeason;

// All ln P(output | x) - ln P(output | y) of one season, over inputs equal outside `mask`.
std::vector<double> losses_within(const std::vector<std::vector<double>>& logs,
                                  std::uint32_t mask) {
  std::vector<double> all;
  for (std::uint32_t x = 0; x < kInputs; ++x) {
    for (std::uint32_t y = 0; y < kInputs; ++y) {
      if (((x ^ y) & ~mask) != 0) continue;
      for (std::size_t output = 0; output < logs[x].size(); ++output) {
        all.push_back(logs[x][output] - logs[y][output]);
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// The largest loss of transcripts of several seasons, over every transcript. The reports of a
// season depend on its values and on fresh noise, so chances multiply.
double largest(const std::vector<std::vector<double>>& seasons) {
  double worst = 0;
  std::vector<double> sums = {0};
  for (const std::vector<double>& season : seasons) {
    std::vector<double> next;
    next.reserve(sums.size() * season.size());
    for (const double before : sums) {
      for (const double loss : season) next.push_back(before + loss);
    }
    sums = std::move(next);
  }
  for (const double sum : sums) worst = std::max(worst, std::abs(sum));
  return worst;
}

TEST(ExhaustiveSeasons, LoseEpsilonForEachSeasonThatAWindowMeets) {
  for (const char* epsilon : {"0.5", "1", "2"}) {
    const CertifiedPlan plan = *CertifiedPlan::create(
        *make_plan(Protocol::kInnovation, kSeason, 1, *Epsilon::parse(epsilon), Initial::kUnknown));
    const double exact = certify(plan.plan())->exact_epsilon();
    const double budget = plan.plan().epsilon.value();
    ASSERT_LE(exact, budget);
    const auto chances = innovation_outputs(plan);
    ASSERT_TRUE(chances) << chances.error().message;
    ASSERT_EQ(chances->size(), kInputs);
    std::vector<std::vector<double>> logs;
    for (const std::vector<BigInt>& outputs : *chances) {
      logs.emplace_back();
      for (const BigInt& chance : outputs) {
        logs.back().push_back(std::log(chance.convert_to<double>()));
      }
    }
    std::map<std::uint32_t, std::vector<double>> losses;
    for (std::uint32_t mask = 0; mask < kInputs; ++mask) {
      losses[mask] = losses_within(logs, mask);
    }
    ASSERT_EQ(losses[0], std::vector<double>{0});
    // Entirely different seasons attain the certificate's loss.
    EXPECT_NEAR(losses[kInputs - 1].back(), exact, 1e-9);
    for (const std::int64_t num_seasons : {2, 3}) {
      for (const std::int64_t rest : {0, 1, 4}) {
        const Calendar calendar = *Calendar::create(kSeason, rest % 4 == 0 ? 4 : 1, rest);
        const std::int64_t life = num_seasons * calendar.cycle() - rest;
        for (std::int64_t window = 1; window <= life; ++window) {
          double worst = 0;
          for (std::int64_t begin = 2 - window; begin <= life; ++begin) {
            std::vector<std::vector<double>> met;
            bool is_all = true;
            for (std::int64_t s = 0; s < num_seasons; ++s) {
              std::uint32_t mask = 0;
              for (std::int64_t t = 0; t < kSeason; ++t) {
                const std::int64_t period = s * calendar.cycle() + t + 1;
                if (period >= begin && period < begin + window) mask |= 1U << t;
              }
              if (mask != 0) met.push_back(losses[mask]);
              is_all = is_all && mask == kInputs - 1;
            }
            // Three whole seasons have millions of transcripts: once for each rest is enough.
            if (met.size() == 3 && !(is_all && begin == 1)) continue;
            const double loss = largest(met);
            EXPECT_LE(loss, static_cast<double>(calendar.seasons_in(window)) * budget + 1e-9)
                << rest << ' ' << window << ' ' << begin;
            worst = std::max(worst, loss);
            if (is_all) {
              EXPECT_NEAR(loss, static_cast<double>(num_seasons) * exact, 1e-9);
            }
          }
          // The rest pays: a window of at most rest + 1 periods costs one season.
          if (window <= rest + 1) {
            EXPECT_LE(worst, budget + 1e-9);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
