#include "futurerand/wire/metric_sections.hpp"

#include <string>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(MetricSections, AreSplitByTheirLines) {
  const std::string body =
      section_line("a") + "1\n2\n" + section_line("b") + section_line("c") + "3";
  const Result<std::vector<MetricSection>> sections = split_sections(body);
  ASSERT_TRUE(sections) << sections.error().message;
  ASSERT_EQ(sections->size(), 3U);
  EXPECT_EQ((*sections)[0].metric, "a");
  EXPECT_EQ((*sections)[0].lines, "1\n2\n");
  EXPECT_EQ((*sections)[1].lines, "");
  EXPECT_EQ((*sections)[2].lines, "3");
  for (const std::string& wrong :
       {std::string(), std::string("1\n"), "1\n" + section_line("a"),
        section_line("a") + section_line("a"), std::string("{\"metric\":1}\n"),
        std::string("{\"metric\":\"a\",\"more\":1}\n"), std::string("{\"metric\":\"a\"\n")}) {
    EXPECT_FALSE(split_sections(wrong)) << wrong;
  }
  const std::string season = "{\"metric\":\"a\",\"season\":3}\n";
  EXPECT_EQ(section_line("a#3"), season);
  EXPECT_EQ((*split_sections(season + "1\n"))[0].metric, "a#3");
  EXPECT_EQ((*parse_section_answers(to_json({{"a#3", 200, "{}"}})))[0].metric, "a#3");
  EXPECT_FALSE(split_sections("{\"metric\":\"a\",\"season\":-1}\n"));
  std::string many;
  for (std::size_t i = 0; i < kMaxSections; ++i) many += section_line("m" + std::to_string(i));
  EXPECT_TRUE(split_sections(many));
  EXPECT_FALSE(split_sections(many + section_line("one more")));
}

TEST(MetricSections, AnswersComeBackAsTheyWere) {
  const std::vector<SectionAnswer> answers = {
      {"a\"b", 200, R"({"accepted":1})"}, {"c", 404, R"({"error":{"code":"x","message":"y"}})"}};
  const Result<std::vector<SectionAnswer>> read = parse_section_answers(to_json(answers) + "\n");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*read)[i].metric, answers[i].metric);
    EXPECT_EQ((*read)[i].status, answers[i].status);
    EXPECT_EQ((*read)[i].answer, answers[i].answer);
  }
  for (const char* wrong : {"", "[]", "{}", R"({"metrics":1})", R"({"metrics":[{"metric":"a"}]})",
                            R"({"metrics":[{"metric":"a","status":9}]})"}) {
    EXPECT_FALSE(parse_section_answers(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace futurerand
