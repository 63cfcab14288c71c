#include "futurerand/study/group_plan.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "futurerand/core/plan/prediction.hpp"

namespace futurerand {
namespace {

PlanQuestion defaults(const char* epsilon = "4") {
  PlanQuestion question;
  question.users = 100'000;
  question.epsilon = *Epsilon::parse(epsilon);
  return question;
}

Result<GroupPlan> plan_of(std::string_view file, const PlanQuestion& question = defaults()) {
  const Result<GroupQuestion> group = read_group_question(file, question);
  if (!group) return group.error();
  return make_group_plan(*group);
}

std::string why_not(std::string_view file) {
  const Result<GroupPlan> plan = plan_of(file);
  return plan ? std::string() : plan.error().message;
}

constexpr const char* kFour =
    R"({"metrics":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]})";

// Four questions, k = 2 and a ceiling of 4: the errors are those of the closed form, asked of all
// devices at epsilon 1, or of a quarter of them at epsilon 4.
TEST(GroupPlan, ComparesWithTheClosedForm) {
  PlanQuestion question = defaults();
  question.changes = 2;
  question.initial = Initial::kZero;
  const GroupPlan plan = *plan_of(kFour, question);
  ASSERT_EQ(plan.rows.size(), 4U);
  const auto rmse = [](const char* epsilon, double users) {
    const Plan alone = *recommended_plan(256, 2, *Epsilon::parse(epsilon), Initial::kZero);
    return predict_error(alone, users).rmse / users;
  };
  for (const GroupPlan::Row& row : plan.rows) {
    EXPECT_EQ(row.split_epsilon.epsilon.text(), "1");
    EXPECT_EQ(row.split_epsilon.devices, 100'000);
    EXPECT_NEAR(row.split_epsilon.share_error, rmse("1", 100'000), 1e-9);
    EXPECT_EQ(row.split_devices.epsilon.text(), "4");
    EXPECT_EQ(row.split_devices.devices, 25'000);
    EXPECT_NEAR(row.split_devices.share_error,
                std::hypot(rmse("4", 25'000), std::sqrt(0.25 * 0.75 / 25'000)), 1e-9);
  }
  // The figures of the design, in percent of all devices.
  EXPECT_NEAR(100 * plan.split_epsilon_error, 2.26, 0.03);
  EXPECT_NEAR(100 * plan.split_devices_error, 1.16, 0.02);
  EXPECT_TRUE(plan.recommends_devices());
}

TEST(GroupPlan, RecommendsToSplitEpsilonWhereItIsLarge) {
  EXPECT_TRUE(plan_of(kFour, defaults("1"))->recommends_devices());
  const GroupPlan plan = *plan_of(
      R"({"metrics":[{"name":"a","periods":4,"changes":1},{"name":"b","periods":4,"changes":1}]})",
      defaults("16"));
  EXPECT_FALSE(plan.recommends_devices());
}

TEST(GroupPlan, WeightsArePartsOfEpsilonAndOfTheDevices) {
  const GroupPlan plan = *plan_of(
      R"({"metrics":[{"name":"a","weight":3},{"name":"b","periods":64,"changes":1,"weight":1},
                     {"name":"c","value":{"kind":"number","low":0,"high":9},"weight":2}]})");
  std::int64_t nanos = 0;
  double devices = 0;
  for (const GroupPlan::Row& row : plan.rows) {
    nanos += row.split_epsilon.epsilon.nanos();
    devices += row.split_devices.devices;
  }
  EXPECT_LE(nanos, 4'000'000'000);
  EXPECT_NEAR(devices, 100'000, 1e-6);
  EXPECT_EQ(plan.rows[0].split_epsilon.epsilon.text(), "2");
  EXPECT_EQ(plan.rows[0].split_devices.devices, 50'000);
  EXPECT_EQ(plan.rows[0].metric.periods, 256U);  // of the question
  EXPECT_EQ(plan.rows[1].metric.periods, 64U);
}

TEST(GroupPlan, ItsDocumentHasTheDefinition) {
  const GroupQuestion question = *read_group_question(
      R"({"name":"settings","metrics":[{"name":"a"},{"name":"b","weight":2}]})", defaults());
  const auto json =
      nlohmann::json::parse(group_plan_document(question, *make_group_plan(question)));
  EXPECT_EQ(json["group"].dump(), R"({"name":"settings","shares":{"a":1,"b":2}})");
  EXPECT_EQ(json["recommended"], "split_devices");
  EXPECT_EQ(json["metrics"][1]["split_devices"]["epsilon"], "4");
  EXPECT_LT(json["split_devices_error"], json["split_epsilon_error"]);
}

TEST(GroupPlan, RefusesWhatIsNoFileOfMetrics) {
  EXPECT_EQ(why_not("[]"), "the list of metrics is '[]'; expected one whole JSON object");
  EXPECT_EQ(why_not(R"({"metrics":[{"name":"a"}]})"),
            "the list of metrics: the group 'group' has 1 metrics; expected 2 to 64");
  EXPECT_EQ(
      why_not(R"({"metrics":[{"name":"a"},{"name":"a"}]})"),
      "the list of metrics: the group 'group' names the metric 'a' twice; expected each once");
  for (const char* wrong :
       {R"({})", R"({"metrics":{}})", R"({"metrics":[1,2]})", R"({"metrics":[{},{}]})",
        R"({"metrics":[{"name":"a b"},{"name":"b"}]})", R"({"metric":[]})",
        R"({"metrics":[{"name":"a","weight":0},{"name":"b"}]})",
        R"({"metrics":[{"name":"a","weight":1.5},{"name":"b"}]})",
        R"({"metrics":[{"name":"a","periods":0},{"name":"b"}]})",
        R"({"metrics":[{"name":"a","epsilon":1},{"name":"b"}]})",
        R"({"metrics":[{"name":"a","value":{"kind":"text"}},{"name":"b"}]})",
        R"({"metrics":[{"name":"a","changes":4097},{"name":"b"}]})",
        R"({"name":"#","metrics":[{"name":"a"},{"name":"b"}]})"}) {
    EXPECT_NE(why_not(wrong), "") << wrong;
  }
  std::string many = R"({"metrics":[)";
  for (int i = 0; i < 65; ++i)
    many += (i > 0 ? ",{\"name\":\"m" : "{\"name\":\"m") + std::to_string(i) + "\"}";
  EXPECT_NE(why_not(many + "]}").find("more than 64"), std::string::npos);
}

}  // namespace
}  // namespace futurerand
