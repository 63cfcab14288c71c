// InnovationProbes: the report of one period of an innovation device. It runs copies of the device
// and looks only at their outputs.
//
// Given its 32 bits, a period sends a coin, or a symbol of the noise or its reverse. The copies
// have noise vectors that spell the number of each position. So their outputs reveal the position.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "futurerand/device/device.hpp"

namespace futurerand {

// The report of one period, given the deciding bits.
struct InnovationSent {
  static constexpr std::uint32_t kCoin = ~0U;

  std::uint32_t position = kCoin;  // of the noise
  bool reversed = false;

  bool is_coin() const { return position == kCoin; }
  friend bool operator==(const InnovationSent&, const InnovationSent&) = default;
};

class InnovationProbes {
 public:
  // Requires a plan of `innovation` that outlives this, 1 <= joined <= periods, and a possible
  // phase of the plan's devices.
  InnovationProbes(const CertifiedPlan& plan, Period joined, std::uint32_t phase = 0);

  // Returns how many ways there are to decide, beside the coin: 2^31, or 2^24 of a sparse law.
  std::uint64_t num_decisions() const { return std::uint64_t{1} << (32 - coin_bits_); }
  // Returns how many decisions send the same as decision 0. They are the first ones; all others
  // send the same as the last.
  std::uint64_t num_first(Period t, std::uint32_t value) const;
  // Returns the report of the next period. None if a coin is no coin, or noise is neither kept nor
  // reversed.
  std::optional<InnovationSent> sent(Period t, std::uint32_t value, std::uint64_t decision) const;
  // Returns the state that the device would save, without noise and coins. Devices with the same
  // saved state behave alike.
  std::vector<std::uint32_t> saved() const;
  // Advances all copies by one period.
  void advance(Period t, std::uint32_t value, std::uint64_t decision);

 private:
  struct Coin {
    std::uint32_t unit;
    Sign symbol;  // what it must be
  };

  // Finds the next report of a copy.
  Sign sent_by(const Device& device, Period t, std::uint32_t value, std::uint64_t decision,
               std::uint32_t coin) const;

  const CertifiedPlan* plan_;
  std::uint32_t coin_bits_;
  std::vector<Coin> coins_;  // the edges of the units that mean a symbol
  // One for each noise vector: all plus, for each bit of a position's number minus where it is set,
  // all minus, and for a sparse law all zero.
  std::vector<Device> devices_;
  std::size_t all_minus_;
};

}  // namespace futurerand
