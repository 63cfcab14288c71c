#include "futurerand/collector/api/answer_or_fail.hpp"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

struct Noted {
  std::vector<int> statuses = {};
  std::vector<std::string> said = {};

  template <typename Work>
  void run(const Work& work) {
    answer_or_fail([this](const ApiResponse& response) { statuses.push_back(response.status); },
                   [this](Event, const std::string& line) { said.push_back(line); }, work);
  }
};

TEST(AnswerOrFail, AnExceptionIsAnswered500AndLogged) {
  Noted noted;
  noted.run([](const Respond&) { throw std::runtime_error("out of luck"); });
  EXPECT_EQ(noted.statuses, std::vector<int>{500});
  EXPECT_EQ(noted.said, std::vector<std::string>{"a call failed: out of luck"});
}

TEST(AnswerOrFail, AnswersOnce) {
  Noted noted;
  noted.run([](const Respond& respond) { respond(error_response(404, "none", "none")); });
  EXPECT_TRUE(noted.said.empty());
  noted.run([](const Respond& respond) {
    respond(error_response(409, "late", "late"));
    throw std::runtime_error("after it");
  });
  EXPECT_EQ(noted.statuses, (std::vector<int>{404, 409}));
  EXPECT_EQ(noted.said.size(), 1U);
}

}  // namespace
}  // namespace futurerand
