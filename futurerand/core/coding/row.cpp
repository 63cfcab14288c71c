#include "futurerand/core/coding/row.hpp"

#include <bit>

#include "futurerand/core/coding/public_hash.hpp"

namespace futurerand {
namespace {

// Returns floor(bits * below / 2^64), uniform in 0..below-1 within below / 2^64.
// Requires below < 2^31.
std::uint32_t scaled(std::uint64_t bits, std::uint64_t below) {
  const std::uint64_t low = (bits & 0xffffffff) * below;
  return static_cast<std::uint32_t>(((bits >> 32) * below + (low >> 32)) >> 32);
}

}  // namespace

CodingRow row_of(const Coding& coding, const std::array<std::uint8_t, 16>& id) {
  return row_from_bits(coding, public_hash(kRowKey, id));
}

CodingRow row_from_bits(const Coding& coding, std::uint64_t bits) {
  if (coding.kind() != CodingKind::kDistribution) return 1 + scaled(bits, coding.num_rows());
  const std::uint32_t level = 1 + scaled(bits, coding.bits());
  // The remaining bits after the level are uniform again.
  const std::uint64_t rest = bits * coding.bits();
  const std::uint32_t above = scaled(rest, 1U << (level - 1));
  return (above << 1 | 1U) << (coding.bits() - level);
}

std::uint32_t level_of(const Coding& coding, CodingRow row) {
  return coding.bits() - static_cast<std::uint32_t>(std::countr_zero(row));
}

double inverse_chance(const Coding& coding, CodingRow row) {
  if (coding.kind() != CodingKind::kDistribution) return coding.num_rows();
  return static_cast<double>(coding.bits()) * (1U << (level_of(coding, row) - 1));
}

}  // namespace futurerand
