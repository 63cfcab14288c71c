#include "futurerand/entropy/coin_ratchet.hpp"

#include <algorithm>
#include <utility>

#include <sodium.h>

namespace futurerand {
namespace {

// Words are little endian on every machine, because a state moves with the user's backup.
std::uint64_t load_word(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | bytes[i];
  return word;
}

}  // namespace

CoinRatchet::~CoinRatchet() { sodium_memzero(&state_, sizeof state_); }

bool CoinRatchet::fill(std::span<std::uint64_t> words) {
  for (std::uint64_t& word : words) {
    if (state_.words_left == 0) step();
    word = std::exchange(state_.words[kWordsAStep - state_.words_left--], 0);
  }
  return true;
}

void CoinRatchet::step() {
  static_assert(sizeof state_.key == crypto_stream_chacha20_KEYBYTES);
  constexpr std::array<std::uint8_t, crypto_stream_chacha20_NONCEBYTES> kNonce{};
  std::array<std::uint8_t, 64> block;
  crypto_stream_chacha20(block.data(), block.size(), kNonce.data(), state_.key.data());
  std::copy_n(block.begin(), state_.key.size(), state_.key.begin());
  for (std::uint32_t w = 0; w < kWordsAStep; ++w) {
    state_.words[w] = load_word(block.data() + state_.key.size() + 8 * w);
  }
  state_.words_left = kWordsAStep;
  sodium_memzero(block.data(), block.size());
}

}  // namespace futurerand
