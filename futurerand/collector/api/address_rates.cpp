#include "futurerand/collector/api/address_rates.hpp"

#include <algorithm>

namespace futurerand {
namespace {

// An address may send at once what ten seconds, or an hour, allow.
constexpr double kLineBurstSeconds = 10;
constexpr double kEnrolmentBurstSeconds = 3600;

}  // namespace

AddressRates::AddressRates(const RateLimits& limits) : limits_(limits), slots_(kSlots) {}

void AddressRates::Allowance::refill(double elapsed, double per_second, double most) {
  left = std::min(most, left + elapsed * per_second);
}

// An address gets its own slot; or one that was not used for so long that it is full again; or one
// to share.
AddressRates::Slot& AddressRates::slot_of(const Address& network, double seconds) {
  const std::uint64_t hash = owners_.hash(network);
  const double most_lines = limits_.lines_per_second * kLineBurstSeconds;
  Slot* found = nullptr;
  for (std::size_t i = 0; i < kTried; ++i) {
    Slot& slot = slots_[(hash + i) % kSlots];
    if (slot.seen >= 0 && slot.address == network) {
      found = &slot;
      break;
    }
    if (found == nullptr || slot.seen < found->seen) found = &slot;
  }
  if (found->seen < 0 ||
      (found->address != network && seconds - found->seen > kEnrolmentBurstSeconds)) {
    *found = {network,
              seconds,
              {most_lines},
              {most_lines * kBytesPerLine},
              {limits_.enrolments_per_hour}};
  }
  const double elapsed = std::max(0.0, seconds - found->seen);
  found->seen = seconds;
  found->lines.refill(elapsed, limits_.lines_per_second, most_lines);
  found->bytes.refill(elapsed, limits_.lines_per_second * kBytesPerLine,
                      most_lines * kBytesPerLine);
  found->enrolments.refill(elapsed, limits_.enrolments_per_hour / 3600,
                           limits_.enrolments_per_hour);
  return *found;
}

RateVerdict AddressRates::take_bytes(const Address& address, std::uint64_t bytes, double seconds) {
  if (address.is_loopback() || limits_.lines_per_second <= 0) return RateVerdict::kTaken;
  const std::lock_guard lock(mutex_);
  Slot& slot = slot_of(address.network(), seconds);
  if (slot.bytes.left <= 0) return RateVerdict::kTooManyBytes;
  slot.bytes.left -= static_cast<double>(bytes);
  return RateVerdict::kTaken;
}

RateVerdict AddressRates::take(const Address& address, std::uint64_t lines,
                               std::uint64_t enrolments, double seconds) {
  if (address.is_loopback()) return RateVerdict::kTaken;
  const std::lock_guard lock(mutex_);
  Slot& slot = slot_of(address.network(), seconds);
  if (limits_.lines_per_second > 0 && lines > 0 && slot.lines.left <= 0) {
    return RateVerdict::kTooManyLines;
  }
  if (limits_.enrolments_per_hour > 0 && enrolments > 0 && slot.enrolments.left <= 0) {
    return RateVerdict::kTooManyEnrolments;
  }
  slot.lines.left -= static_cast<double>(lines);
  slot.enrolments.left -= static_cast<double>(enrolments);
  return RateVerdict::kTaken;
}

}  // namespace futurerand
