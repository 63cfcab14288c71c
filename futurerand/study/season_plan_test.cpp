#include "futurerand/study/season_plan.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "futurerand/study/plan_document.hpp"

namespace futurerand {
namespace {

PlanQuestion question_of(double change_every, Period resolution = 1) {
  PlanQuestion question;
  question.users = 10'000;
  question.window = 90;
  question.change_every = change_every;
  question.resolution = resolution;
  return question;
}

double sd_of(const SeasonPlan& plan, Period periods) {
  for (const SeasonChoice& choice : plan.choices) {
    if (choice.calendar.season() == periods) return choice.share_sd * 100;  // times sqrt(users)
  }
  return 0;
}

// The design's table: one change in 90 days, daily, three years. Its figures in brackets, from
// independent programs; the sampling of panels comes on top.
TEST(SeasonPlan, AgreesWithTheDesign) {
  const SeasonPlan plan = *make_season_plan(question_of(90));
  const auto with_sampling = [](double sd, double periods) {
    return std::sqrt(sd * sd + 0.25 * 90 / periods);
  };
  for (const auto& [periods, sd] : {std::pair<Period, double>{30, 10.0}, {60, 10.2}, {180, 11.4}}) {
    EXPECT_NEAR(sd_of(plan, periods), with_sampling(sd, periods), 0.02 * sd) << periods;
  }
  EXPECT_NEAR(sd_of(plan, 1), 10.3, 0.05);
  for (const SeasonChoice& choice : plan.choices) {
    const std::int64_t d = choice.calendar.season(), rest = choice.calendar.rest();
    EXPECT_GE(rest, 90);
    EXPECT_EQ(choice.in_window, 1);
    EXPECT_EQ(choice.in_life, 1 + (1095 + d - 2) / (d + rest));
    EXPECT_EQ(choice.protocol == Protocol::kOnce, d == 1);
  }
}

TEST(SeasonPlan, RecommendsTheLongestSeasonNearTheBest) {
  for (const double every : {30.0, 365.0}) {
    PlanQuestion question = question_of(every);
    question.life = 365;
    const SeasonPlan plan = *make_season_plan(question);
    double least = 1e9;
    for (const SeasonChoice& choice : plan.choices) least = std::min(least, choice.share_sd);
    EXPECT_LE(plan.choices[plan.best].share_sd, 1.1 * least);
    for (std::size_t i = plan.best + 1; i < plan.choices.size(); ++i) {
      EXPECT_GT(plan.choices[i].share_sd, 1.1 * least);
    }
  }
}

// One randomized answer in each cycle wins for monthly figures.
TEST(SeasonPlan, OneAnswerWinsForCoarseResolutions) {
  PlanQuestion question = question_of(180);
  question.life = 365;
  const SeasonPlan daily = *make_season_plan(question);
  question.resolution = 30;
  const SeasonPlan monthly = *make_season_plan(question);
  EXPECT_GT(daily.choices[daily.best].calendar.season(), 1);
  EXPECT_EQ(monthly.choices[monthly.best].calendar.season(), 1);
  EXPECT_LT(sd_of(monthly, 1), 0.7 * sd_of(monthly, 90));
}

TEST(SeasonPlan, IsPartOfTheDocument) {
  PlanQuestion question = question_of(180);
  question.periods = 16;
  question.changes = 1;
  question.life = 180;
  const SeasonPlan plan = *make_season_plan(question);
  const auto json =
      nlohmann::json::parse(plan_document(question, *make_plan_rows(question), {}, {}, plan));
  ASSERT_EQ(json["seasons"].size(), plan.choices.size());
  for (const char* key : {"periods", "every", "rest", "max_changes", "predicted_share_sd",
                          "epsilon_in_window", "epsilon_in_life", "protocol"}) {
    EXPECT_TRUE(json["seasons"][0].contains(key)) << key;
  }
  EXPECT_EQ(json["recommended_season"], plan.choices[plan.best].calendar.season());
  question.initial = Initial::kZero;
  EXPECT_FALSE(make_season_plan(question));
}

}  // namespace
}  // namespace futurerand
