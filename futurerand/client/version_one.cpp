#include "futurerand/client/version_one.hpp"

#include <string>

#include <sodium.h>

#include "futurerand/client/sealed.hpp"
#include "futurerand/core/randomizer/sparse_symbol.hpp"

namespace futurerand {
namespace {

CoinRatchet unused_coins(const CoinRatchet& coins) {
  constexpr std::string_view kPurpose = "futurerand unused coins of version 1";
  const auto& key = coins.state().key;
  Digest derived;
  crypto_generichash(derived.data(), derived.size(), bytes_of(kPurpose).data(), kPurpose.size(),
                     key.data(), key.size());
  CoinRatchet ratchet(derived);
  sodium_memzero(derived.data(), derived.size());
  return ratchet;
}

}  // namespace

bool hide_used_noise(const Plan& plan, const CoinRatchet& coins, DeviceState& state) {
  if (state.view >= plan.views.size() || state.used_noise > state.noise.size()) return false;
  for (std::uint32_t j = 0; j < state.used_noise; ++j) {
    if (state.noise.at(j) != Sign::kPlus) return false;
  }
  const View& view = plan.views[state.view];
  if (view.kind != ViewKind::kChanges) return true;

  if (state.noise.may_be_zero() != may_be_zero(view.law)) return false;
  const std::uint32_t nonzero = nonzero_units(view.law);
  CoinRatchet unused = unused_coins(coins);
  for (std::uint32_t j = 0; j < state.used_noise; ++j) {
    std::uint64_t word = 0;
    if (!unused.fill({&word, 1})) return false;
    state.noise.set(j,
                    may_be_zero(view.law) ? sparse_symbol(word, 0, nonzero) : sign_of(word & 1U));
  }
  if (state.used_noise < state.noise.size()) state.noise = state.noise.rotated(state.used_noise);
  state.used_noise = 0;
  return true;
}

}  // namespace futurerand
