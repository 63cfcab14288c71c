// AddressRates: how many lines, bytes and enrolments one address may send, on average and at once.
// Memory does not grow with the number of addresses: they share a table, and those that fall
// together share what they may.
//
// Requests of this machine itself are not counted: they are the operator's, or those of a proxy
// that was not named as one.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "futurerand/collector/api/address.hpp"
#include "futurerand/collector/api/address_owners.hpp"

namespace futurerand {

struct RateLimits {
  double lines_per_second = 20'000;  // 0: no limit
  double enrolments_per_hour = 100'000;
};

enum class RateVerdict { kTaken, kTooManyLines, kTooManyBytes, kTooManyEnrolments };

class AddressRates {
 public:
  explicit AddressRates(const RateLimits& limits);

  // Tells whether the address may send so much now. What is taken may exceed what is left once, and
  // is then paid back before more is taken, so that a large request is not refused for ever.
  // `seconds` is a clock that does not go back.
  RateVerdict take(const Address& address, std::uint64_t lines, std::uint64_t enrolments,
                   double seconds);
  // The same for a body that nobody has read yet: bytes that are no lines cost work too.
  RateVerdict take_bytes(const Address& address, std::uint64_t bytes, double seconds);
  // As many as so many lines may have. Most have a tenth of that.
  static constexpr double kBytesPerLine = 512;

 private:
  struct Allowance {
    double left = 0;
    // Grows to `most` at this rate.
    void refill(double elapsed, double per_second, double most);
  };
  struct Slot {
    Address address;
    double seen = -1;  // never
    Allowance lines;
    Allowance bytes;
    Allowance enrolments;
  };
  static constexpr std::size_t kSlots = 1 << 14;
  static constexpr std::size_t kTried = 4;

  // Returns the slot of an address, with all that it may send by now.
  Slot& slot_of(const Address& network, double seconds);

  const RateLimits limits_;
  const AddressOwners owners_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
};

}  // namespace futurerand
