#include "futurerand/estimator/coding/top_labels.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/estimator/coding/candidates.hpp"

namespace futurerand {
namespace {

// The rule from its definition: the largest k such that at least k tails are at most k rate / m.
std::vector<std::uint32_t> by_definition(const std::vector<Measurement>& counts, double rate) {
  std::vector<double> tails;
  for (const Measurement& at : counts) {
    tails.push_back(0.5 * std::erfc(at.value / std::sqrt(at.variance) / std::sqrt(2.0)));
  }
  const auto m = static_cast<double>(counts.size());
  double limit = -1;
  for (std::size_t k = 1; k <= counts.size(); ++k) {
    const double bar = static_cast<double>(k) * rate / m;
    const auto below =
        std::count_if(tails.begin(), tails.end(), [&](double tail) { return tail <= bar; });
    if (static_cast<std::size_t>(below) >= k) limit = bar;
  }
  std::vector<std::uint32_t> places;
  for (std::uint32_t v = 0; v < counts.size(); ++v) {
    if (tails[v] <= limit) places.push_back(v);
  }
  return places;
}

TEST(TopLabels, FollowTheStepUpRuleAndItsRate) {
  constexpr std::uint32_t kLabels = 200, kHeld = 20;
  constexpr int kTrials = 2'000;
  constexpr double kRate = 0.1;
  std::mt19937_64 random(1995);
  std::normal_distribution<double> noise(0, 3);
  double false_share = 0, power = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Measurement> counts;
    for (std::uint32_t v = 0; v < kLabels; ++v) {
      counts.push_back({noise(random) + (v < kHeld ? 9 : 0), 9});
    }
    std::vector<std::uint32_t> found = top_labels(counts, kRate);
    for (std::size_t i = 1; i < found.size(); ++i) {
      ASSERT_GE(counts[found[i - 1]].value, counts[found[i]].value);
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, by_definition(counts, kRate));
    const auto right =
        std::count_if(found.begin(), found.end(), [](std::uint32_t v) { return v < kHeld; });
    const auto wrong = static_cast<double>(found.size()) - static_cast<double>(right);
    false_share += wrong / std::max(1.0, static_cast<double>(found.size())) / kTrials;
    power += static_cast<double>(right) / kHeld / kTrials;
  }
  // The rate is exactly rate * 180/200 for independent errors. A trial's share has sd 0.07, so the
  // mean has sd 0.0016: five sd are 0.008, a chance of 6e-7.
  EXPECT_NEAR(false_share, kRate * (kLabels - kHeld) / kLabels, 0.008);
  EXPECT_GT(power, 0.5);
}

TEST(TopLabels, CompareWithTheBackground) {
  const std::vector<Measurement> counts = {{100, 4}, {90, 4}, {110, 4}};
  EXPECT_EQ(top_labels(counts, 0.05), (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_EQ(top_labels(counts, 0.05, 95), (std::vector<std::uint32_t>{2, 0}));
  EXPECT_TRUE(top_labels(counts, 0.05, 200).empty());
  EXPECT_TRUE(top_labels({}, 0.05).empty());
  EXPECT_EQ(top_labels({{0, 0}, {1, 0}}, 0.05), std::vector<std::uint32_t>{1});
}

TEST(Candidates, ShareACountIfTheyShareAHash) {
  const Coding coding = *Coding::create(TextCoding{8});
  std::vector<std::string> list;
  for (int i = 0; i < 1000; ++i) list.push_back("text " + std::to_string(i));
  const auto groups = *group_candidates(coding, list);
  std::size_t texts = 0, shared = 0;
  for (const CandidateGroup& group : groups) {
    texts += group.texts.size();
    shared += group.texts.size() > 1 ? 1U : 0U;
    for (const std::string& text : group.texts) {
      EXPECT_EQ(*coding.code(std::string_view(text)), group.code);
    }
  }
  EXPECT_EQ(texts, 1000U);
  EXPECT_GT(shared, 200U);
  EXPECT_LE(groups.size(), 256U);
  EXPECT_EQ(groups[0].texts[0], "text 0");

  list.push_back("text 1");
  EXPECT_EQ(group_candidates(coding, list).error().message,
            "the candidate 'text 1' occurs twice; expected distinct candidates");
  EXPECT_EQ(group_candidates(coding, {"a", ""}).error().message,
            "candidate 2 has 0 bytes; expected 1 to 64 bytes of UTF-8 without control characters");
  std::vector<std::string> many;
  for (int i = 0; i < 65'537; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(group_candidates(coding, many).error().message,
            "the list has 65537 candidates; expected at most 65536");
  EXPECT_TRUE(group_candidates(coding, {})->empty());
}

}  // namespace
}  // namespace futurerand
