// Clients of metrics whose values are not yes or no.
#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/core/coding/row.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;
using test::reopen;
using test::sent;
using test::terms_of_values;
using testing_sources::SeededSource;

const std::vector<std::string> kLabels = {"a", "b", "c", "d", "e"};

const CodingSettings kCodings[] = {
    NumberCoding{-10, 40, "C"},      NumberCoding{-10, 40, "C", 5},   CategoryCoding{kLabels, {}},
    CategoryCoding{kLabels, "rest"}, DistributionCoding{-10, 40, ""}, TextCoding{},
};

// Returns a value that the coding takes, often beyond the range of numbers.
Value any_value(const Coding& coding, SeededSource& random) {
  switch (coding.kind()) {
    case CodingKind::kYesNo:
      return random.below(2) == 1;
    case CodingKind::kNumber:
    case CodingKind::kDistribution:
      return static_cast<double>(random.below(7000)) / 100 - 20;
    case CodingKind::kCategory:
    case CodingKind::kText:
      break;
  }
  return std::string_view(kLabels[random.below(5)]);
}

// A device that is saved and restored at every period sends what one sends that never stops.
TEST(ClientValues, AreRestoredByteForByteAtEveryPeriod) {
  for (const CodingSettings& coding : kCodings) {
    for (const Period joined : {1U, 30U}) {
      DeviceUnderTest device(terms_of_values(coding));
      Client straight = device.join(joined);
      SCOPED_TRACE(name_of(straight.coding().kind()));
      const std::string record = device.store.memory.records().rbegin()->first;
      SeededSource random(9);
      for (Period t = joined; t <= 90; ++t) {
        const Bytes saved = device.store.memory.records().at(record);
        MemoryStateStore copy = device.store.memory;
        Result<Client> restored = reopen(device.terms, copy);
        ASSERT_TRUE(restored) << restored.error().message;
        const ClientMemory memory = *ClientCodec::read(saved, device.terms);
        SealedWriter writer(ClientCodec::kKind, revision_of(saved));
        ClientCodec::write(memory, writer);
        ASSERT_EQ(writer.seal(), saved);

        const Value value = any_value(straight.coding(), random);
        ASSERT_TRUE(straight.observe(t, value));
        ASSERT_TRUE(restored->observe(t, value));
        ASSERT_EQ(copy.records().at(record), device.store.memory.records().at(record));
        ASSERT_EQ(sent(*restored), sent(straight));
        if (random.below(4) == 0) {
          ASSERT_TRUE(straight.acknowledge(straight.outbox().next_index));
        }
      }
      EXPECT_TRUE(straight.closed());
    }
  }
}

// Hundreds of planned changes: a level's used signs do not fit into a byte.
TEST(ClientValues, ManyChangesAreRestoredToo) {
  MetricTerms terms = terms_of_values(YesNoCoding{});
  terms.plan = *CertifiedPlan::create(
      *make_plan(Protocol::kInnovation, 700, 300, *Epsilon::parse("1"), Initial::kUnknown));
  DeviceUnderTest device(terms);
  Client straight = device.join();
  for (Period t = 1; t <= 700; ++t) {
    ASSERT_TRUE(straight.observe(t, t % 2 == 0));
    if (t % 60 != 0) continue;
    Result<Client> restored = reopen(device.terms, device.store.memory);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(sent(*restored), sent(straight)) << t;
  }
  const auto& records = device.store.memory.records();
  const Result<ClientMemory> memory = ClientCodec::read(records.rbegin()->second, terms);
  ASSERT_TRUE(memory);
  const std::vector<std::uint32_t> used = memory->device.state().innovation->used;
  EXPECT_GT(*std::max_element(used.begin(), used.end() - 1), 255U);
}

// A label is to its device the yes/no answer to its row's question.
TEST(ClientValues, ALabelIsSentAsTheParityOfItsCodeUnderTheRow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DeviceUnderTest labels(terms_of_values(CategoryCoding{kLabels, {}}), seed);
    DeviceUnderTest answers(terms_of_values(YesNoCoding{}), seed);
    Client client = labels.join();
    Client twin = answers.join();
    ASSERT_EQ(client.id(), twin.id());
    const CodingRow row = row_of(client.coding(), client.id().bytes);
    SeededSource random(seed);
    for (Period t = 1; t <= 90; t += 1 + random.below(4)) {
      const std::uint32_t code = random.below(5);
      ASSERT_TRUE(client.observe(t, std::string_view(kLabels[code])));
      ASSERT_TRUE(twin.observe(t, std::popcount(row & code) % 2 == 1));
    }
    EXPECT_EQ(sent(client), sent(twin)) << seed;
  }
}

// Within the dead band the device goes on with what it holds.
TEST(ClientValues, SmallMovesAreIgnored) {
  const auto lines = [](std::initializer_list<double> values) {
    DeviceUnderTest device(terms_of_values(NumberCoding{0, 100, "ms", 10}));
    Client client = device.join();
    Period t = 0;
    for (const double value : values) EXPECT_TRUE(client.observe(++t, value));
    EXPECT_TRUE(client.observe(91, 0.0));
    return sent(client);
  };
  EXPECT_EQ(lines({50, 59.9, 40.1, 55, 50}), lines({50, 50, 50, 50, 50}));
  EXPECT_NE(lines({50, 10, 90, 20, 70}), lines({50, 50, 50, 50, 50}));
  // Beyond the range is its end.
  EXPECT_EQ(lines({-5, 1e9, 20, -1e300, 99}), lines({0, 100, 20, 0, 99}));
}

TEST(ClientValues, OneOfAnotherKindChangesNothing) {
  const Value all[] = {true, 0.5, std::string_view("a")};
  std::vector<CodingSettings> codings(std::begin(kCodings), std::end(kCodings));
  codings.emplace_back(YesNoCoding{});
  for (const CodingSettings& coding : codings) {
    DeviceUnderTest device(terms_of_values(coding));
    Client client = device.join();
    const CodingKind kind = client.coding().kind();
    const bool numbers = kind == CodingKind::kNumber || kind == CodingKind::kDistribution;
    const Value right = kind == CodingKind::kYesNo ? all[0] : numbers ? all[1] : all[2];
    ASSERT_TRUE(client.observe(1, right));
    const MemoryStateStore before = device.store.memory;
    const std::string lines = to_lines(client.outbox());
    std::vector<Value> wrong;
    for (const Value& value : all) {
      if (value.index() != right.index()) wrong.push_back(value);
    }
    const auto* category = std::get_if<CategoryCoding>(&coding);
    if (category != nullptr && !category->other) wrong.emplace_back(std::string_view("nobody"));
    if (numbers) {
      wrong.emplace_back(std::nan(""));
      wrong.emplace_back(-std::numeric_limits<double>::infinity());
    }
    for (const Value& value : wrong) {
      const Observation two[] = {{2, right}, {3, value}};
      for (const Status& refused : {client.observe(2, value), client.observe(two)}) {
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
      }
    }
    EXPECT_EQ(device.store.memory.records(), before.records());
    EXPECT_EQ(to_lines(client.outbox()), lines);
    EXPECT_EQ(client.now(), 1U);
    EXPECT_TRUE(client.observe(2, right));
  }
}

// The example of docs/device.md, line by line.
TEST(ClientValues, TheExampleOfTheDocumentation) {
  DeviceUnderTest devices[] = {
      DeviceUnderTest(terms_of_values(YesNoCoding{})),
      DeviceUnderTest(terms_of_values(NumberCoding{0, 1, ""})),
      DeviceUnderTest(terms_of_values(DistributionCoding{0, 100, ""})),
      DeviceUnderTest(terms_of_values(CategoryCoding{{"firefox", "chrome"}, {}})),
      DeviceUnderTest(terms_of_values(TextCoding{})),
  };
  Client dark_mode = devices[0].join(), load = devices[1].join(), latency = devices[2].join(),
         browser = devices[3].join(), language = devices[4].join();
  const Period period = 7;
  EXPECT_TRUE(dark_mode.observe(period, true));
  EXPECT_TRUE(load.observe(period, 0.42));
  EXPECT_TRUE(latency.observe(period, 37.5));
  EXPECT_TRUE(browser.observe(period, "firefox"));
  EXPECT_TRUE(language.observe(period, "en-GB"));

  const auto read = [](const char* path) {
    std::ifstream file(std::string(FUTURERAND_SOURCE_DIR) + path);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  const std::string source = read("/futurerand/client/values_test.cpp");
  std::string document = read("/docs/device.md");
  document.erase(0, document.find("Numbers, categories and texts"));
  document.resize(std::min(document.size(), document.find("\n## ")));
  int calls = 0;
  for (std::size_t at = document.find(".observe(period, "); at != document.npos;
       at = document.find(".observe(period, ", at + 1)) {
    const std::size_t start = document.rfind('\n', at) + 1;
    const std::size_t end = document.find(';', at);
    EXPECT_NE(source.find("EXPECT_TRUE(" + document.substr(start, end - start) + ")"), source.npos);
    ++calls;
  }
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace futurerand
