// The golden vectors, replayed by the client itself; and that they cover what a port must get
// right.
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bindings/vectors/client_vector.hpp"
#include "futurerand/client/plan_digest.hpp"
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
      const Result<std::vector<VectorStep>> steps = replay(vector, restart);
      ASSERT_TRUE(steps) << steps.error().message;
      EXPECT_EQ(*steps, vector.steps);
    }
    EXPECT_EQ(plan_digest(*parse_plan(vector.plan)), vector.digest) << vector.metric;
  }
}

TEST(ClientVectors, EntropyThatEndsEarlyIsNoEntropy) {
  for (ClientVector vector : all_vectors()) {
    vector.entropy.resize(vector.entropy.size() - 8);
    const Result<std::vector<VectorStep>> steps = replay(vector, false);
    ASSERT_FALSE(steps) << vector.metric;
    EXPECT_EQ(steps.error().code, ErrorCode::kNoEntropy) << vector.metric;
  }
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
        silent |= report->signs.find('0') != report->signs.npos;
        backlog |= report->signs.size() > 3;
      }
    }
  }
  EXPECT_EQ(protocols.size(), kProtocols.size());
  EXPECT_EQ(laws.size(), std::variant_size_v<Law>);
  EXPECT_EQ(kinds.size(), 4U);
  EXPECT_TRUE(late && silent && later_snapshots && backlog);
}

}  // namespace
}  // namespace futurerand
