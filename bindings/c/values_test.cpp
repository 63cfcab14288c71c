// Values of every kind through the C interface: what each metric takes and refuses.
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bindings/c/test/handles_under_test.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using test::Handles;
using test::Records;
using test::Tape;
using test::text_of;
using test::vector_of;

constexpr const char* kKinds[] = {"yes_no", "number", "category", "distribution", "text"};
const double kInfinity = std::numeric_limits<double>::infinity();

// A device in a metric of this kind.
struct Joined {
  explicit Joined(const ClientVector& of) : vector(of), tape{of.entropy} {
    EXPECT_EQ(handles.open(vector, records, tape), FR_OK) << handles.error.message;
  }
  explicit Joined(const char* kind) : Joined(vector_of(kind)) {}

  nlohmann::json about() {
    char* json = nullptr;
    EXPECT_EQ(fr_client_about(handles.client, &json, nullptr), FR_OK);
    return nlohmann::json::parse(text_of(json));
  }
  void refuses(const KeptValue& value, const std::string& message) {
    SCOPED_TRACE(message);
    const auto before = records.saved;
    const nlohmann::json about_before = about();
    EXPECT_EQ(handles.observe(vector.joined, value), FR_INVALID);
    EXPECT_EQ(handles.error.message, message);
    EXPECT_EQ(records.saved, before);
    EXPECT_EQ(about(), about_before);
  }

  ClientVector vector;
  Records records;
  Tape tape;
  Handles handles;
};

// The same metric without a label for others.
ClientVector without_other() {
  ClientVector vector = vector_of("category");
  Plan plan = terms_of(vector)->plan.plan();
  plan.coding = *Coding::create(CategoryCoding{{"firefox", "chrome", "safari"}, {}});
  vector.plan = to_json(plan);
  return vector;
}

TEST(Values, AboutSaysTheKind) {
  for (const char* kind : kKinds) EXPECT_EQ(Joined(kind).about()["value"], kind);
}

// The same metric, split by a public attribute.
ClientVector with_segments() {
  ClientVector vector = vector_of("yes_no");
  Plan plan = terms_of(vector)->plan.plan();
  plan.segments = *Segments::create("platform", {"linux", "mac"});
  vector.plan = to_json(plan);
  return vector;
}

TEST(Segments, AreStatedOnJoining) {
  const ClientVector vector = with_segments();
  Records records;
  Tape tape{vector.entropy};
  Handles of;
  // Opens device and metric, and no client: the segment is missing.
  EXPECT_EQ(of.open(vector, records, tape), FR_INVALID);
  EXPECT_NE(std::string(of.error.message).find("the segment is missing; expected platform as one"),
            std::string::npos)
      << of.error.message;
  const auto open_in = [&](const char* segment) {
    return fr_client_open_in(of.device, of.metric, vector.joined, segment, &of.client, &of.error);
  };
  EXPECT_EQ(open_in("amiga"), FR_INVALID);
  EXPECT_EQ(open_in(nullptr), FR_INVALID);
  EXPECT_EQ(of.client, nullptr);
  ASSERT_EQ(open_in("mac"), FR_OK) << of.error.message;
  char* text = nullptr;
  ASSERT_EQ(fr_client_about(of.client, &text, nullptr), FR_OK);
  EXPECT_EQ(nlohmann::json::parse(text_of(text))["segment"], "mac");
  ASSERT_EQ(fr_client_lines(of.client, &text, nullptr), FR_OK);
  EXPECT_NE(text_of(text).find(",\"segment\":\"mac\"}"), std::string::npos);
  // It stays there, whatever is said later.
  fr_client_close(&of.client);
  ASSERT_EQ(open_in("linux"), FR_OK) << of.error.message;
  ASSERT_EQ(fr_client_about(of.client, &text, nullptr), FR_OK);
  EXPECT_EQ(nlohmann::json::parse(text_of(text))["segment"], "mac");
}

TEST(Values, AnotherKindOfValueIsRefusedAndNothingIsSpent) {
  for (const char* kind : {"number", "distribution"}) {
    Joined device(kind);
    for (const KeptValue& value : {KeptValue(true), KeptValue("firefox"), KeptValue("1.5")}) {
      device.refuses(value, "the value is not a number; this metric takes numbers");
    }
    for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
      device.refuses(value, "the value is not a finite number; expected neither NaN nor infinity");
    }
    EXPECT_EQ(device.handles.observe(device.vector.joined, 37.5), FR_OK);
  }
  for (const char* kind : {"category", "text"}) {
    Joined device(kind);
    for (const KeptValue& value : {KeptValue(true), KeptValue(false), KeptValue(1.0)}) {
      device.refuses(value, "the value is not a text; this metric takes texts");
    }
    EXPECT_EQ(device.handles.observe(device.vector.joined, "firefox"), FR_OK);
  }
  Joined device("yes_no");
  for (const KeptValue& value : {KeptValue(1.0), KeptValue(std::nan("")), KeptValue("yes")}) {
    device.refuses(value, "the value is not yes or no; this metric takes yes or no");
  }
  EXPECT_EQ(device.handles.observe(device.vector.joined, true), FR_OK);
}

TEST(Values, LabelsAndTextsThatAreNoneAreRefused) {
  Joined labels(without_other());
  for (const char* value : {"lynx", "", "firefox ", "Firefox"}) {
    labels.refuses(value,
                   "the value is none of the metric's 3 labels, and the metric has no label for "
                   "others");
  }
  EXPECT_EQ(labels.handles.observe(labels.vector.joined, "safari"), FR_OK);

  Joined texts("text");
  const std::string message =
      "the text is not of 1 to 64 bytes of UTF-8 without control characters";
  for (const std::string& value : {std::string(), std::string(65, 'x'), std::string("a\nb"),
                                   std::string("a\0b", 3), std::string("\xff\xfe")}) {
    texts.refuses(value, message);
  }
  EXPECT_EQ(fr_client_observe_text(texts.handles.client, 1, nullptr, 0, &texts.handles.error),
            FR_INVALID);
  EXPECT_STREQ(texts.handles.error.message, "no text; expected one");
  EXPECT_EQ(texts.handles.observe(texts.vector.joined, std::string(64, 'x')), FR_OK);
}

// Many at once are for yes/no: elsewhere all of them are refused.
TEST(Values, ManyAtOnceAreYesOrNo) {
  for (const char* kind : kKinds) {
    Joined device(kind);
    const auto before = device.records.saved;
    const std::uint32_t periods[] = {1, 2};
    const std::uint8_t values[] = {0, 1};
    const bool taken = std::string(kind) == "yes_no";
    EXPECT_EQ(fr_client_observe_all(device.handles.client, periods, values, 2, nullptr),
              taken ? FR_OK : FR_INVALID);
    EXPECT_EQ(device.records.saved == before, !taken);
  }
}

// The example of docs/porting.md, line by line.
TEST(Values, TheExampleOfTheDocumentation) {
  Joined devices[] = {Joined("yes_no"), Joined("number"), Joined("distribution"),
                      Joined("category"), Joined("text")};
  fr_client* const dark_mode = devices[0].handles.client;
  fr_client* const load = devices[1].handles.client;
  fr_client* const latency = devices[2].handles.client;
  fr_client* const browser = devices[3].handles.client;
  fr_client* const language = devices[4].handles.client;
  const std::uint32_t period = 1;
  fr_error* const error = nullptr;
  EXPECT_EQ(fr_client_observe(dark_mode, period, 1, error), FR_OK);
  EXPECT_EQ(fr_client_observe_number(load, period, 0.42, error), FR_OK);
  EXPECT_EQ(fr_client_observe_number(latency, period, 37.5, error), FR_OK);
  EXPECT_EQ(fr_client_observe_text(browser, period, "firefox", 7, error), FR_OK);
  EXPECT_EQ(fr_client_observe_text(language, period, "en-GB", 5, error), FR_OK);

  const auto read = [](const char* path) {
    std::ifstream file(std::string(FUTURERAND_SOURCE_DIR) + path);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  const std::string source = read("/bindings/c/values_test.cpp");
  const std::string document = read("/docs/porting.md");
  std::size_t calls = 0;
  for (std::size_t at = document.find("\nfr_client_observe"); at != document.npos;
       at = document.find("\nfr_client_observe", at + 1)) {
    const std::size_t end = document.find(';', at);
    EXPECT_NE(source.find("EXPECT_EQ(" + document.substr(at + 1, end - at - 1) + ", FR_OK)"),
              source.npos);
    ++calls;
  }
  EXPECT_EQ(calls, 5U);
}

}  // namespace
}  // namespace futurerand
