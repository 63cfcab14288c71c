#include "futurerand/study/option_table.hpp"

#include <set>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

template <typename Asked>
void expect_every_row_works(Options (*options_of)(Asked&)) {
  Asked question;
  std::set<std::string> names;
  for (const Option& option : options_of(question)) {
    SCOPED_TRACE(option.name);
    EXPECT_TRUE(names.insert(option.name).second);
    EXPECT_FALSE(option.help.empty());
    const bool any_text =
        option.name == "label" || option.name == "labels" || option.name == "segment";
    EXPECT_EQ(static_cast<bool>(option.set("nan")), any_text);
    EXPECT_FALSE(option.set(""));
    // Every default is a valid value, and reads back.
    const nlohmann::json usual = option.get();
    if (usual.is_null()) continue;
    EXPECT_TRUE(option.set(usual.is_string() ? usual.get<std::string>() : usual.dump()));
    EXPECT_EQ(option.get(), usual);
  }
}

TEST(OptionTable, EveryRowRefusesRubbishAndAcceptsItsDefault) {
  expect_every_row_works(plan_options);
  expect_every_row_works(simulate_options);
  expect_every_row_works(compare_options);
  expect_every_row_works(audit_options);
  expect_every_row_works(randomize_options);
  expect_every_row_works(estimate_options);
}

TEST(OptionTable, SetsTheMember) {
  SimulationQuestion question;
  const Options options = simulate_options(question);
  for (const auto& [name, text] : {std::pair("periods", "64"), std::pair("epsilon", "0.25"),
                                   std::pair("level", "0.5"), std::pair("engine", "sums"),
                                   std::pair("estimand", "enrolled"), std::pair("uncapped", "true"),
                                   std::pair("protocol", "rappor"), std::pair("rappor_p", "0.3")}) {
    EXPECT_TRUE(set_option(options, name, text)) << name;
  }
  EXPECT_EQ(question.periods, 64U);
  EXPECT_EQ(question.epsilon.text(), "0.25");
  EXPECT_EQ(question.level, 0.5);
  EXPECT_EQ(question.engine, Engine::kSums);
  EXPECT_EQ(question.estimand, Estimand::kEnrolled);
  EXPECT_TRUE(question.uncapped);
  EXPECT_EQ(question.protocol, "rappor");
  EXPECT_FALSE(question.constants.empty());
}

TEST(OptionTable, SaysWhatWasExpected) {
  EstimateQuestion question;
  const Options options = estimate_options(question);
  EXPECT_EQ(set_option(options, "inactive_after", "65").error().message,
            "inactive_after: 65 is out of range; expected 2 to 64");
  EXPECT_EQ(set_option(options, "inactive_after", "-1").error().message,
            "inactive_after: '-1' is no whole number; expected 2 to 64");
  EXPECT_EQ(set_option(options, "estimator", "best").error().message,
            "estimator: 'best' is unknown; expected online, hindsight or trend");
  EXPECT_FALSE(set_option(options, "no_such_option", "1"));
}

// The simulated protocol is the deployed one.
TEST(Recommended, IsTheProtocolOfANewMetricEverywhere) {
  for (const Period periods : {1U, 8U, 16U, 64U, 5000U}) {
    for (const std::uint32_t changes : {1U, 4U, 8U}) {
      if (changes > periods) continue;
      for (const char* budget : {"1"}) {
        SCOPED_TRACE(fmt::format("{} periods, {} changes, epsilon {}", periods, changes, budget));
        const MetricParameters metric{periods, changes, epsilon(budget)};
        const Result<MetricDefinition> created = define_metric(
            "m",
            fmt::format(R"({{"periods":{},"max_changes":{},"epsilon":"{}","clock":"manual"}})",
                        periods, changes, budget),
            Instant{}, nullptr);
        ASSERT_TRUE(created) << created.error().message;
        const std::string deployed(name_of(created->plan.protocol));
        EXPECT_EQ(*recommended_protocol(PlanQuestion{metric}), deployed);
        EXPECT_EQ(*chosen_plan(ProtocolParameters{metric}), created->plan);
        SimulationQuestion simulated;
        static_cast<MetricParameters&>(simulated) = metric;
        EXPECT_EQ(*chosen_protocol(simulated), deployed);
        // For all enrolled devices the least error decides, for a metric and for `plan` alike.
        const Result<Plan> accurate =
            most_accurate_plan(periods, changes, epsilon(budget), metric.initial);
        simulated.estimand = Estimand::kEnrolled;
        EXPECT_EQ(*chosen_protocol(simulated), name_of(accurate->protocol));
      }
    }
  }
}

TEST(Recommended, IsTheRowOfThePlan) {
  for (const Estimand estimand : {Estimand::kActive, Estimand::kEnrolled}) {
    for (const EstimatorKind estimator : {EstimatorKind::kOnline, EstimatorKind::kTrend}) {
      PlanQuestion question{{16, 4, epsilon("1")}};
      question.estimand = estimand;
      question.estimator = estimator;
      const Result<std::vector<PlanRow>> rows = make_plan_rows(question);
      ASSERT_TRUE(rows);
      const PlanRow* row = recommended(question, *rows);
      ASSERT_NE(row, nullptr);
      EXPECT_EQ(row->name, *recommended_protocol(question));
      if (estimand == Estimand::kActive) {
        EXPECT_EQ(row->name, "innovation");
      }
      if (estimand == Estimand::kEnrolled && estimator == EstimatorKind::kOnline) {
        EXPECT_EQ(row->name, "hybrid");
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
