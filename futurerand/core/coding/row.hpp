// Rows: the question of each device, and its chance. A row is a public function of the device's
// random id. Both sides know it, and it never travels.
//
//   category, text    every mask 1..R-1 with the same chance
//   distribution      a level 1..b with chance 1/b, then a mask over the top `level` bits with the
//                     lowest bit set; so each mask 1..R-1 belongs to one level. This is HaarHRR.
//   yes/no, number    one row, 1
#pragma once

#include <array>
#include <cstdint>

#include "futurerand/core/coding/coding.hpp"

namespace futurerand {

// Returns the row of a device. For a uniform id every row has its chance() within 2^-48.
CodingRow row_of(const Coding& coding, const std::array<std::uint8_t, 16>& id);
// Returns the row for 64 uniform bits.
CodingRow row_from_bits(const Coding& coding, std::uint64_t bits);

// Returns the level of a row, 1..bits(): it depends at most on this number of leading bits of a
// code.
std::uint32_t level_of(const Coding& coding, CodingRow row);
// Returns how many devices there are for one with this row: 1/chance, a whole number.
double inverse_chance(const Coding& coding, CodingRow row);

}  // namespace futurerand
