#include "futurerand/audit/innovation_probes.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace futurerand {
namespace {

class OneWord final : public RandomSource {
 public:
  explicit OneWord(std::uint64_t unit) : word_(unit << 32 | unit) {}
  std::uint64_t unit() const { return word_ >> 32; }
  bool fill(std::span<std::uint64_t> words) override {
    std::ranges::fill(words, word_);
    return true;
  }

 private:
  std::uint64_t word_;
};

// Returns a copy with this unit in its next period. Two periods share a word of coins, so every
// other unit is in the state already.
Device with_unit(const CertifiedPlan& plan, const Device& device, const OneWord& source) {
  DeviceState state = device.state();
  const std::uint32_t next = device.next_index();
  if (next % 2 == 0 && next != device.first_index()) state.coins = source.unit() << 32;
  return *Device::restore(plan, std::move(state));
}

// Runs the next period of this device.
Sign observed_by(Device& device, Period t, std::uint32_t value, OneWord& source) {
  Sign sent = Sign::kZero;
  if (!device.observe(t, value, source, [&](const SignRun& run) { sent = run.at(0); }))
    std::abort();
  return sent;
}

Device with_noise(const CertifiedPlan& plan, Period joined, std::uint32_t phase,
                  const SignVector& noise) {
  return *Device::restore(plan, {0, joined, 0, PartialSums(joined), noise, 0, 0,
                                 InnovationMemory(*plan.innovation_levels(), phase)});
}

}  // namespace

InnovationProbes::InnovationProbes(const CertifiedPlan& plan, Period joined, std::uint32_t phase)
    : plan_(&plan) {
  const Law& law = plan.plan().views.front().law;
  const std::uint32_t d = plan.plan().num_periods;
  const bool quiet = may_be_zero(law);
  if (quiet) {
    // By the words of innovation.md: -1 if u < r/2, else +1 if u < r, else 0, of 256.
    const std::uint32_t spoken = nonzero_units(law) / 256;
    coin_bits_ = 8;
    coins_ = {{0, Sign::kMinus},         {spoken / 2 - 1, Sign::kMinus}, {spoken / 2, Sign::kPlus},
              {spoken - 1, Sign::kPlus}, {spoken, Sign::kZero},          {255, Sign::kZero}};
  } else {
    coin_bits_ = 1;
    coins_ = {{0, Sign::kPlus}, {1, Sign::kMinus}};
  }
  const auto bits = static_cast<std::uint32_t>(std::bit_width(d - 1));
  all_minus_ = bits + std::size_t{1};
  for (std::uint32_t probe = 0; probe <= all_minus_; ++probe) {
    SignVector noise(d, quiet);
    for (std::uint32_t j = 0; j < d; ++j) {
      noise.set_minus(j, probe == all_minus_ || (probe > 0 && ((j >> (probe - 1)) & 1U)));
    }
    devices_.push_back(with_noise(plan, joined, phase, noise));
  }
  if (!quiet) return;
  SignVector silence(d, true);
  for (std::uint32_t j = 0; j < d; ++j) silence.set(j, Sign::kZero);
  devices_.push_back(with_noise(plan, joined, phase, silence));
}

Sign InnovationProbes::sent_by(const Device& device, Period t, std::uint32_t value,
                               std::uint64_t decision, std::uint32_t coin) const {
  OneWord source(decision << coin_bits_ | coin);
  Device copy = with_unit(*plan_, device, source);
  return observed_by(copy, t, value, source);
}

std::uint64_t InnovationProbes::num_first(Period t, std::uint32_t value) const {
  const std::uint64_t last = num_decisions() - 1;
  if (sent(t, value, last) == sent(t, value, 0)) return num_decisions();
  // A copy with a different output shows the edge between decisions.
  for (const Device& device : devices_) {
    for (const Coin& coin : coins_) {
      const auto sign = [&](std::uint64_t decision) {
        return sent_by(device, t, value, decision, coin.unit);
      };
      const Sign first = sign(0);
      if (sign(last) == first) continue;
      std::uint64_t low = 1, high = last;  // all below low are like 0; high is not
      while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (sign(middle) == first) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
  std::abort();  // sent() looks at these copies only
}

std::vector<std::uint32_t> InnovationProbes::saved() const {
  const DeviceState state = devices_.front().state();
  std::vector<std::uint32_t> saved = {state.sums.now(), state.innovation->phase,
                                      state.innovation->age};
  saved.insert(saved.end(), state.innovation->used.begin(), state.innovation->used.end());
  saved.insert(saved.end(), state.innovation->held.begin(), state.innovation->held.end());
  return saved;
}

std::optional<InnovationSent> InnovationProbes::sent(Period t, std::uint32_t value,
                                                     std::uint64_t decision) const {
  std::vector<Sign> noise;  // the noise symbol of each copy
  std::size_t num_coins = 0;
  for (const Device& device : devices_) {
    bool is_coin = true, is_same = true;
    const Sign first = sent_by(device, t, value, decision, coins_.front().unit);
    for (const Coin& coin : coins_) {
      const Sign sent = sent_by(device, t, value, decision, coin.unit);
      is_coin &= sent == coin.symbol;
      is_same &= sent == first;
    }
    if (!is_coin && !is_same) return std::nullopt;
    num_coins += is_coin ? 1 : 0;
    noise.push_back(first);
  }
  if (num_coins == devices_.size()) return InnovationSent{};
  const bool nonzero = noise.front() != Sign::kZero && noise[all_minus_] != Sign::kZero;
  if (num_coins != 0 || !nonzero || noise.front() == noise[all_minus_]) return std::nullopt;
  if (noise.size() > all_minus_ + 1 && noise.back() != Sign::kZero) return std::nullopt;
  InnovationSent found{0, noise.front() == Sign::kMinus};
  for (std::uint32_t bit = 0; bit + 1 < all_minus_; ++bit) {
    if (noise[bit + 1] != noise.front()) found.position |= 1U << bit;
  }
  return found;
}

void InnovationProbes::advance(Period t, std::uint32_t value, std::uint64_t decision) {
  for (Device& device : devices_) {
    OneWord source(decision << coin_bits_);
    device = with_unit(*plan_, device, source);
    (void)observed_by(device, t, value, source);
  }
}

}  // namespace futurerand
