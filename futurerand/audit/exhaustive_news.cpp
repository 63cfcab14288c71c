#include "futurerand/audit/exhaustive_news.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "futurerand/device/device.hpp"

namespace futurerand {
namespace {

constexpr Period kMostPeriods = 10;
constexpr std::uint64_t kUnits = std::uint64_t{1} << 31;  // the ways to decide, beside the coin
constexpr std::uint32_t kCoin = ~0U;

class OneWord final : public RandomSource {
 public:
  OneWord(std::uint64_t decision, bool coin) {
    const std::uint64_t unit = decision << 1 | (coin ? 1 : 0);
    word_ = unit << 32 | unit;
  }
  std::uint64_t unit() const { return word_ >> 32; }
  bool fill(std::span<std::uint64_t> words) override {
    std::ranges::fill(words, word_);
    return true;
  }

 private:
  std::uint64_t word_;
};

// Returns a copy whose next period has this unit, wherever it comes from: two periods share a word
// of coins, so that every other one is in the state already.
Device with_unit(const CertifiedPlan& plan, const Device& device, const OneWord& source) {
  DeviceState state = device.state();
  const std::uint32_t next = device.next_index();
  if (next % 2 == 0 && next != device.first_index()) state.coins = source.unit() << 32;
  return *Device::restore(plan, std::move(state));
}

// Runs the next period, which this device has not observed yet.
Sign observed_by(Device& device, Period t, bool value, OneWord& source) {
  Sign sent = Sign::kSilent;
  if (!device.observe(t, value, source, [&](const SignRun& run) { sent = run.at(0); }))
    std::abort();
  return sent;
}

// This is what one period sent, given its decision.
struct Sent {
  std::uint32_t position = kCoin;  // of the noise
  bool reversed = false;
};

// There is one device for each noise vector that helps to find positions: all plus, and for each
// bit of a position's number those minus where it is set; the last one is all minus.
class Probes {
 public:
  Probes(const CertifiedPlan& plan, Period joined) : plan_(&plan) {
    const std::uint32_t d = plan.plan().num_periods;
    const auto levels = plan.news_levels();
    for (std::uint32_t probe = 0; probe <= num_bits(d) + 1; ++probe) {
      DeviceState state{0,
                        joined,
                        0,
                        PartialSums(joined),
                        SignVector(d),
                        0,
                        0,
                        InnovationMemory{std::vector<std::uint32_t>(levels->gaps.size()),
                                         SignVector(levels->settled())}};
      for (std::uint32_t j = 0; j < d; ++j) {
        const bool minus = probe > num_bits(d) || (probe > 0 && ((j >> (probe - 1)) & 1U));
        state.noise.set_minus(j, minus);
      }
      devices_.push_back(*Device::restore(plan, state));
    }
  }

  // Returns how many of the 2^31 decisions use the noise. They are the first ones.
  std::uint64_t num_using(Period t, bool value) const {
    const auto uses = [&](std::uint64_t decision) {
      return sent_by(devices_.front(), t, value, decision, false) !=
             sent_by(devices_.back(), t, value, decision, false);
    };
    if (uses(kUnits - 1)) return kUnits;
    std::uint64_t low = 0, high = kUnits - 1;  // all below low do; high does not
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (uses(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // Advances all by one period. Returns none if a coin is no coin, or noise is neither kept nor
  // reversed.
  std::optional<Sent> advance(Period t, bool value, std::uint64_t decision) {
    std::vector<Sign> sent;
    for (const Device& device : devices_) {
      const Sign heads = sent_by(device, t, value, decision, false);
      const Sign tails = sent_by(device, t, value, decision, true);
      if (heads != tails && (heads != Sign::kPlus || tails != Sign::kMinus)) return std::nullopt;
      sent.push_back(heads != tails ? Sign::kSilent : heads);
    }
    for (Device& device : devices_) {
      OneWord source(decision, false);
      device = with_unit(*plan_, device, source);
      (void)observed_by(device, t, value, source);
    }
    const auto coins = std::ranges::count(sent, Sign::kSilent);
    if (coins == static_cast<std::ptrdiff_t>(sent.size())) return Sent{};
    if (coins != 0 || sent.front() == sent.back()) return std::nullopt;
    Sent found{0, sent.front() == Sign::kMinus};
    for (std::uint32_t bit = 0; bit + 2 < sent.size(); ++bit) {
      if (sent[bit + 1] != sent.front()) found.position |= 1U << bit;
    }
    return found;
  }

 private:
  // Finds what the next period of a device would send.
  Sign sent_by(const Device& device, Period t, bool value, std::uint64_t decision,
               bool coin) const {
    OneWord source(decision, coin);
    Device copy = with_unit(*plan_, device, source);
    return observed_by(copy, t, value, source);
  }

  static std::uint32_t num_bits(std::uint32_t d) {
    return static_cast<std::uint32_t>(std::bit_width(d - 1));
  }

  const CertifiedPlan* plan_;
  std::vector<Device> devices_;
};

class NewsAudit {
 public:
  NewsAudit(const CertifiedPlan& plan, Period joined)
      : plan_(plan),
        law_(std::get<WeightedThresholdLaw>(plan.plan().views.front().law)),
        joined_(joined),
        length_(plan.plan().num_periods - joined + 1),
        outputs_(std::size_t{1} << length_, std::vector<BigInt>(std::size_t{1} << length_)) {
    const std::uint32_t most = law_.most_minus();
    for (std::uint32_t minus = 0; minus >> law_.num_signs == 0; ++minus) {
      std::uint32_t weight = 0, position = 0;
      for (const auto& level : law_.levels) {
        for (std::uint32_t i = 0; i < level.stock; ++i, ++position) {
          if ((minus >> position) & 1U) weight += level.weight;
        }
      }
      is_loud_.push_back(weight <= most);
      if (weight <= most) ++num_loud_;
    }
    const std::uint64_t num_rest = is_loud_.size() - num_loud_;
    loud_weight_ = BigInt(law_.loud_side) * num_rest;
    rest_weight_ = complement(law_.loud_side) * num_loud_;
  }

  ExhaustiveAudit run() {
    audit_.num_inputs = audit_.num_outputs = outputs_.size();
    follow(Probes(plan_, joined_), {}, {}, 1);
    judge();
    return audit_;
  }

 private:
  // Visits all that can follow these values, having sent this, with this weight over 2^(31
  // periods).
  void follow(const Probes& probes, const std::vector<bool>& values, const std::vector<Sent>& sent,
              const BigInt& weight) {
    if (values.size() == length_) return finish(values, sent, weight);
    const Period t = joined_ + static_cast<Period>(values.size());
    for (const bool value : {false, true}) {
      std::vector<bool> longer = values;
      longer.push_back(value);
      const std::uint64_t used = probes.num_using(t, value);
      const std::array<std::uint64_t, 2> units = {used, kUnits - used};
      for (std::size_t way = 0; way < 2; ++way) {
        if (units[way] == 0) continue;
        Probes next = probes;
        const std::optional<Sent> now = next.advance(t, value, way == 0 ? 0 : kUnits - 1);
        audit_.property_three &= now.has_value() && (now->position == kCoin) == (way == 1);
        if (!now) continue;
        if (way == 0) audit_.property_two &= is_unbiased(longer, *now, used);
        std::vector<Sent> more = sent;
        more.push_back(*now);
        follow(next, longer, more, weight * units[way]);
      }
    }
  }

  // |U| / G is how often noise of a level with mean G is used, and the sign is that of U.
  bool is_unbiased(const std::vector<bool>& values, const Sent& sent, std::uint64_t used) const {
    std::uint32_t changes = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != (i > 0 && values[i - 1])) ++changes;
    }
    if (changes > plan_.plan().max_changes) return true;
    const auto gap = [&](std::size_t l) { return static_cast<std::int64_t>(law_.levels[l].gap); };
    const std::size_t m = law_.settled();
    std::int64_t news = (values.back() ? gap(0) + gap(m) : 0) - gap(m);
    for (std::size_t j = 1; j <= m && j < values.size(); ++j) {
      if (values[values.size() - 1 - j]) news -= gap(j - 1) - gap(j);
    }
    std::size_t level = 0;
    for (std::uint32_t end = law_.levels[0].stock; end <= sent.position;) {
      end += law_.levels[++level].stock;
    }
    const BigInt wanted = BigInt(std::abs(news)) * kUnits;
    const BigInt given = BigInt(used) * law_.levels[level].gap;
    return sent.reversed == (news < 0) && wanted <= given &&
           given < wanted + law_.levels[level].gap;
  }

  // Counts loud vectors by what they have at the positions of a mask.
  const std::vector<std::uint32_t>& loud_at(std::uint32_t mask) {
    std::vector<std::uint32_t>& counts = loud_at_[mask];
    if (counts.empty()) {
      counts.resize(is_loud_.size());
      for (std::uint32_t minus = 0; minus < is_loud_.size(); ++minus) {
        if (is_loud_[minus]) ++counts[minus & mask];
      }
    }
    return counts;
  }

  void finish(const std::vector<bool>& values, const std::vector<Sent>& sent,
              const BigInt& weight) {
    std::size_t input = 0;
    std::uint32_t mask = 0, coins = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      input |= std::size_t{values[i]} << i;
      if (sent[i].position == kCoin) {
        ++coins;
      } else {
        mask |= 1U << sent[i].position;
      }
    }
    const std::vector<std::uint32_t>& loud = loud_at(mask);
    const std::uint64_t consistent = is_loud_.size() >> std::popcount(mask);
    const BigInt scaled = weight << (length_ - coins);
    for (std::size_t output = 0; output < outputs_.size(); ++output) {
      std::uint32_t minus = 0;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        const bool is_minus = ((output >> i) & 1U) != 0;
        if (sent[i].position != kCoin && is_minus != sent[i].reversed) {
          minus |= 1U << sent[i].position;
        }
      }
      outputs_[input][output] +=
          scaled * (loud_weight_ * loud[minus] + rest_weight_ * (consistent - loud[minus]));
    }
  }

  void judge() {
    const Fraction bound = exp_below(plan_.plan().epsilon.nanos());
    BigInt least = outputs_[0][0], most = outputs_[0][0];
    for (std::size_t output = 0; output < outputs_.size(); ++output) {
      BigInt smallest = outputs_[0][output], largest = smallest;
      for (const std::vector<BigInt>& of_input : outputs_) {
        smallest = std::min(smallest, of_input[output]);
        largest = std::max(largest, of_input[output]);
      }
      least = std::min(least, smallest);
      most = std::max(most, largest);
      if (smallest.is_zero()) {
        audit_.ratio_bounded = false;
        audit_.exact_epsilon = std::numeric_limits<double>::infinity();
        continue;
      }
      audit_.ratio_bounded &= less_or_equal({largest, smallest}, bound);
      audit_.exact_epsilon = std::max(audit_.exact_epsilon, log({largest, smallest}));
    }
    audit_.property_one = !least.is_zero() && less_or_equal({most, least}, bound);
  }

  const CertifiedPlan& plan_;
  const WeightedThresholdLaw& law_;
  Period joined_;
  Period length_;
  std::vector<bool> is_loud_;  // by noise vector
  std::uint64_t num_loud_ = 0;
  // These are the weights of one vector of either side, over 2^64 loud rest.
  BigInt loud_weight_, rest_weight_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> loud_at_;
  std::vector<std::vector<BigInt>> outputs_;  // by input and output
  ExhaustiveAudit audit_{0, 0, true, true, true, true, 0};
};

}  // namespace

Result<ExhaustiveAudit> audit_news_exhaustively(const CertifiedPlan& plan, Period joined) {
  if (plan.plan().num_periods > kMostPeriods) {
    return Error{"4^" + std::to_string(plan.plan().num_periods) +
                 " values and decisions are too many to enumerate; expected at most " +
                 std::to_string(kMostPeriods) + " periods"};
  }
  return NewsAudit(plan, joined).run();
}

}  // namespace futurerand
