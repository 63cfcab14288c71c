#include "futurerand/collector/api/route_table.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

CallHandler nothing() {
  return at_once([](const Call&) { return ApiResponse{}; });
}

class RouteTableTest : public testing::Test {
 protected:
  // The pattern and the argument, or which methods there are, or nothing.
  std::string found(std::string_view method, const std::string& target) {
    const auto match = table_.find(method, parse_target(target)->path);
    if (!match) return "nothing";
    if (match->route == nullptr) return "only " + std::string(match->allowed);
    return match->route->method + " " + match->route->pattern + " " + match->argument;
  }

  const RouteTable table_{{{"PUT", "/v1/things/{name}", Access::kAdmin, nothing()},
                           {"GET", "/v1/things", Access::kAnyone, nothing()},
                           {"GET", "/v1/things/{name}", Access::kAnyone, nothing()},
                           {"POST", "/v1/things/{name}/move", Access::kAdmin, nothing()},
                           {"GET", "/files/{file...}", Access::kAnyone, nothing()}}};
};

TEST_F(RouteTableTest, FindsByMethodAndPath) {
  EXPECT_EQ(found("GET", "/v1/things"), "GET /v1/things ");
  EXPECT_EQ(found("GET", "/v1/things/"), "GET /v1/things ");
  EXPECT_EQ(found("GET", "/v1/things/a%2Fb"), "GET /v1/things/{name} a/b");
  EXPECT_EQ(found("PUT", "/v1/things/a"), "PUT /v1/things/{name} a");
  EXPECT_EQ(found("HEAD", "/v1/things/a"), "GET /v1/things/{name} a");
  EXPECT_EQ(found("POST", "/v1/things/a/move?x=1"), "POST /v1/things/{name}/move a");
}

TEST_F(RouteTableTest, AnotherMethodIsToldWhichThereAre) {
  EXPECT_EQ(found("DELETE", "/v1/things/a"), "only PUT, GET, HEAD");
  EXPECT_EQ(found("GET", "/v1/things/a/move"), "only POST");
  EXPECT_EQ(found("HEAD", "/v1/things/a/move"), "only POST");
  EXPECT_EQ(found("get", "/v1/things"), "only GET, HEAD");
  EXPECT_EQ(found("", "/v1/things"), "only GET, HEAD");
}

TEST_F(RouteTableTest, TheRestOfAPath) {
  EXPECT_EQ(found("GET", "/files"), "GET /files/{file...} ");
  EXPECT_EQ(found("GET", "/files/a/b.js"), "GET /files/{file...} a/b.js");
}

TEST_F(RouteTableTest, OtherPathsAreNothing) {
  for (const char* path : {"/", "/v1", "/v2/things", "/v1/things/a/move/on", "/v1/things/a/else"}) {
    EXPECT_EQ(found("GET", path), "nothing") << path;
  }
}

}  // namespace
}  // namespace futurerand
