#include "futurerand/wire/wire.hpp"

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/packed_signs.hpp"
#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/wire/canonical_line.hpp"

namespace futurerand {
namespace {

std::vector<std::string> golden_lines(Protocol protocol) {
  std::ifstream file(std::string(FUTURERAND_SOURCE_DIR "/tests/data/wire/") +
                     std::string(name_of(protocol)) + ".jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string written(const Line& line) {
  return std::visit([](const auto& parsed) { return to_line(parsed); }, line);
}

std::string error_of(std::string_view line) {
  const Result<Line> parsed = parse_line(line);
  return parsed ? "accepted" : parsed.error().message;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string kEnrolment =
    R"({"client":"00112233445566778899aabbccddeeff","view":2,"period":7})";
const std::string kReport =
    R"({"client":"00112233445566778899aabbccddeeff","index":3,"signs":"+-+"})";

TEST(Wire, GoldenFilesParseAndWriteByteForByte) {
  for (const Protocol protocol : kProtocols) {
    const std::vector<std::string> lines = golden_lines(protocol);
    ASSERT_GT(lines.size(), 2U) << name_of(protocol);
    for (const std::string& line : lines) {
      const Result<Line> parsed = parse_line(line);
      ASSERT_TRUE(parsed) << parsed.error().message << "\n" << line;
      EXPECT_EQ(written(*parsed), line);
      const Result<Line> slowly = parse_any_line(line);
      ASSERT_TRUE(slowly) << slowly.error().message;
      EXPECT_EQ(*slowly, *parsed);
    }
    EXPECT_EQ(std::get<Header>(*parse_line(lines[0])).plan.protocol, protocol);
  }
}

TEST(Wire, DeparturesParseAndWriteByteForByte) {
  const std::string id = "00112233445566778899aabbccddeeff";
  const std::string leave = R"({"client":")" + id + R"(","leave":7})";
  const std::string forget = R"({"client":")" + id + R"(","forget":true})";
  EXPECT_EQ(std::get<Leave>(*parse_line(leave)), (Leave{*parse_client_id(id), 7}));
  EXPECT_EQ(std::get<Forget>(*parse_line(forget)), (Forget{*parse_client_id(id)}));
  for (const std::string& line : {leave, forget}) {
    EXPECT_EQ(written(*parse_line(line)), line);
    EXPECT_EQ(*parse_any_line(line), *parse_line(line));
    EXPECT_TRUE(parse_canonical_line(line));
    EXPECT_NE(error_of(replaced(line, "}", ",\"more\":1}")), "accepted");
    EXPECT_NE(error_of(replaced(line, "\"00", "\"0X")), "accepted");
    EXPECT_NE(error_of(line + "}"), "accepted");
  }
  for (const char* wrong : {"0", "-1", "1048577", "\"7\"", "true", "7.5"}) {
    EXPECT_NE(error_of(replaced(leave, "7}", std::string(wrong) + "}")), "accepted") << wrong;
  }
  for (const char* wrong : {"false", "1", "\"true\"", "null"}) {
    EXPECT_NE(error_of(replaced(forget, "true", wrong)), "accepted") << wrong;
  }
}

TEST(Wire, PlansSurvive) {
  for (const Protocol protocol : kProtocols) {
    for (const Period periods : {1U, 2U, 37U, 1024U, kMaxPeriods}) {
      const Result<Plan> plan = make_plan(protocol, periods, changes_for(protocol, 5),
                                          *Epsilon::parse("0.123456789"), initial_for(protocol));
      ASSERT_TRUE(plan || protocol == Protocol::kInnovation || protocol == Protocol::kPulse);
      if (!plan) continue;
      const Result<Plan> parsed = parse_plan(to_json(*plan));
      ASSERT_TRUE(parsed) << parsed.error().message;
      EXPECT_EQ(*parsed, *plan);
    }
  }
}

TEST(Wire, LinesAreThoseOfTheContract) {
  ClientId client;
  for (std::uint8_t i = 0; i < 16; ++i) client.bytes[i] = static_cast<std::uint8_t>(i * 17);
  EXPECT_EQ(to_line(Enrolment{client, 2, 7, 0}), kEnrolment);
  EXPECT_EQ(to_line(Enrolment{client, 2, 7, 4}), replaced(kEnrolment, "}", ",\"index\":4}"));
  EXPECT_EQ(to_line(Report{client, 3, packed_signs("+-+")}), kReport);
}

TEST(Wire, OrderAndSpaceDoNotMatter) {
  const Result<Line> parsed = parse_line(
      R"( { "signs" : "+-+", "index": 3, "client":"00112233445566778899aabbccddeeff" } )");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(written(*parsed), kReport);
}

TEST(Wire, AnotherVersionIsNamed) {
  const std::string header = golden_lines(Protocol::kOptimal)[0];
  EXPECT_EQ(error_of(replaced(header, "\"futurerand\":1", "\"futurerand\":2")),
            "the line has version 2 of the format; this program reads version 1");
  EXPECT_EQ(error_of(R"({"futurerand":7,"anything":true})"),
            "the line has version 7 of the format; this program reads version 1");
}

TEST(Wire, ReasonsSayWhatWasExpected) {
  const auto says = [](const std::string& line, const std::string& part) {
    EXPECT_NE(error_of(line).find(part), std::string::npos) << line << "\n" << error_of(line);
  };
  says("", "expected one whole JSON object");
  says("[1]", "expected one whole JSON object");
  says(kReport.substr(0, 40), "expected one whole JSON object");
  says(kReport + "x", "expected one whole JSON object");
  says("{}", "expected a header, an enrolment");
  says(R"({"user":1,"period":1,"value":1})", "expected a header, an enrolment");
  says(replaced(kReport, "00112233", "0011223"), "expected 32 hex digits");
  says(replaced(kReport, "aabb", "AABB"), "lower case");
  says(replaced(kReport, ":3", ":0"), "index is 0; expected 1 to 1048576");
  says(replaced(kReport, ":3", ":3.0"), "index is no whole number");
  says(replaced(kReport, ":3", ":-3"), "index is no whole number");
  says(replaced(kReport, ":3", ":\"3\""), "index is no whole number");
  says(replaced(kReport, ":3", ":99999999999999999999"), "index is no whole number");
  says(replaced(kReport, ":3", ":1048575"), "expected 1 to 2 of '+', '-' and '0'");
  says(replaced(kReport, "+-+", ""), "of '+', '-' and '0'");
  says(replaced(kReport, "+-+", "+x+"), "signs are '+x+'");
  says(replaced(kReport, "}", ",\"value\":1}"), "unknown key 'value'");
  says(replaced(kReport, "}", ",\"index\":4}"), "the key 'index' repeats");
  says(replaced(kEnrolment, "\"period\":7", "\"period\":1048577"), "expected 1 to 1048576");
  says(replaced(kEnrolment, ",\"period\":7", ""), "the key 'period' is missing");
  says(replaced(kEnrolment, "}", ",\"index\":0}"), "expected 1 to");
  says(std::string(3'000'000, ' '), "expected at most 2097152");
}

TEST(Wire, PlansAreRead) {
  const std::string header = golden_lines(Protocol::kOptimal)[0];
  const auto says = [&](std::string_view from, std::string_view to, const std::string& part) {
    const std::string line = replaced(header, from, to);
    EXPECT_NE(error_of(line).find(part), std::string::npos) << error_of(line);
  };
  says("\"0.75\"", "0.75", "epsilon is no string");
  says("\"0.75\"", "\"7.5e-1\"", "is not a plain decimal");
  says("\"0.75\"", "\"99\"", "out of range");
  says("\"optimal\"", "\"bogus\"",
       "protocol 'bogus' is unknown; expected one of innovation, hybrid");
  says("\"periods\":50", "\"periods\":0", "periods is 0; expected 1 to 1048576");
  says("\"periods\":50", "\"periods\":64", "these are not the views of a plan of optimal");
  says("\"kind\":\"changes\"", "\"kind\":\"raw\"", "views[0]: kind 'raw' is unknown");
  says("\"weight\":1", "\"weight\":0", "views[0]: weight is 0");
  says("\"shape\":\"threshold\"", "\"shape\":\"square\"", "views[0]: law: shape 'square'");
  says("\"tau\":1", "\"tau\":3", "tau 3 is out of range");
  says("\"tau\":1", "\"tau\":1,\"x\":1", "unknown key 'x'");
  says("\"low_side\":\"", "\"low_side\":\"0", "decimal digits below 2^64");
  says("\"seeded\":true", "\"seeded\":1", "seeded is neither true nor false");
  says(",\"seeded\":true", "", "the key 'seeded' is missing");
}

TEST(Wire, PlansOfInnovationAreRead) {
  const std::string plan = to_json(*make_plan(Protocol::kInnovation, 12, 2, *Epsilon::parse("1")));
  ASSERT_TRUE(parse_plan(plan));
  const auto says = [&](std::string_view from, std::string_view to, const std::string& part) {
    const Result<Plan> read = parse_plan(replaced(plan, from, to));
    ASSERT_FALSE(read) << to;
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
  };
  says("\"counts\":[", "\"counts\":[2,", "have different lengths");
  says("\"counts\":[2", "\"counts\":[1", "the counts of its levels sum to 11");
  says("\"counts\":[2", "\"counts\":[-2", "counts has an entry that is no whole number");
  says("\"weights\":[", "\"weights\":[\"1\",", "weights has an entry that is no whole number");
  says("\"gaps\":[", "\"gaps\":7,\"x\":[", "unknown key 'x'");
  says("\"theta\":", "\"theta\":99999999", "theta is");
  says("\"kind\":\"innovation\"", "\"kind\":\"values\"",
       "innovation and weighted thresholds go together");
  says("\"order\":0", "\"order\":1", "not the views of a plan of innovation");
}

TEST(Wire, SparsePlansOfInnovationAreRead) {
  const Plan quiet = *make_plan(Protocol::kInnovation, 40, 1, *Epsilon::parse("4"));
  ASSERT_TRUE(may_be_zero(quiet.views[0].law));
  const std::string plan = to_json(quiet);
  const Result<Plan> read = parse_plan(plan);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, quiet);
  const std::size_t at = plan.find("\"nonzero\":");
  ASSERT_NE(at, std::string::npos);
  const std::string nonzero = plan.substr(at, plan.find(',', at) - at);
  const auto says = [&](const std::string& instead, const std::string& part) {
    const Result<Plan> other = parse_plan(replaced(plan, nonzero, instead));
    ASSERT_FALSE(other) << instead;
    EXPECT_NE(other.error().message.find(part), std::string::npos) << other.error().message;
  };
  says("\"nonzero\":12345", "nonzero 12345 is out of range");
  says("\"nonzero\":0", "nonzero 0 is out of range");
  says("\"nonzero\":65536", "nonzero is");  // what always speaks has no such key
  says("\"nonzero\":\"4096\"", "nonzero is");
}

// The quick parser may accept only what the general one accepts, and must read the same in it.
TEST(Wire, BothParsersAgreeOnMutatedLines) {
  std::vector<std::string> lines;
  for (const Protocol protocol : kProtocols) {
    const std::vector<std::string> golden = golden_lines(protocol);
    lines.insert(lines.end(), golden.begin() + 1, golden.end());
  }
  const std::string alphabet = "{}\":,+-0123456789abcdefABF \\.e\x01\x80indexsignsviewperiodclient";
  std::mt19937 random(20260101);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<>(0, int(n) - 1)(random);
  };
  int quick = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string line = lines[static_cast<std::size_t>(below(lines.size()))];
    for (int edits = below(3); edits >= 0; --edits) {
      const auto at = static_cast<std::size_t>(below(line.size()));
      const char c = alphabet[static_cast<std::size_t>(below(alphabet.size()))];
      switch (below(4)) {
        case 0:
          line[at] = c;
          break;
        case 1:
          line.insert(at, 1, c);
          break;
        case 2:
          line.erase(at, 1);
          break;
        default:
          line.insert(at, line.substr(at, static_cast<std::size_t>(below(12))));
          break;
      }
    }
    const std::optional<Line> canonical = parse_canonical_line(line);
    if (!canonical) continue;
    ++quick;
    const Result<Line> general = parse_any_line(line);
    ASSERT_TRUE(general) << line << "\n" << general.error().message;
    ASSERT_EQ(*general, *canonical) << line;
    ASSERT_EQ(written(*canonical), line);
  }
  EXPECT_GT(quick, 1000);
}

}  // namespace
}  // namespace futurerand
