// States of version 1, made from those of today: what becomes of the noise that was used.
#include <algorithm>
#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <sodium.h>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/test/saved_run.hpp"

namespace futurerand {
namespace {

using test::is_any_view;
using test::kFlagsAt;
using test::kNoiseAt;
using test::kUsedNoiseAt;
using test::resealed;
using test::SavedRun;
using test::terms_of;

// Version 1 said how much noise was used, and had plus signs in its place. What takes their place
// now is derived from the coins' key, and the rest of the noise comes first.
TEST(VersionOne, HidesHowMuchNoiseWasUsed) {
  for (const char* epsilon : {"1", "4"}) {
    const SavedRun run =
        SavedRun::of(terms_of("m", Protocol::kHybrid, 90, epsilon), [&](const View& view) {
          return view.kind == ViewKind::kChanges && num_signs(view.law) >= 4 &&
                 may_be_zero(view.law) == (*epsilon == '4');
        });
    const ClientMemory now = *ClientCodec::read(run.state, run.terms);
    const SignVector noise = now.device.state().noise;
    const bool silent = noise.may_be_zero();
    for (std::uint32_t used = 0; used <= noise.size(); ++used) {
      SignVector then = noise;
      for (std::uint32_t j = 0; j < used; ++j) then.set(j, Sign::kPlus);
      const auto version_one = [&](const SignVector& signs) {
        return resealed(run.state, [&](Bytes& bytes) {
          bytes[8] = 1;
          bytes[kUsedNoiseAt] = static_cast<std::uint8_t>(used);
          const std::uint64_t words[] = {signs.word(0), silent ? signs.zero_word(0) : 0};
          std::memcpy(&bytes[kNoiseAt], words, silent ? 16 : 8);
          bytes.erase(bytes.begin() + 12, bytes.begin() + 21);  // it had no generation
        });
      };
      Result<ClientMemory> read = ClientCodec::read(version_one(then), run.terms);
      ASSERT_TRUE(read) << read.error().message;
      const DeviceState state = read->device.state();
      EXPECT_EQ(state.used_noise, 0U);

      const std::string purpose = "futurerand unused coins of version 1";
      Digest key;
      crypto_generichash(key.data(), key.size(), bytes_of(purpose).data(), purpose.size(),
                         now.coins.state().key.data(), now.coins.state().key.size());
      CoinRatchet coins(key);
      for (std::uint32_t j = 0; j < noise.size(); ++j) {
        // From the first that was not used on, and then those that were.
        const std::uint32_t place = (j + noise.size() - used) % noise.size();
        if (j >= used) {
          EXPECT_EQ(state.noise.at(place), then.at(j)) << used << " " << j;
          continue;
        }
        std::uint64_t word = 0;
        ASSERT_TRUE(coins.fill({&word, 1}));
        const std::uint32_t unit = word % 65'536;
        const std::uint32_t nonzero = nonzero_units(run.terms.plan.plan().views[state.view].law);
        const Sign quiet = unit >= nonzero      ? Sign::kZero
                           : unit < nonzero / 2 ? Sign::kMinus
                                                : Sign::kPlus;
        EXPECT_EQ(state.noise.at(place), silent ? quiet : sign_of(word % 2 == 1)) << used;
      }
      // Noise that was used and is still there was never saved.
      for (std::uint32_t j = 0; j < used; ++j) {
        SignVector kept = then;
        kept.set(j, Sign::kMinus);
        EXPECT_FALSE(ClientCodec::read(version_one(kept), run.terms)) << j;
      }
    }
    // Nor a view, or a number of signs, that is not the plan's.
    for (const std::size_t at : {kFlagsAt + 1, kUsedNoiseAt}) {
      EXPECT_NE(run.error_after([&](Bytes& bytes) {
        bytes[8] = 1;
        bytes[at] = at == kUsedNoiseAt
                        ? static_cast<std::uint8_t>(noise.size() + 1)
                        : static_cast<std::uint8_t>(run.terms.plan.plan().views.size());
        bytes.erase(bytes.begin() + 12, bytes.begin() + 21);
      }),
                "none");
    }
  }
}

TEST(VersionOne, HadErasedTheNoiseThatWasUsed) {
  const SavedRun run = SavedRun::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  for (const std::uint8_t first : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::string error = run.error_after([&](Bytes& bytes) {
      bytes[8] = 1;
      std::fill_n(bytes.begin() + kNoiseAt, 5, std::uint8_t{0});
      bytes[kNoiseAt + 5] &= std::uint8_t{0xfe};
      bytes[kNoiseAt] = first;
      bytes.erase(bytes.begin() + 12, bytes.begin() + 21);
    });
    EXPECT_EQ(error == "none", first == 0) << error;
  }
}

}  // namespace
}  // namespace futurerand
