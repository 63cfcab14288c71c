// PulseRandomizer: a device of `pulse` reads its noise from two tapes, one slot a period. Before
// the user's first 1 it reads the rest. From then on it reads the whole window, and then continues
// in the rest, for any values. core/law/pulse.md. Slots are erased as they are read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand {

class PulseRandomizer {
 public:
  // `window_read` and `rest_read` slots were read before. Requires a window within the noise, and
  // no more reads than slots.
  PulseRandomizer(SignVector noise, std::uint32_t window, std::uint32_t window_read,
                  std::uint32_t rest_read)
      : noise_(std::move(noise)),
        window_(window),
        window_read_(window_read),
        rest_read_(rest_read) {}

  // Whether this could be the memory of a device after `periods` periods, with this value in the
  // last of them.
  static bool is_possible(const SignVector& noise, std::uint32_t window, std::uint32_t pulses,
                          std::uint32_t window_read, std::uint32_t periods, bool value) {
    if (window_read > std::min(window, periods) || (value && window_read == 0)) return false;
    const std::uint32_t rest_read = periods - window_read;
    if (window + rest_read > noise.size()) return false;
    if (noise.count_minus(0, window_read) + noise.count_minus(window, rest_read) > 0) return false;
    const std::uint32_t unread = noise.size() - periods;
    return unread - noise.count_minus() <= pulses;
  }

  // Runs the next `count` periods, all of this value. Bit i of the result is set if the i-th symbol
  // is a minus, no pulse. Requires 1 <= count <= 64, and slots enough.
  std::uint64_t randomize_run(bool value, std::uint32_t count) {
    std::uint64_t minus = 0;
    for (std::uint32_t i = 0; i < count;) {
      const bool in_window = window_read_ == 0 ? value : window_read_ < window_;
      const std::uint32_t left = count - i;
      const std::uint32_t reads = in_window ? std::min(left, window_ - window_read_) : left;
      const std::uint32_t from = in_window ? window_read_ : window_ + rest_read_;
      minus |= noise_.take_bits(from, reads) << i;
      (in_window ? window_read_ : rest_read_) += reads;
      i += reads;
    }
    return minus;
  }

  const SignVector& noise() const { return noise_; }
  std::uint32_t window_read() const { return window_read_; }
  void erase() { noise_.erase(); }

 private:
  SignVector noise_;
  std::uint32_t window_;
  std::uint32_t window_read_;
  std::uint32_t rest_read_;
};

}  // namespace futurerand
