#include "futurerand/collector/api/access_tokens.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

constexpr Access kAll[] = {Access::kAnyone, Access::kSubmit, Access::kTerms, Access::kRead,
                           Access::kAdmin};

// What each access answers to a header, 200 standing for nothing: anyone, submit, terms, read,
// admin.
std::vector<int> answers(const AccessTokens& tokens, const std::string& authorization) {
  std::vector<int> statuses;
  for (const Access access : kAll) {
    const auto refused = tokens.refuse(ApiRequest{.authorization = authorization}, access);
    statuses.push_back(refused ? refused->status : 200);
  }
  return statuses;
}

using Statuses = std::vector<int>;

TEST(AccessTokens, OpenCallsByKind) {
  const AccessTokens tokens(
      {.admin = {"admin one"}, .read = {"read one"}, .submit = {"submit one"}});
  EXPECT_EQ(answers(tokens, ""), (Statuses{200, 401, 401, 401, 401}));
  EXPECT_EQ(answers(tokens, "Bearer admin one"), (Statuses{200, 200, 200, 200, 200}));
  EXPECT_EQ(answers(tokens, "Bearer read one"), (Statuses{200, 403, 200, 200, 403}));
  EXPECT_EQ(answers(tokens, "Bearer submit one"), (Statuses{200, 200, 200, 403, 403}));
}

TEST(AccessTokens, NearMissesAreWrong) {
  const AccessTokens tokens(
      {.admin = {"admin one"}, .read = {"read one"}, .submit = {"submit one"}});
  for (const char* wrong : {"Bearer ", "Bearer", "bearer admin one", "Bearer admin on",
                            "Bearer admin onee", "Bearer  admin one", "Bearer admin one ",
                            "Basic admin one", "admin one", "Bearer Admin one"}) {
    EXPECT_EQ(answers(tokens, wrong), (Statuses{200, 401, 401, 401, 401})) << wrong;
  }
}

TEST(AccessTokens, WhatHasNoListIsOpenExceptTheAdmins) {
  EXPECT_EQ(answers(AccessTokens(), ""), (Statuses{200, 200, 200, 200, 403}));
  EXPECT_EQ(answers(AccessTokens(), "Bearer "), (Statuses{200, 200, 200, 200, 403}));
  const AccessTokens reading({.read = {"read one"}});
  EXPECT_EQ(answers(reading, ""), (Statuses{200, 200, 200, 401, 403}));
  const AccessTokens submitting({.submit = {"submit one"}});
  EXPECT_EQ(answers(submitting, ""), (Statuses{200, 401, 200, 200, 403}));
}

TEST(AccessTokens, AreReplacedAsAWhole) {
  AccessTokens tokens({.admin = {"old", "new"}});
  EXPECT_FALSE(tokens.refuse(ApiRequest{.authorization = "Bearer old"}, Access::kAdmin));
  EXPECT_FALSE(tokens.refuse(ApiRequest{.authorization = "Bearer new"}, Access::kAdmin));
  tokens.replace({.admin = {"new"}});
  EXPECT_TRUE(tokens.refuse(ApiRequest{.authorization = "Bearer old"}, Access::kAdmin));
  EXPECT_FALSE(tokens.refuse(ApiRequest{.authorization = "Bearer new"}, Access::kAdmin));
}

TEST(AccessTokens, AreNeverInAnAnswer) {
  const AccessTokens tokens(
      {.admin = {"secret admin"}, .read = {"secret read"}, .submit = {"secret s"}});
  for (const char* given : {"", "Bearer secret read", "Bearer secret guess"}) {
    for (const Access access : kAll) {
      const auto refused = tokens.refuse(ApiRequest{.authorization = given}, access);
      EXPECT_TRUE(!refused || refused->body.find("secret") == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace futurerand
