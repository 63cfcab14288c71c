#include "futurerand/collector/api/address_rates.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "futurerand/collector/fold/keyed_hash.hpp"

namespace futurerand {
namespace {

// An address may send at once what ten seconds, or an hour, allow.
constexpr double kLineBurstSeconds = 10;
constexpr double kEnrolmentBurstSeconds = 3600;

std::uint64_t random_word() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

AddressRates::AddressRates(const RateLimits& limits)
    : limits_(limits), key_(random_word()), slots_(kSlots) {}

void AddressRates::Allowance::refill(double elapsed, double per_second, double most) {
  left = std::min(most, left + elapsed * per_second);
}

// An address gets its own slot; or one that was not used for so long that it is full again; or one
// to share.
AddressRates::Slot& AddressRates::slot_of(const Address& network, double seconds) {
  ClientId id;
  static_assert(sizeof(id.bytes) == sizeof(network.bytes));
  std::memcpy(id.bytes.data(), network.bytes.data(), network.bytes.size());
  const std::uint64_t hash = keyed_hash({key_, 0}, id);
  Slot* oldest = nullptr;
  for (std::size_t i = 0; i < kTried; ++i) {
    Slot& slot = slots_[(hash + i) % kSlots];
    if (slot.seen >= 0 && slot.address == network) return slot;
    if (oldest == nullptr || slot.seen < oldest->seen) oldest = &slot;
  }
  if (oldest->seen < 0 || seconds - oldest->seen > kEnrolmentBurstSeconds) {
    *oldest = {network,
               seconds,
               {limits_.lines_per_second * kLineBurstSeconds},
               {limits_.enrolments_per_hour}};
  }
  return *oldest;
}

RateVerdict AddressRates::take(const Address& address, std::uint64_t lines,
                               std::uint64_t enrolments, double seconds) {
  if (address.is_loopback()) return RateVerdict::kTaken;
  const std::lock_guard lock(mutex_);
  Slot& slot = slot_of(address.network(), seconds);
  const double elapsed = std::max(0.0, seconds - slot.seen);
  slot.seen = seconds;
  slot.lines.refill(elapsed, limits_.lines_per_second,
                    limits_.lines_per_second * kLineBurstSeconds);
  slot.enrolments.refill(elapsed, limits_.enrolments_per_hour / 3600, limits_.enrolments_per_hour);
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
