// States and ledgers whose seal is right and whose content is not: whoever may write the device's
// files may write any, and none may make a device that no plan has.
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <sodium.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/core/randomizer/quiet_symbol.hpp"
#include "futurerand/device/test_sources.hpp"

namespace futurerand {
namespace {

using test::terms_of;

const Epsilon kMuch = *Epsilon::parse("16");

// Where the parts of a state of version 2 are.
constexpr std::size_t kFlagsAt = 21 + 32 + 16;
constexpr std::size_t kJoinedAt = kFlagsAt + 5;
constexpr std::size_t kUsedNoiseAt = kFlagsAt + 25;
constexpr std::size_t kNoiseAt = kFlagsAt + 33;

Bytes resealed(Bytes bytes, const std::function<void(Bytes&)>& edit) {
  bytes.resize(bytes.size() - sizeof(Digest));
  edit(bytes);
  const Digest digest = blake2b(bytes);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return bytes;
}

// A life of some periods, saved; by a seed that gives the wanted view.
struct SavedLife {
  MetricTerms terms;
  Bytes state;
  MemoryStateStore store;

  static SavedLife of(const MetricTerms& terms, const std::function<bool(const View&)>& wanted,
                      Period last = 41) {
    for (std::uint64_t seed = 1;; ++seed) {
      MemoryStateStore store;
      Ledger ledger = *Ledger::open(store, kMuch);
      testing_sources::SeededSource entropy(seed);
      std::optional<Client> client = *Client::open(terms, 1, ledger, store, entropy);
      if (!wanted(terms.plan.plan().views[client->view()])) continue;
      EXPECT_TRUE(client->observe(9, true));
      EXPECT_TRUE(client->observe(last, true));
      EXPECT_TRUE(client->acknowledge(0));
      client.reset();
      return {terms, store.records().rbegin()->second, store};
    }
  }

  std::string error_of(const Bytes& bytes) const {
    const Result<ClientMemory> memory = ClientCodec::read(bytes, terms);
    if (memory) return "none";
    EXPECT_NE(memory.error().code, ErrorCode::kInvalid);
    return memory.error().message;
  }
  std::string error_after(const std::function<void(Bytes&)>& edit) const {
    return error_of(resealed(state, edit));
  }
};

bool is_quiet_view(const View& view) { return may_be_silent(view.law); }
bool is_any_view(const View&) { return true; }

std::vector<SavedLife> lives() {
  std::vector<SavedLife> all;
  for (const Protocol protocol : {Protocol::kOptimal, Protocol::kRepeated, Protocol::kInnovation,
                                  Protocol::kSnapshot, Protocol::kHybrid}) {
    all.push_back(SavedLife::of(terms_of("m", protocol, 90), is_any_view));
  }
  all.push_back(SavedLife::of(terms_of("m", Protocol::kHybrid, 90, "4"), is_quiet_view));
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
      SealedWriter writer = ClientCodec::writer_for(*memory, revision_of(changed));
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

// Version 1 said how much noise was used, and had plus signs in its place. What takes their place
// now is derived from the coins' key, and the rest of the noise comes first.
TEST(VersionOne, HidesHowMuchNoiseWasUsed) {
  for (const char* epsilon : {"1", "4"}) {
    const SavedLife life =
        SavedLife::of(terms_of("m", Protocol::kHybrid, 90, epsilon), [&](const View& view) {
          return view.kind == ViewKind::kChanges && num_signs(view.law) >= 4 &&
                 may_be_silent(view.law) == (*epsilon == '4');
        });
    const ClientMemory now = *ClientCodec::read(life.state, life.terms);
    const SignVector noise = now.device.state().noise;
    const bool silent = noise.may_be_silent();
    for (std::uint32_t used = 0; used <= noise.size(); ++used) {
      SignVector then = noise;
      for (std::uint32_t j = 0; j < used; ++j) then.set(j, Sign::kPlus);
      const auto version_one = [&](const SignVector& signs) {
        return resealed(life.state, [&](Bytes& bytes) {
          bytes[8] = 1;
          bytes[kUsedNoiseAt] = static_cast<std::uint8_t>(used);
          const std::uint64_t words[] = {signs.word(0), silent ? signs.silent_word(0) : 0};
          std::memcpy(&bytes[kNoiseAt], words, silent ? 16 : 8);
          bytes.erase(bytes.begin() + 12, bytes.begin() + 21);  // it had no generation
        });
      };
      Result<ClientMemory> read = ClientCodec::read(version_one(then), life.terms);
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
        const std::uint32_t speak = speak_units(life.terms.plan.plan().views[state.view].law);
        const Sign quiet = unit >= speak      ? Sign::kSilent
                           : unit < speak / 2 ? Sign::kMinus
                                              : Sign::kPlus;
        EXPECT_EQ(state.noise.at(place), silent ? quiet : sign_of(word % 2 == 1)) << used;
      }
      // Noise that was used and is still there was never saved.
      for (std::uint32_t j = 0; j < used; ++j) {
        SignVector kept = then;
        kept.set(j, Sign::kMinus);
        EXPECT_FALSE(ClientCodec::read(version_one(kept), life.terms)) << j;
      }
    }
    // Nor a view, or a number of signs, that is not the plan's.
    for (const std::size_t at : {kFlagsAt + 1, kUsedNoiseAt}) {
      EXPECT_NE(life.error_after([&](Bytes& bytes) {
        bytes[8] = 1;
        bytes[at] = at == kUsedNoiseAt
                        ? static_cast<std::uint8_t>(noise.size() + 1)
                        : static_cast<std::uint8_t>(life.terms.plan.plan().views.size());
        bytes.erase(bytes.begin() + 12, bytes.begin() + 21);
      }),
                "none");
    }
  }
}

TEST(MalformedState, TheFirstVersionHadNoNews) {
  const SavedLife life = SavedLife::of(terms_of("m", Protocol::kInnovation, 90), is_any_view);
  EXPECT_NE(life.error_after([](Bytes& bytes) {
    bytes[8] = 1;
    bytes.erase(bytes.begin() + 12, bytes.begin() + 21);
  }),
            "none");
}

TEST(MalformedState, AFirstPeriodOutsideThePlanIsRefused) {
  const SavedLife life = SavedLife::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  for (const std::uint8_t joined : std::initializer_list<std::uint8_t>{0, 91, 255}) {
    EXPECT_NE(life.error_after([&](Bytes& bytes) { bytes[kJoinedAt] = joined; }), "none");
  }
}

// ---- The ledger ----

TEST(MalformedLedger, IsRefused) {
  const SavedLife life = SavedLife::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  const Bytes good = life.store.records().at("ledger");
  const auto opens = [&](const std::function<void(Bytes&)>& edit) {
    MemoryStateStore store = life.store;
    EXPECT_TRUE(store.save("ledger", resealed(good, edit)));
    const Result<Ledger> ledger = Ledger::open(store, kMuch);
    if (!ledger) {
      EXPECT_EQ(ledger.error().code, ErrorCode::kDamaged);
    }
    return bool(ledger);
  };
  EXPECT_TRUE(opens([](Bytes&) {}));
  for (std::size_t left = 21; left + sizeof(Digest) < good.size(); ++left) {
    EXPECT_FALSE(opens([&](Bytes& bytes) { bytes.resize(left); })) << left;
  }
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes.push_back(0); }));
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[8] = 3; }));          // a version to come
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[21] = 2; }));         // one entry, not two
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[21] = 0; }));         // nor none
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[30 + 7] = 0x80; }));  // epsilon out of range
  // An entry without a name.
  EXPECT_FALSE(opens([](Bytes& bytes) {
    bytes[25] = 0;
    bytes.erase(bytes.begin() + 29);
  }));
}

TEST(MalformedLedger, NamesHaveOneTo128Bytes) {
  MemoryStateStore store;
  const std::string longest(128, 'x');
  {
    Ledger ledger = *Ledger::open(store, kMuch);
    const Epsilon one = *Epsilon::parse("1");
    EXPECT_FALSE(ledger.check("", one));
    EXPECT_FALSE(ledger.check(longest + "x", one));
    EXPECT_TRUE(ledger.charge(longest, one, ClientId{}));
  }
  const Ledger ledger = *Ledger::open(store, kMuch);
  ASSERT_NE(ledger.find(longest), nullptr);
  // One that is longer, as nobody could have saved it.
  const Bytes bytes = resealed(store.records().at("ledger"), [](Bytes& content) {
    content[25] = 129;
    content.insert(content.begin() + 29, 'x');
  });
  MemoryStateStore other;
  ASSERT_TRUE(other.save("ledger", bytes));
  EXPECT_FALSE(Ledger::open(other, kMuch));
}

TEST(MalformedLedger, SaysWhatIsLeft) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, *Epsilon::parse("3"));
  ASSERT_TRUE(ledger.charge("a", *Epsilon::parse("0.999999999"), ClientId{}));
  EXPECT_EQ(ledger.check("b", *Epsilon::parse("2.5")).error().message,
            "the metric 'b' asks for epsilon 2.5; this device has 2.000000001 of 3 left");
  ASSERT_TRUE(ledger.charge("c", *Epsilon::parse("1.95"), ClientId{}));
  EXPECT_EQ(ledger.check("b", *Epsilon::parse("2.5")).error().message,
            "the metric 'b' asks for epsilon 2.5; this device has 0.050000001 of 3 left");
}

}  // namespace
}  // namespace futurerand
