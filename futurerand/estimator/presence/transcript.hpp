// Transcript: the reports of one device so far, in a plan with a report every period.
//
// Thread safety: a plain view of bits that somebody else keeps.
#pragma once

#include <cstdint>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

// The reports of the periods from `joined` to before `next`, the first missing period. A device
// that has reported nothing has next == joined. Bit (t-1) % 64 of word (t-1) / 64 is period t. Bits
// before `joined` are zero. Bits from `next` on mean nothing.
struct Transcript {
  Period joined;
  Period next;
  const std::uint64_t* minus;  // set where the report is a minus
  const std::uint64_t* zero;   // set where it is a zero symbol; null if the law has none
  std::uint32_t stratum = 0;
  std::uint32_t row = 0;  // of a coding with rows
  // It said that it leaves. It is not among those that are silent.
  bool departed = false;

  bool has_reports() const { return next > joined; }
  // What it was when `end` was its first missing period, before it departed. Requires
  // joined <= end <= next.
  Transcript before(Period end) const { return {joined, end, minus, zero, stratum, row}; }
};

}  // namespace futurerand
