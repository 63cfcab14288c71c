// The law of `pulse` against its definition: all sets of slots, one by one, with exact weights.
#include <bit>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/law.hpp"

namespace futurerand {
namespace {

PulseLaw law_for(std::uint32_t slots, std::uint32_t window, std::uint32_t pulses,
                 const char* budget) {
  PulseLaw law{slots, window, pulses, 1};
  law.high_side = largest_high_side(law, exp_below(epsilon(budget).nanos()));
  return law;
}

// Weights of sets by the definition; those of all sets add up to 2^64 hits misses.
struct AllSets {
  std::uint64_t hits = 0, misses = 0;
  const PulseLaw& law;

  explicit AllSets(const PulseLaw& of) : law(of) {
    for_each([&](std::uint32_t set) { ++(is_hit(set) ? hits : misses); });
  }
  void for_each(auto&& visit) const {
    for (std::uint32_t set = 0; set >> law.num_signs == 0; ++set) {
      if (std::popcount(set) == static_cast<int>(law.pulses)) visit(set);
    }
  }
  bool is_hit(std::uint32_t set) const { return (set & ((1U << law.window) - 1)) != 0; }
  // The chance of a pulse in all of these slots.
  Fraction chance(std::uint32_t slots) const {
    BigInt weight;
    for_each([&](std::uint32_t set) {
      if ((set & slots) != slots) return;
      weight += is_hit(set) ? BigInt(law.high_side) * misses : complement(law.high_side) * hits;
    });
    return {weight, (BigInt(hits) * misses) << 64};
  }
};

TEST(PulseLaw, HasTheMomentsOfItsDefinition) {
  for (const std::uint32_t window : {1U, 2U, 3U}) {
    for (const std::uint32_t pulses : {1U, 2U, 4U}) {
      for (const char* budget : {"0.5", "2", "8"}) {
        const PulseLaw law = law_for(9, window, pulses, budget);
        ASSERT_TRUE(validate(Law(law)));
        const AllSets sets(law);
        const Fraction inside = sets.chance(1), outside = sets.chance(1U << window);
        const Fraction gap{inside.numerator - outside.numerator, inside.denominator};
        EXPECT_TRUE(equal(law.gap(), gap));
        const PulseMoments moments(law);
        EXPECT_NEAR(moments.inside, to_double(inside), 1e-14);
        EXPECT_NEAR(moments.outside, to_double(outside), 1e-14);
        EXPECT_NEAR(moments.pair_inside, to_double(sets.chance(1 | 1U << window)), 1e-14);
        if (window > 1) {
          EXPECT_NEAR(moments.pair_inside, to_double(sets.chance(3)), 1e-14);
        }
        EXPECT_NEAR(moments.pair_outside, to_double(sets.chance(3U << window)), 1e-14);
      }
    }
  }
}

TEST(PulseLaw, LosesWhatItsSidesDifferBy) {
  for (const std::uint32_t window : {1U, 3U}) {
    for (const std::uint32_t pulses : {1U, 4U}) {
      const PulseLaw law = law_for(9, window, pulses, "2");
      const AllSets sets(law);
      const Fraction expected{BigInt(law.high_side) * sets.misses,
                              complement(law.high_side) * sets.hits};
      EXPECT_TRUE(equal(loss_ratio(Law(law))->base, expected));
      // The other side may be the likelier one; that is a loss too.
      PulseLaw turned = law;
      turned.high_side = 1;
      EXPECT_TRUE(equal(turned.loss_ratio().base, {complement(1) * sets.hits, sets.misses}));
    }
  }
}

TEST(PulseLaw, RefusesIntegersOutOfRange) {
  const PulseLaw good = law_for(64, 4, 3, "2");
  const auto says = [&](PulseLaw law, std::string_view what) {
    const Status valid = validate(Law(law));
    ASSERT_FALSE(valid);
    EXPECT_NE(valid.error().message.find(what), std::string::npos) << valid.error().message;
  };
  EXPECT_TRUE(validate(Law(good)));
  says({64, 0, 3, good.high_side}, "window 0");
  says({64, 64, 3, good.high_side}, "window 64");
  says({64, 4, 0, good.high_side}, "pulses 0");
  says({64, 4, 61, good.high_side}, "pulses 61");
  says({64, 4, 3, 0}, "threshold is 0");
  says({8193, 4, 3, good.high_side}, "out of range");
  says({0, 0, 0, 0}, "out of range");
  // Nearly all sets hit, or nearly none: drawing the rare side would take too long.
  says({64, 32, 32, good.high_side}, "one set in 8192");
}

}  // namespace
}  // namespace futurerand
