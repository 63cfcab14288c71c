// The golden vectors, replayed by the client itself; and that they cover what a port must get
// right.
#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bindings/vectors/client_vector.hpp"
#include "bindings/vectors/group_vector.hpp"
#include "bindings/vectors/tape_source.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/core/coding/row.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

std::vector<ClientVector> all_vectors() {
  std::ifstream file(FUTURERAND_SOURCE_DIR "/tests/data/vectors.jsonl");
  std::vector<ClientVector> vectors;
  for (std::string line; std::getline(file, line);) {
    Result<ClientVector> vector = parse_vector(line);
    EXPECT_TRUE(vector) << vector.error().message;
    // One spelling, so that writing them again changes only what changed.
    EXPECT_EQ(to_line(*vector), line);
    vectors.push_back(*std::move(vector));
  }
  EXPECT_GT(vectors.size(), 30U);
  return vectors;
}

TEST(ClientVectors, GiveTheirLinesExactly) {
  for (const ClientVector& vector : all_vectors()) {
    for (const bool restart : {false, true}) {
      SCOPED_TRACE(vector.metric + (restart ? ", restarted before each step" : ""));
      const Result<ClientVector> played = replay(vector, restart);
      ASSERT_TRUE(played) << played.error().message;
      EXPECT_EQ(played->steps, vector.steps);
      EXPECT_EQ(played->departure, vector.departure);
    }
    EXPECT_EQ(plan_digest(*parse_plan(vector.plan)), vector.digest) << vector.metric;
  }
}

TEST(ClientVectors, EntropyThatEndsEarlyIsNoEntropy) {
  for (ClientVector vector : all_vectors()) {
    vector.entropy.resize(vector.entropy.size() - 8);
    const Result<ClientVector> played = replay(vector, false);
    ASSERT_FALSE(played) << vector.metric;
    EXPECT_EQ(played.error().code, ErrorCode::kNoEntropy) << vector.metric;
  }
}

TEST(GroupVectors, GiveTheirDrawAndLinesExactly) {
  std::ifstream file(FUTURERAND_SOURCE_DIR "/tests/data/group_vectors.jsonl");
  std::set<std::string> drawn;
  for (std::string line; std::getline(file, line);) {
    const auto vector = nlohmann::ordered_json::parse(line);
    EXPECT_EQ(vector.dump(), line);
    for (const bool restart : {false, true}) {
      const auto bytes = bytes_of_hex(vector["entropy"].get<std::string>());
      TapeSource tape(*bytes);
      const auto played = replay_group(vector, tape, restart);
      ASSERT_TRUE(played) << played.error().message;
      EXPECT_EQ(played->dump(), line);
      EXPECT_EQ(tape.left(), 0U);
    }
    const std::string name = vector["drawn"];
    drawn.insert(name);
    // Only the drawn metric has lines.
    for (const auto& step : vector["steps"]) {
      for (const auto& [metric, lines] : step["lines"].items()) {
        EXPECT_TRUE(metric == name || lines.empty());
      }
    }
    EXPECT_FALSE(vector["steps"][0]["lines"][name].empty());
  }
  EXPECT_EQ(drawn.size(), 3U);
}

TEST(ClientVectors, CoverEveryProtocolLawAndKindOfView) {
  std::set<Protocol> protocols;
  std::set<std::size_t> laws;
  std::set<ViewKind> kinds;
  bool late = false;
  bool silent = false;
  bool later_snapshots = false;
  bool backlog = false;
  for (const ClientVector& vector : all_vectors()) {
    const Plan plan = *parse_plan(vector.plan);
    const auto enrolment = std::get<Enrolment>(*parse_line(vector.steps.front().lines.front()));
    const View& view = plan.views[enrolment.view];
    protocols.insert(plan.protocol);
    laws.insert(view.law.index());
    kinds.insert(view.kind);
    late |= vector.joined > 1;
    later_snapshots |= view.kind == ViewKind::kSnapshot && num_signs(view.law) > 1;
    for (const VectorStep& step : vector.steps) {
      for (const std::string& line : step.lines) {
        const Line parsed = *parse_line(line);
        const auto* report = std::get_if<Report>(&parsed);
        if (report == nullptr) continue;
        silent |= report->signs.has_zero();
        backlog |= report->signs.size() > 3;
      }
    }
  }
  EXPECT_EQ(protocols.size(), kProtocols.size());
  EXPECT_EQ(laws.size(), std::variant_size_v<Law>);
  EXPECT_EQ(kinds.size(), 6U);
  EXPECT_TRUE(late && silent && later_snapshots && backlog);
}

TEST(ClientVectors, CoverEveryKindOfValueAndUnknownStarts) {
  std::set<CodingKind> kinds;
  std::map<CodingKind, std::set<std::uint32_t>> held;  // what rows make of values
  std::set<std::pair<std::uint32_t, bool>> unknown;    // changes, and whether it joined late
  bool clipped = false;
  bool ignored = false;
  bool other = false;
  for (const ClientVector& vector : all_vectors()) {
    const Plan plan = *parse_plan(vector.plan);
    const Coding& coding = plan.coding;
    const auto enrolment = std::get<Enrolment>(*parse_line(vector.steps.front().lines.front()));
    const CodingRow row = row_of(coding, enrolment.client.bytes);
    kinds.insert(coding.kind());
    if (plan.initial == Initial::kUnknown && coding == Coding()) {
      unknown.insert({plan.max_changes, vector.joined > 1});
    }
    std::optional<std::uint32_t> last;
    for (const VectorStep& step : vector.steps) {
      const std::uint32_t now = *coding.held(row, value_of(step.value));
      held[coding.kind()].insert(now);
      if (const auto* number = std::get_if<double>(&step.value)) clipped |= *number > 1e6;
      if (const auto* text = std::get_if<std::string>(&step.value)) {
        const auto& labels = coding.labels();
        other |= !labels.empty() && std::find(labels.begin(), labels.end(), *text) == labels.end();
      }
      ignored |= last && *last != now && coding.moved(*last, now) == *last;
      last = last ? coding.moved(*last, now) : now;
    }
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<CodingSettings>);
  for (const CodingKind kind : kinds) EXPECT_GE(held[kind].size(), 2U) << name_of(kind);
  EXPECT_GE(held[CodingKind::kNumber].size(), 50U);
  for (const std::uint32_t changes : {0U, 3U}) {
    EXPECT_TRUE(unknown.contains({changes, false}) && unknown.contains({changes, true})) << changes;
  }
  EXPECT_TRUE(clipped && ignored && other);
}

// One line that does not depend on the value, once in each period from then on; whether or not
// others waited, and whether or not the collector ever heard of the device.
TEST(ClientVectors, CoverLeavingAndBeingForgotten) {
  std::set<DepartureStep::Call> calls;
  bool others_waited = false;
  bool repeated = false;
  bool unacknowledged = false;
  for (const ClientVector& vector : all_vectors()) {
    if (vector.departure.empty()) continue;
    others_waited |= !vector.steps.back().acknowledged && !vector.steps.back().lines.empty();
    std::set<Period> said;  // periods in which the collector acknowledged it
    for (const DepartureStep& step : vector.departure) {
      calls.insert(step.call);
      ASSERT_EQ(step.lines.size(), said.contains(step.period) ? 0U : 1U) << vector.metric;
      if (step.lines.empty()) continue;
      const Line line = *parse_line(step.lines.front());
      const auto* leave = std::get_if<Leave>(&line);
      EXPECT_TRUE(leave != nullptr || std::holds_alternative<Forget>(line));
      if (leave != nullptr) {
        EXPECT_EQ(leave->period, vector.departure.front().period);
      }
      repeated |= !said.empty();
      unacknowledged |= !step.acknowledged;
      if (step.acknowledged) said.insert(step.period);
    }
  }
  EXPECT_EQ(calls.size(), 3U);
  EXPECT_TRUE(others_waited && repeated && unacknowledged);
}

// Noise that goes wrong past its 64th, 128th, 256th or 1024th symbol sends other lines.
TEST(ClientVectors, CoverLongNoiseThatIsAllUsed) {
  std::map<std::size_t, std::uint32_t> longest;  // noise by shape of law
  std::uint32_t longest_sparse_innovation = 0;
  std::size_t longest_outbox = 0;
  for (const ClientVector& vector : all_vectors()) {
    const Plan plan = *parse_plan(vector.plan);
    const auto enrolment = std::get<Enrolment>(*parse_line(vector.steps.front().lines.front()));
    const View& view = plan.views[enrolment.view];
    std::uint32_t changes = 0;
    KeptValue value = false;
    for (const VectorStep& step : vector.steps) {
      changes += step.value != std::exchange(value, step.value) ? 1U : 0U;
      for (const std::string& line : step.lines) {
        longest_outbox = std::max(longest_outbox, line.size());
      }
    }
    // Of changes all is used only where there are as many.
    const bool is_used =
        view.kind != ViewKind::kChanges || (view.order == 0 && changes >= num_signs(view.law));
    if (!is_used) continue;
    std::uint32_t& most = longest[view.law.index()];
    most = std::max(most, num_signs(view.law));
    if (view.kind == ViewKind::kInnovation && may_be_zero(view.law)) {
      longest_sparse_innovation = std::max(longest_sparse_innovation, num_signs(view.law));
    }
  }
  EXPECT_GE(longest[Law(WeightedThresholdLaw{}).index()], 1100U);
  EXPECT_GE(longest_sparse_innovation, 300U);
  EXPECT_GE(longest[Law(ProductLaw{}).index()], 300U);
  EXPECT_GE(longest[Law(AnnulusLaw{}).index()], 257U);
  EXPECT_GE(longest[Law(ThresholdLaw{}).index()], 200U);
  EXPECT_GE(longest[Law(SparseLaw{}).index()], 100U);
  EXPECT_GE(longest_outbox, 1100U);
}

}  // namespace
}  // namespace futurerand
