// Devices of `innovation` end to end against the definition, path by path. The test runs every
// noise vector, every history of values (including more than k changes) and every period of
// joining, at epsilon 1, 2, 4 and 8. In every period it tries both sides of the edge between two
// levels, or between a level and the coin, and each coin. There is only one edge, so all bits
// between are covered too.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/test/innovation_definition.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/device/test/definitions.hpp"
#include "futurerand/device/test/innovation_plans.hpp"

namespace futurerand {
namespace {

using test::InnovationDefinition;
using test::ScriptedSource;

// Two periods share a word, the odd one its lower half. Unused bits are set: they must not matter.
ScriptedSource innovation_words(Period joined, const std::vector<std::uint32_t>& units) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint32_t index = joined + static_cast<Period>(i) - 1;
    if (i == 0 || index % 2 == 0) words.push_back(~std::uint64_t{0});
    const std::uint32_t shift = index % 2 * 32;
    words.back() &= ~(std::uint64_t{UINT32_MAX} << shift);
    words.back() |= std::uint64_t{units[i]} << shift;
  }
  return ScriptedSource(std::move(words));
}

class InnovationLives {
 public:
  InnovationLives(const CertifiedPlan& plan, Period joined)
      : plan_(plan),
        law_(std::get<WeightedThresholdLaw>(plan.plan().views.front().law)),
        joined_(joined),
        length_(plan.plan().num_periods - joined + 1) {}

  void expect_as_defined() {
    const bool silence = law_.nonzero < 65'536;
    for (const definitions::Symbols& symbols : definitions::all_symbols(law_.num_signs, silence)) {
      noise_ = definitions::vector_of(symbols, silence);
      follow(InnovationDefinition(law_, noise_));
    }
    EXPECT_GT(churn_, 0U);
  }

 private:
  // Returns bits for the next period. The first is the largest value that takes the higher level.
  // For each coin there is also a value above it, at one end of the coin's range and at one end of
  // the range above the edge.
  std::vector<std::uint32_t> edges(const InnovationDefinition& device, bool value) {
    const std::uint32_t spoken = law_.nonzero / 256;
    const std::vector<std::uint32_t> first_coins = {0, spoken / 2, spoken};
    const std::vector<std::uint32_t> last_coins = {spoken / 2 - 1, spoken - 1, 255};
    const std::vector<std::uint32_t> ends = !device.sparse()  ? std::vector<std::uint32_t>{0, 1}
                                            : churn_ % 2 == 0 ? first_coins
                                                              : last_coins;
    const std::uint64_t all = device.num_decisions(), used = device.num_high(value);
    const auto unit = [&](std::uint64_t decision, std::uint32_t coin) {
      return static_cast<std::uint32_t>(decision << device.coin_bits() | coin);
    };
    std::vector<std::uint32_t> units;
    if (used > 0) units.push_back(unit(used - 1, ends[churn_ % ends.size()]));
    for (std::size_t i = 0; i < ends.size() && used < all; ++i) {
      units.push_back(unit(i == 0 ? used : all - 1, ends[i]));
    }
    return units;
  }

  void follow(const InnovationDefinition& device) {
    if (values_.size() == length_) return expect_this_life();
    for (const bool value : {false, true}) {
      for (const std::uint32_t unit : edges(device, value)) {
        InnovationDefinition later = device;
        values_.push_back(value);
        units_.push_back(unit);
        expected_.push_back(later.next(value, unit));
        follow(later);
        values_.pop_back();
        units_.pop_back();
        expected_.pop_back();
      }
    }
  }

  // Every other device observes only changes and the end.
  void expect_this_life() {
    const bool always = ++churn_ % 2 == 0;
    Device device = *Device::restore(plan_, {0, joined_, 0, PartialSums(joined_), noise_, 0, 0,
                                             InnovationMemory(*plan_.innovation_levels(), 0)});
    ScriptedSource words = innovation_words(joined_, units_);
    std::vector<Sign> sent;
    for (std::size_t i = 0; i < length_; ++i) {
      // If the start is unknown, the first value observed counts from joining on.
      const bool is_start = i == 0 && plan_.plan().initial == Initial::kUnknown;
      const bool changes = is_start || values_[i] != (i > 0 && values_[i - 1]);
      if (!always && !changes && i + 1 < length_) continue;
      const bool fine = device.observe(joined_ + static_cast<Period>(i), values_[i], words,
                                       [&](const SignRun& run) {
                                         ASSERT_EQ(run.first_index, joined_ + sent.size());
                                         for (std::uint32_t j = 0; j < run.count; ++j)
                                           sent.push_back(run.at(j));
                                       });
      ASSERT_TRUE(fine);
    }
    EXPECT_EQ(sent, expected_);
  }

  const CertifiedPlan& plan_;
  const WeightedThresholdLaw& law_;
  const Period joined_;
  const std::size_t length_;
  SignVector noise_{0};
  std::vector<bool> values_;
  std::vector<std::uint32_t> units_;
  std::vector<Sign> expected_;
  std::uint64_t churn_ = 0;
};

void expect_innovation_as_defined(const Plan& terms) {
  SCOPED_TRACE(std::to_string(terms.num_periods) + " periods at " + terms.epsilon.text());
  const CertifiedPlan plan = *CertifiedPlan::create(terms);
  for (Period joined = 1; joined <= terms.num_periods; ++joined) {
    InnovationLives(plan, joined).expect_as_defined();
  }
}

TEST(InnovationEnumeration, LivesAreThoseOfTheDefinition) {
  for (const char* epsilon : definitions::kEpsilons) {
    for (const std::uint32_t changes : {1U, 2U, 3U}) {
      expect_innovation_as_defined(
          *make_plan(Protocol::kInnovation, 5, changes, *Epsilon::parse(epsilon)));
      expect_innovation_as_defined(*make_plan(Protocol::kInnovation, 5, changes - 1,
                                              *Epsilon::parse(epsilon), Initial::kUnknown));
    }
  }
}

// The design is sparse for longer horizons only.
TEST(InnovationEnumeration, SparseLivesToo) {
  for (const char* epsilon : {"4", "8"}) {
    for (const std::uint32_t rarity : {2U, 7U}) {
      expect_innovation_as_defined(innovation_plan_of({{1, 9, 1}, {1, 5, 1}, {2, 2, 1}}, 9, 1,
                                                      *Epsilon::parse(epsilon), rarity));
      expect_innovation_as_defined(
          innovation_plan_of({{2, 4, 1}, {2, 3, 1}}, 4, 2, *Epsilon::parse(epsilon), rarity));
    }
  }
}

}  // namespace
}  // namespace futurerand
