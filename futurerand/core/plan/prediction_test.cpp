#include "futurerand/core/plan/prediction.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/core/plan/hybrid_design.hpp"

namespace futurerand {
namespace {

struct Row {
  std::string protocol, epsilon;
  Period periods;
  std::uint32_t changes;
  double mean, worst;
};

std::vector<Row> oracle() {
  std::ifstream file(FUTURERAND_SOURCE_DIR "/tests/data/accuracy.csv");
  std::string line;
  std::getline(file, line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    std::stringstream cells(line);
    std::string protocol, periods, changes, epsilon, mean, worst;
    for (std::string* cell : {&protocol, &periods, &changes, &epsilon, &mean, &worst}) {
      std::getline(cells, *cell, ',');
    }
    rows.push_back({protocol, epsilon, static_cast<Period>(std::stoul(periods)),
                    static_cast<std::uint32_t>(std::stoul(changes)), std::stod(mean),
                    std::stod(worst)});
  }
  return rows;
}

Plan plan_of(const Row& row) {
  return *make_plan(*protocol_named(row.protocol), row.periods, row.changes,
                    *Epsilon::parse(row.epsilon));
}

TEST(Prediction, MeetsTheIndependentTable) {
  const std::vector<Row> rows = oracle();
  ASSERT_EQ(rows.size(), 464U);
  for (const Row& row : rows) {
    const PredictedError error = predict_error(plan_of(row), 1);
    // The table has four digits. A hybrid design may only be lower.
    EXPECT_LT(error.rmse, row.mean * 1.001)
        << row.protocol << " " << row.periods << " " << row.changes;
    if (row.protocol == "hybrid") continue;
    EXPECT_GT(error.rmse, row.mean * 0.999)
        << row.protocol << " " << row.periods << " " << row.changes;
    EXPECT_NEAR(error.worst / row.worst, 1, 0.001)
        << row.protocol << " " << row.periods << " " << row.changes;
  }
}

TEST(Prediction, HybridNeverLosesToAnotherProtocol) {
  // All of the range is tried only where that takes seconds: debug and sanitizer builds look at a
  // part.
#ifdef NDEBUG
  const std::vector<Period> horizons = {1, 2, 5, 16, 100, 256, 1000, 4096};
  const std::vector<std::uint32_t> limits = {1, 2, 3, 8, 64, 1000};
#else
  const std::vector<Period> horizons = {1, 5, 100};
  const std::vector<std::uint32_t> limits = {1, 3};
#endif
  for (const Period periods : horizons) {
    for (const std::uint32_t changes : limits) {
      for (const char* text : {"0.01", "0.5", "1", "2", "4", "16"}) {
        const Epsilon epsilon = *Epsilon::parse(text);
        const double hybrid =
            predict_error(*make_plan(Protocol::kHybrid, periods, changes, epsilon), 1).rmse;
        for (const Protocol protocol : kProtocols) {
          if (protocol == Protocol::kInnovation || protocol == Protocol::kPulse) continue;
          const Result<Plan> plan = make_plan(protocol, periods, changes, epsilon);
          if (!plan) continue;
          EXPECT_LE(hybrid, predict_error(*plan, 1).rmse * 1.0001)
              << name_of(protocol) << " " << periods << " " << changes << " " << text;
        }
      }
    }
  }
}

// Dropping small shares and rounding weights must cost nothing that shows.
TEST(Prediction, TheSharesAreAtAnOptimum) {
  Plan plan = *make_plan(Protocol::kHybrid, 1024, 4, *Epsilon::parse("1"));
  const double best = predict_error(plan, 1).rmse;
  for (std::size_t from = 0; from < plan.views.size(); ++from) {
    for (std::size_t to = 0; to < plan.views.size(); ++to) {
      if (from == to) continue;
      Plan moved = plan;
      const std::uint64_t weight = plan.views[from].weight / 20;
      moved.views[from].weight -= weight;
      moved.views[to].weight += weight;
      EXPECT_GT(predict_error(moved, 1).rmse, best * (1 - 1e-6)) << from << " to " << to;
    }
  }
}

TEST(Prediction, WeightsSumToTwoToThe32) {
  for (const Period periods : {1U, 7U, 256U, 1U << 20}) {
    EXPECT_EQ(make_plan(Protocol::kHybrid, periods, 4, *Epsilon::parse("1"))->total_weight(),
              std::uint64_t{1} << 32);
  }
}

TEST(Prediction, TheBoundOverAllPeriodsIsTheUnionBound) {
  // With `repeated` every period has the same variance, so the bound solves d erfc(x / sqrt(2 v)) =
  // 5%.
  const Plan plan = *make_plan(Protocol::kRepeated, 10, 1, *Epsilon::parse("1"));
  const PredictedError error = predict_error(plan, 100);
  EXPECT_NEAR(10 * std::erfc(error.max_error / (std::sqrt(2.0) * error.rmse)), 0.05, 1e-4);
}

}  // namespace
}  // namespace futurerand
