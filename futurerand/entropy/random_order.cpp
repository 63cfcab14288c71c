#include "futurerand/entropy/random_order.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include <sodium.h>

namespace futurerand {
namespace {

constexpr int kRounds = 8;

}  // namespace

std::optional<RandomOrder> RandomOrder::draw(std::uint64_t size, RandomSource& source) {
  std::array<std::uint64_t, 2> words;
  if (!source.fill(words)) return std::nullopt;
  std::array<std::uint8_t, 16> key;
  std::memcpy(key.data(), words.data(), key.size());
  return RandomOrder(size, key);
}

RandomOrder::RandomOrder(std::uint64_t size, const std::array<std::uint8_t, 16>& key)
    : size_(size),
      half_bits_((static_cast<std::uint32_t>(std::bit_width(size - 1)) + 1) / 2),
      key_(key) {
  static_assert(crypto_shorthash_KEYBYTES == sizeof key_);
}

std::uint64_t RandomOrder::round(std::uint64_t number) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = number >> half_bits_;
  std::uint64_t right = number & mask;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    const std::array<std::uint64_t, 2> input = {i, right};
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), input.data(), bytes.size());
    std::array<std::uint8_t, crypto_shorthash_BYTES> hash;
    crypto_shorthash(hash.data(), bytes.data(), bytes.size(), key_.data());
    std::uint64_t mixed = 0;
    std::memcpy(&mixed, hash.data(), sizeof mixed);
    left ^= mixed & mask;
    std::swap(left, right);
  }
  return left << half_bits_ | right;
}

std::uint64_t RandomOrder::at(std::uint64_t place) const {
  do {
    place = round(place);
  } while (place >= size_);
  return place;
}

}  // namespace futurerand
