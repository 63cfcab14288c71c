// States whose seal is right and whose content is not: whoever may write the device's files may
// write any, and none may make a device that no plan has.
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/test/saved_life.hpp"

namespace futurerand {
namespace {

using test::is_any_view;
using test::is_quiet_view;
using test::kFlagsAt;
using test::kJoinedAt;
using test::kNoiseAt;
using test::resealed;
using test::SavedLife;
using test::terms_of;

std::vector<SavedLife> lives() {
  std::vector<SavedLife> all;
  for (const Protocol protocol : {Protocol::kOptimal, Protocol::kRepeated, Protocol::kInnovation,
                                  Protocol::kSnapshot, Protocol::kHybrid}) {
    all.push_back(SavedLife::of(terms_of("m", protocol, 90), is_any_view));
  }
  all.push_back(SavedLife::of(terms_of("m", Protocol::kHybrid, 90, "4"), is_quiet_view));
  all.push_back(SavedLife::of(terms_of("m", Protocol::kInnovation, 90, "16"), is_quiet_view));
  return all;
}

TEST(MalformedState, CutShortAnywhereIsRefused) {
  for (const SavedLife& life : lives()) {
    ASSERT_EQ(life.error_of(life.state), "none");
    for (std::size_t left = 21; left + sizeof(Digest) < life.state.size(); ++left) {
      EXPECT_NE(life.error_after([&](Bytes& bytes) { bytes.resize(left); }), "none") << left;
    }
    EXPECT_EQ(life.error_after([](Bytes& bytes) { bytes.push_back(0); }),
              "the saved client state is malformed");
  }
}

// One state has one form: whatever is taken is what would be saved.
TEST(MalformedState, WhatIsTakenMeansWhatItSays) {
  for (const SavedLife& life : lives()) {
    for (std::size_t bit = 8 * 21; bit < 8 * (life.state.size() - sizeof(Digest)); ++bit) {
      const Bytes changed = resealed(life.state, [&](Bytes& bytes) {
        bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
      });
      Result<ClientMemory> memory = ClientCodec::read(changed, life.terms);
      if (!memory) continue;
      SealedWriter writer(ClientCodec::kKind, revision_of(changed));
      ClientCodec::write(*memory, writer);
      ASSERT_EQ(writer.seal(), changed) << bit;
      const Period end = memory->device.horizon();
      EXPECT_TRUE(memory->device.observe(end, false, memory->coins, [](const SignRun&) {}));
    }
  }
}

TEST(MalformedState, FlagsThatDoNotExistAreRefused) {
  const SavedLife life =
      SavedLife::of(terms_of("m", Protocol::kHybrid, 90, "4"), is_quiet_view, 90);
  EXPECT_EQ(life.state[kFlagsAt], 15);  // all of them
  EXPECT_EQ(life.error_of(life.state), "none");
  for (const std::uint8_t flag : std::initializer_list<std::uint8_t>{16, 32, 64, 128}) {
    EXPECT_NE(life.error_after([&](Bytes& bytes) { bytes[kFlagsAt] |= flag; }), "none");
  }
}

TEST(MalformedState, SilenceIsNotAlsoAMinus) {
  const SavedLife life = SavedLife::of(terms_of("m", Protocol::kHybrid, 90, "4"), is_quiet_view);
  const auto with_first = [&](std::uint8_t minus, std::uint8_t silent) {
    return life.error_after([&](Bytes& bytes) {
      bytes[kNoiseAt] = static_cast<std::uint8_t>((bytes[kNoiseAt] & ~1U) | minus);
      bytes[kNoiseAt + 8] = static_cast<std::uint8_t>((bytes[kNoiseAt + 8] & ~1U) | silent);
    });
  };
  EXPECT_EQ(with_first(0, 0), "none");
  EXPECT_EQ(with_first(1, 0), "none");
  EXPECT_EQ(with_first(0, 1), "none");
  EXPECT_NE(with_first(1, 1), "none");
}

TEST(MalformedState, CoinsThatWereUsedAreErased) {
  const SavedLife life = SavedLife::of(terms_of("m", Protocol::kOptimal, 90), is_any_view);
  // The ratchet's words, then the length of what is unsent and as many signs.
  const Result<ClientMemory> memory = ClientCodec::read(life.state, life.terms);
  ASSERT_TRUE(memory);
  const std::size_t words_at = life.state.size() - sizeof(Digest) - memory->unsent.size() - 4 - 32;
  const std::uint32_t left = memory->coins.state().words_left;
  ASSERT_EQ(life.state[words_at - 1], left);
  ASSERT_LT(left, 4U);
  for (std::uint32_t w = 0; w < 4; ++w) {
    const auto error =
        life.error_after([&](Bytes& bytes) { bytes[words_at + 8 * w + 3] ^= std::uint8_t{5}; });
    EXPECT_EQ(error == "none", w >= 4 - left) << w;
  }
  for (const std::uint8_t other : std::initializer_list<std::uint8_t>{0, 1, 2, 3, 4, 5, 255}) {
    if (other == left) continue;
    EXPECT_NE(life.error_after([&](Bytes& bytes) { bytes[words_at - 1] = other; }), "none");
  }
}

TEST(MalformedState, UnsentSignsAreThoseOfReports) {
  const SavedLife life = SavedLife::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  const auto with_unsent = [&](const std::string& signs) {
    const Result<ClientMemory> memory = ClientCodec::read(life.state, life.terms);
    return life.error_after([&](Bytes& bytes) {
      bytes.resize(bytes.size() - memory->unsent.size() - 4);
      for (int i = 0; i < 4; ++i) {
        bytes.push_back(static_cast<std::uint8_t>(signs.size() >> (8 * i)));
      }
      bytes.insert(bytes.end(), signs.begin(), signs.end());
    });
  };
  EXPECT_EQ(with_unsent(""), "none");
  EXPECT_EQ(with_unsent(std::string(41, '+')), "none");
  EXPECT_NE(with_unsent(std::string(42, '+')), "none");  // more than were reported
  EXPECT_NE(with_unsent("++0"), "none");
  EXPECT_NE(with_unsent("++x"), "none");
}

TEST(MalformedState, AFirstPeriodOutsideThePlanIsRefused) {
  const SavedLife life = SavedLife::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  for (const std::uint8_t joined : std::initializer_list<std::uint8_t>{0, 91, 255}) {
    EXPECT_NE(life.error_after([&](Bytes& bytes) { bytes[kJoinedAt] = joined; }), "none");
  }
}

}  // namespace
}  // namespace futurerand
