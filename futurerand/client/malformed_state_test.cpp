// States with a valid seal and invalid content. Anyone with write access to the device's files can
// make such a state. None of them may become a device that no plan has.
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/test/saved_run.hpp"

namespace futurerand {
namespace {

using test::is_any_view;
using test::is_sparse_view;
using test::kAcknowledgedAt;
using test::kFlagsAt;
using test::kJoinedAt;
using test::kSignsAt;
using test::noise_at;
using test::resealed;
using test::SavedRun;
using test::terms_of;

std::vector<SavedRun> runs() {
  std::vector<SavedRun> all;
  for (const Protocol protocol : {Protocol::kOptimal, Protocol::kRepeated, Protocol::kInnovation,
                                  Protocol::kSnapshot, Protocol::kHybrid}) {
    all.push_back(SavedRun::of(terms_of("m", protocol, 90), is_any_view));
  }
  all.push_back(SavedRun::of(terms_of("m", Protocol::kHybrid, 90, "4"), is_sparse_view));
  all.push_back(SavedRun::of(terms_of("m", Protocol::kInnovation, 90, "16"), is_sparse_view));
  return all;
}

TEST(MalformedState, CutShortAnywhereIsRefused) {
  for (const SavedRun& run : runs()) {
    ASSERT_EQ(run.error_of(run.state), "none");
    for (std::size_t left = 21; left + sizeof(Digest) < run.state.size(); ++left) {
      EXPECT_NE(run.error_after([&](Bytes& bytes) { bytes.resize(left); }), "none") << left;
    }
    EXPECT_EQ(run.error_after([](Bytes& bytes) { bytes.push_back(0); }),
              "the saved client state is malformed");
  }
}

// One state has one form: whatever is taken is what would be saved.
TEST(MalformedState, WhatIsTakenMeansWhatItSays) {
  for (const SavedRun& run : runs()) {
    for (std::size_t bit = 8 * 21; bit < 8 * (run.state.size() - sizeof(Digest)); ++bit) {
      const Bytes changed = resealed(run.state, [&](Bytes& bytes) {
        bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
      });
      Result<ClientMemory> memory = ClientCodec::read(changed, run.terms);
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
  const SavedRun run = SavedRun::of(terms_of("m", Protocol::kHybrid, 90, "4"), is_sparse_view, 90);
  EXPECT_EQ(run.state[kFlagsAt], 7);  // all of them
  EXPECT_EQ(run.error_of(run.state), "none");
  for (const std::uint8_t flag : std::initializer_list<std::uint8_t>{8, 16, 32, 64, 128}) {
    EXPECT_NE(run.error_after([&](Bytes& bytes) { bytes[kFlagsAt] |= flag; }), "none");
  }
}

TEST(MalformedState, SilenceIsNotAlsoAMinus) {
  const SavedRun run = SavedRun::of(terms_of("m", Protocol::kHybrid, 90, "4"), is_sparse_view);
  const std::size_t noise = noise_at(run.state);
  const auto with_first = [&](std::uint8_t minus, std::uint8_t silent) {
    return run.error_after([&](Bytes& bytes) {
      bytes[noise] = static_cast<std::uint8_t>((bytes[noise] & ~1U) | minus);
      bytes[noise + 8] = static_cast<std::uint8_t>((bytes[noise + 8] & ~1U) | silent);
    });
  };
  EXPECT_EQ(with_first(0, 0), "none");
  EXPECT_EQ(with_first(1, 0), "none");
  EXPECT_EQ(with_first(0, 1), "none");
  EXPECT_NE(with_first(1, 1), "none");
}

TEST(MalformedState, CoinsThatWereUsedAreErased) {
  const SavedRun run = SavedRun::of(terms_of("m", Protocol::kOptimal, 90), is_any_view);
  // The ratchet's words are last.
  const Result<ClientMemory> memory = ClientCodec::read(run.state, run.terms);
  ASSERT_TRUE(memory);
  const std::size_t words_at = run.state.size() - sizeof(Digest) - 32;
  const std::uint32_t left = memory->coins.state().words_left;
  ASSERT_EQ(run.state[words_at - 1], left);
  ASSERT_LT(left, 4U);
  for (std::uint32_t w = 0; w < 4; ++w) {
    const auto error =
        run.error_after([&](Bytes& bytes) { bytes[words_at + 8 * w + 3] ^= std::uint8_t{5}; });
    EXPECT_EQ(error == "none", w >= 4 - left) << w;
  }
  for (const std::uint8_t other : std::initializer_list<std::uint8_t>{0, 1, 2, 3, 4, 5, 255}) {
    if (other == left) continue;
    EXPECT_NE(run.error_after([&](Bytes& bytes) { bytes[words_at - 1] = other; }), "none");
  }
}

TEST(MalformedState, SignsAreThoseOfReports) {
  // 41 signs are one word, after how many of them are acknowledged and how many there are.
  const SavedRun run = SavedRun::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  const auto with = [&](std::size_t at, std::uint8_t byte) {
    return run.error_after([&](Bytes& bytes) { bytes[at] = byte; });
  };
  EXPECT_EQ(with(kAcknowledgedAt, 0), "none");
  EXPECT_EQ(with(kAcknowledgedAt, 41), "none");
  EXPECT_NE(with(kAcknowledgedAt, 42), "none");  // more than were reported
  EXPECT_NE(with(kAcknowledgedAt + 3, 1), "none");
  EXPECT_NE(with(kSignsAt - 4, 42), "none");  // another number of signs
  EXPECT_NE(with(kSignsAt - 4, 40), "none");
  EXPECT_EQ(with(kSignsAt, 255), "none");
  EXPECT_EQ(with(kSignsAt + 5, 1), "none");
  EXPECT_NE(with(kSignsAt + 5, 3), "none");  // the 42nd sign
  // Nothing is acknowledged before the enrolment is.
  const auto unknown = [&](std::uint8_t acknowledged) {
    return run.error_after([&](Bytes& bytes) {
      bytes[kFlagsAt] &= static_cast<std::uint8_t>(~2U);
      bytes[kAcknowledgedAt] = acknowledged;
    });
  };
  EXPECT_EQ(unknown(0), "none");
  EXPECT_NE(unknown(1), "none");
}

TEST(MalformedState, AFirstPeriodOutsideThePlanIsRefused) {
  const SavedRun run = SavedRun::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  for (const std::uint8_t joined : std::initializer_list<std::uint8_t>{0, 91, 255}) {
    EXPECT_NE(run.error_after([&](Bytes& bytes) { bytes[kJoinedAt] = joined; }), "none");
  }
}

}  // namespace
}  // namespace futurerand
