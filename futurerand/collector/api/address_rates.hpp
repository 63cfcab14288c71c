// AddressRates: limits on lines, bytes and enrolments per address, on average and at once. Memory
// does not grow with the number of addresses: they share a table, and colliding addresses share a
// limit.
//
// Requests from this machine are not counted: they come from the operator, or from a proxy not
// named as one.
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

  // True if the address may send this much now. One request may exceed the remaining amount; the
  // excess is paid back before the next request. So a large request is not rejected forever.
  // `seconds` is a clock that never goes back.
  RateVerdict take(const Address& address, std::uint64_t lines, std::uint64_t enrolments,
                   double seconds);
  // The same for an unread body: bytes without lines cost work too.
  RateVerdict take_bytes(const Address& address, std::uint64_t bytes, double seconds);
  // The bytes of this many lines. Most have a tenth of that.
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

  // Returns the slot of an address, with its current allowance.
  Slot& slot_of(const Address& network, double seconds);

  const RateLimits limits_;
  const AddressOwners owners_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
};

}  // namespace futurerand
