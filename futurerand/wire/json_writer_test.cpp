#include "futurerand/wire/json_writer.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace futurerand {
namespace {

TEST(JsonWriter, PlacesCommas) {
  JsonWriter json;
  json.begin_object().member("a", 1).key("b").begin_array().value(2).value(-3);
  json.begin_object().end_object().begin_array().end_array().end_array();
  json.array("c", std::vector<int>{4, 5}).array("d", std::vector<int>{});
  json.key("e").json("[6]").member("f", true).end_object();
  EXPECT_EQ(std::move(json).take(),
            R"({"a":1,"b":[2,-3,{},[]],"c":[4,5],"d":[],"e":[6],"f":true})");
}

TEST(JsonWriter, NumbersComeBackAsTheyWere) {
  for (const double value : {0.1, 1e300, -2.5, 5e-324, 1.0 / 3}) {
    JsonWriter json;
    EXPECT_EQ(nlohmann::json::parse(std::move(json.value(value)).take()).get<double>(), value);
  }
  JsonWriter json;
  json.begin_array().value(UINT64_MAX).value(INT64_MIN).value(1.0).value(NAN);
  json.value(std::numeric_limits<double>::infinity()).value(std::optional<double>());
  EXPECT_EQ(std::move(json.end_array()).take(),
            "[18446744073709551615,-9223372036854775808,1,null,null,null]");
}

TEST(JsonWriter, EscapesText) {
  JsonWriter json;
  json.begin_array().value("plain").value("a\"b\\c\n").value(std::string("\xff")).value("é");
  json.end_array();
  EXPECT_EQ(std::move(json).take(), "[\"plain\",\"a\\\"b\\\\c\\n\",\"\ufffd\",\"é\"]");
  JsonWriter object;
  object.begin_object().text_or_null("a", "").text_or_null("b", "x").end_object();
  EXPECT_EQ(std::move(object).take(), R"({"a":null,"b":"x"})");
}

}  // namespace
}  // namespace futurerand
