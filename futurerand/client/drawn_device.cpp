#include "futurerand/client/drawn_device.hpp"

#include <array>
#include <span>

#include <sodium.h>

namespace futurerand {
namespace {

bool draw_bytes(RandomSource& entropy, std::span<std::uint8_t> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    if (!entropy.fill({&word, 1})) return false;
    for (std::size_t b = 0; b < 8; ++b) bytes[i + b] = static_cast<std::uint8_t>(word >> (8 * b));
    sodium_memzero(&word, sizeof word);
  }
  return true;
}

}  // namespace

std::optional<ClientId> draw_client_id(RandomSource& entropy) {
  ClientId id;
  if (!draw_bytes(entropy, id.bytes)) return std::nullopt;
  return id;
}

Result<DrawnDevice> DrawnDevice::draw(const CertifiedPlan& plan, Period period,
                                      RandomSource& entropy) {
  const Error no_entropy{"the random source failed; the device did not join",
                         ErrorCode::kNoEntropy};
  const std::optional<ClientId> id = draw_client_id(entropy);
  if (!id) return no_entropy;
  Result<Device> device = Device::join(plan, period, entropy);
  if (!device) return device.error();
  std::array<std::uint8_t, 32> key;
  const bool drawn = draw_bytes(entropy, key);
  const CoinRatchet coins(key);
  sodium_memzero(key.data(), key.size());
  if (!drawn) return no_entropy;
  DeviceState state = device->state();
  const bool hidden = plan.sampler(state.view).draw_other_side(state.noise, entropy);
  erase(state);
  if (!hidden) return no_entropy;
  return DrawnDevice{*id, *std::move(device), coins};
}

}  // namespace futurerand
