// CoinRatchet: fair coins that can be drawn again from an old state, and never from a later one.
//
// A 32-byte key expands to 64 bytes: the next key, and 256 coins. The old key and used coins are
// erased. So the same state always gives the same coins. Drawing anew would show a server which
// reports were coins. And a seized device reveals nothing about used coins. The expansion is one
// block of ChaCha20 under a zero nonce, and each key is used once. This is libsodium's cheapest way
// to 64 bytes ("fast-key-erasure" generators, Bernstein 2017).
//
// Thread safety: one thread at a time. Copies give the same coins; all are erased on destruction.
#pragma once

#include <array>
#include <cstdint>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

class CoinRatchet final : public RandomSource {
 public:
  static constexpr std::uint32_t kWordsAStep = 4;

  struct State {
    std::array<std::uint8_t, 32> key{};
    std::uint32_t words_left = 0;
    std::array<std::uint64_t, kWordsAStep> words{};  // the last words_left are to come; others 0

    friend bool operator==(const State&, const State&) = default;
  };

  // Requires a key of uniform bytes.
  explicit CoinRatchet(const std::array<std::uint8_t, 32>& key) { state_.key = key; }
  // Requires words_left <= kWordsAStep.
  explicit CoinRatchet(const State& state) : state_(state) {}
  CoinRatchet(const CoinRatchet&) = default;
  CoinRatchet& operator=(const CoinRatchet&) = default;
  ~CoinRatchet() override;

  // Gives the next words and never fails.
  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override;

  const State& state() const { return state_; }

 private:
  void step();

  State state_;
};

}  // namespace futurerand
