#include "apps/cli/event_log.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace futurerand::apps {
namespace {

TEST(EventLog, IsOneJsonObjectALine) {
  const auto time =
      std::chrono::system_clock::time_point(std::chrono::milliseconds(1'769'860'800'007));
  const std::string line =
      json_log_line(time, "info", "serve", "listening", "it said \"no\"\n\xff and ended");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const nlohmann::json parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["time"], "2026-01-31T12:00:00.007Z");
  EXPECT_EQ(parsed["level"], "info");
  EXPECT_EQ(parsed["program"], "serve");
  EXPECT_EQ(parsed["event"], "listening");
  EXPECT_EQ(parsed["message"], "it said \"no\"\n\xef\xbf\xbd and ended");
}

TEST(EventLog, TextAndJsonGoToStderr) {
  testing::internal::CaptureStderr();
  EventLog("serve", LogFormat::kText).put("info", "listening", "hello");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "serve: hello\n");
  testing::internal::CaptureStderr();
  EventLog("serve", LogFormat::kJson).put("warning", "no_room", "hello");
  EXPECT_EQ(nlohmann::json::parse(testing::internal::GetCapturedStderr())["level"], "warning");
}

}  // namespace
}  // namespace futurerand::apps
