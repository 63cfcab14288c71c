// The randomizer of exsub: one order's law, and the two tapes of a device. The device reads its
// symbols from them. exsub.cpp describes the protocol.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand::exsub {

// There are num_intervals + num_changes slots, the first num_changes of them for changes. An output
// gives num_symbols slots a sign and the others 0. It has weight e^epsilon if a slot for changes
// has a plus, otherwise weight 1.
struct Law {
  IntervalIndex num_intervals;  // L
  std::uint32_t num_changes;    // s, at most L
  std::uint32_t num_symbols;    // m, at most L + s

  double own;    // probability of a change's own sign
  double wrong;  // with the other sign
  double zero;   // probability of a plus for an interval without a change; also of a minus
  // Element r: probability of at most r signs in the slots for changes.
  std::vector<double> at_most;
  // Element r: probability of at least one plus among r signs.
  std::vector<double> has_plus;

  double gap() const { return own - wrong; }

  // Requires 1 <= num_changes <= num_intervals and 1 <= num_symbols <= num_intervals + num_changes.
  static Law create(IntervalIndex num_intervals, std::uint32_t num_changes,
                    std::uint32_t num_symbols, double epsilon);
  // Chooses the num_symbols of the least squared error, summed over all slots. Searches the range
  // of the authors' program.
  static Law best(IntervalIndex num_intervals, std::uint32_t num_changes, double epsilon);
};

// One device's noise, drawn before any data. The first num_changes changes multiply the symbols of
// the change tape. All other intervals read the zero tape, including changes past num_changes: the
// loss is epsilon for every input.
class Tapes {
 public:
  Tapes() = default;
  Tapes(std::vector<std::int8_t> changes, std::vector<std::int8_t> zeros)
      : changes_(std::move(changes)), zeros_(std::move(zeros)) {}

  void draw(const Law& law, UniformBits& bits);

  // Returns the symbol (-1, 0 or +1) of the next interval. Requires at most num_intervals calls.
  int next(int change) {
    if (change != 0 && changes_read_ < changes_.size()) return change * changes_[changes_read_++];
    return zeros_[zeros_read_++];
  }

  std::span<const std::int8_t> changes() const { return changes_; }
  std::span<const std::int8_t> zeros() const { return zeros_; }

 private:
  std::vector<std::int8_t> changes_;
  std::vector<std::int8_t> zeros_;
  std::size_t changes_read_ = 0;
  std::size_t zeros_read_ = 0;
};

}  // namespace futurerand::exsub
