// Told: what one device told, as the collector keeps it to know who is there.
//
// Thread safety: a plain view of somebody else's words.
#pragma once

#include <cstdint>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// What one device told of the periods from the one it joined in to before `next`, the first that is
// missing: its reports of the indices from first_index to before next_index, all due before `next`.
// Bit (j-1) % 64 of word (j-1) / 64 is index j. Bits before first_index are zero.
struct Told {
  std::uint32_t view;
  Period joined;
  Period next;
  std::uint32_t first_index;
  std::uint32_t next_index;
  const std::uint64_t* minus;
  const std::uint64_t* silent;  // null where no report of the view may be silent

  bool is_minus(std::uint32_t j) const { return (minus[(j - 1) / 64] >> ((j - 1) % 64) & 1U) != 0; }
  bool is_zero(std::uint32_t j) const {
    return silent != nullptr && (silent[(j - 1) / 64] >> ((j - 1) % 64) & 1U) != 0;
  }
  // The first report that it made. Requires next_index > first_index.
  IndexSum first_report() const {
    return one_report(is_zero(first_index) ? Sign::kZero : sign_of(is_minus(first_index)));
  }
};

}  // namespace futurerand
