#include "futurerand/audit/exhaustive_pulse.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/device/device.hpp"

namespace futurerand {
namespace {

// A device of `pulse` asks for no randomness after joining.
class NoCoins final : public RandomSource {
 public:
  bool fill(std::span<std::uint64_t>) override { return false; }
};

// All sets of slots as noise, and whether they hit the window. Counted here, not by the law.
struct EverySet {
  std::vector<SignVector> sets;
  std::vector<bool> hits;
  std::uint64_t num_hits = 0;

  explicit EverySet(const PulseLaw& law) { add(law, 0, {}); }

 private:
  void add(const PulseLaw& law, std::uint32_t slot, const std::vector<std::uint32_t>& chosen) {
    if (chosen.size() == law.pulses) {
      SignVector& noise = sets.emplace_back(law.num_signs);
      for (std::uint32_t j = 0; j < law.num_signs; ++j) noise.set(j, Sign::kMinus);
      for (const std::uint32_t j : chosen) noise.set(j, Sign::kPlus);
      hits.push_back(chosen.front() < law.window);
      num_hits += hits.back() ? 1U : 0U;
      return;
    }
    for (; slot < law.num_signs; ++slot) {
      std::vector<std::uint32_t> more = chosen;
      more.push_back(slot);
      add(law, slot + 1, more);
    }
  }
};

class PulseAudit {
 public:
  PulseAudit(const CertifiedPlan& plan, std::uint32_t view, Period joined)
      : plan_(plan),
        view_(view),
        law_(std::get<PulseLaw>(plan.plan().views[view].law)),
        joined_(joined),
        length_(plan.plan().num_periods - joined + 1),
        all_(law_),
        outputs_(std::size_t{1} << length_, std::vector<BigInt>(std::size_t{1} << length_)),
        null_(std::size_t{1} << length_) {}

  ExhaustiveAudit run() {
    audit_.num_inputs = audit_.num_outputs = outputs_.size();
    const BigInt of_hit = BigInt(law_.high_side) * (all_.sets.size() - all_.num_hits);
    const BigInt of_miss = complement(law_.high_side) * all_.num_hits;
    for (std::size_t input = 0; input < outputs_.size(); ++input) {
      for (std::size_t s = 0; s < all_.sets.size(); ++s) {
        const std::size_t output = send(input, all_.sets[s]);
        outputs_[input][output] += all_.hits[s] ? of_hit : of_miss;
        if (input == 0) null_[output] += 1;
      }
    }
    judge_ratios();
    judge_means((of_hit * all_.num_hits) + of_miss * (all_.sets.size() - all_.num_hits));
    judge_prefixes();
    return audit_;
  }

 private:
  // Bit i of an input is the value of the i-th period, of an output whether it has a pulse.
  std::size_t send(std::size_t input, const SignVector& noise) const {
    NoCoins coins;
    Result<Device> device = Device::restore(
        plan_, {view_, joined_, 0, PartialSums(joined_), noise, 0, 0, std::nullopt});
    if (!device) std::abort();
    std::size_t output = 0;
    for (std::uint32_t i = 0; i < length_; ++i) {
      const bool value = (input >> i) & 1U;
      const bool fine = device->observe(joined_ + i, value, coins, [&](const SignRun& run) {
        if (run.at(0) == Sign::kPlus) output |= std::size_t{1} << i;
      });
      if (!fine) std::abort();
    }
    return output;
  }

  void judge_ratios() {
    const Fraction bound = exp_below(plan_.plan().epsilon.nanos());
    std::optional<Fraction> least, most;  // over the chance of a uniform set
    for (std::size_t output = 0; output < null_.size(); ++output) {
      BigInt smallest = outputs_[0][output], largest = smallest;
      for (const std::vector<BigInt>& of_input : outputs_) {
        smallest = std::min(smallest, of_input[output]);
        largest = std::max(largest, of_input[output]);
      }
      if (largest.is_zero() && null_[output].is_zero()) continue;  // it never happens
      if (smallest.is_zero() || null_[output].is_zero()) {
        audit_.ratio_bounded = audit_.property_one = false;
        audit_.exact_epsilon = std::numeric_limits<double>::infinity();
        continue;
      }
      const Fraction low{smallest, null_[output]}, high{largest, null_[output]};
      if (!least || less_or_equal(low, *least)) least = low;
      if (!most || less_or_equal(*most, high)) most = high;
      audit_.ratio_bounded &= less_or_equal({largest, smallest}, bound);
      audit_.exact_epsilon = std::max(audit_.exact_epsilon, log({largest, smallest}));
    }
    audit_.property_one &= least && less_or_equal({most->numerator * least->denominator,
                                                   most->denominator * least->numerator},
                                                  bound);
  }

  void judge_means(const BigInt& total) {
    const Fraction gap = law_.gap();
    std::optional<BigInt> outside;
    for (std::size_t input = 0; input < outputs_.size(); ++input) {
      // Inputs with at most one change hold 0 and then 1.
      const std::size_t ones = outputs_.size() - 1 - input;
      if ((ones & (ones + 1)) != 0) continue;
      for (std::uint32_t i = 0; i < length_; ++i) {
        BigInt mean;
        for (std::size_t output = 0; output < null_.size(); ++output) {
          if ((output >> i) & 1U) mean += outputs_[input][output];
        }
        const bool before = i >= law_.window && ((input >> (i - law_.window)) & 1U) != 0;
        const bool inside = ((input >> i) & 1U) != 0 && !before;
        if (!outside && !inside) outside = mean;
        // Input 0 comes late; compare inside means once an outside one is known.
        means_.push_back({inside, mean});
      }
    }
    for (const auto& [inside, mean] : means_) {
      audit_.property_two &= inside ? equal({mean - *outside, total}, gap) : mean == *outside;
    }
  }

  void judge_prefixes() {
    for (std::uint32_t length = 1; length < length_; ++length) {
      const std::size_t mask = (std::size_t{1} << length) - 1;
      std::map<std::size_t, std::vector<BigInt>> by_prefix;
      for (std::size_t input = 0; input < outputs_.size(); ++input) {
        std::vector<BigInt> law(mask + 1);
        for (std::size_t output = 0; output < null_.size(); ++output) {
          law[output & mask] += outputs_[input][output];
        }
        const auto [entry, is_new] = by_prefix.try_emplace(input & mask, law);
        audit_.property_three &= is_new || entry->second == law;
      }
    }
  }

  const CertifiedPlan& plan_;
  std::uint32_t view_;
  const PulseLaw& law_;
  Period joined_;
  Period length_;
  EverySet all_;
  std::vector<std::vector<BigInt>> outputs_;  // by input and output
  std::vector<BigInt> null_;                  // sets by output
  std::vector<std::pair<bool, BigInt>> means_;
  ExhaustiveAudit audit_{0, 0, true, true, true, true, 0};
};

}  // namespace

Result<ExhaustiveAudit> audit_pulse_exhaustively(const CertifiedPlan& plan, std::uint32_t view,
                                                 Period joined) {
  constexpr std::uint64_t kMostReports = std::uint64_t{1} << 25;
  constexpr Period kMostPulsePeriods = 12;
  const auto& law = std::get<PulseLaw>(plan.plan().views[view].law);
  const Period length = plan.plan().num_periods - joined + 1;
  const bool small =
      plan.plan().num_periods <= kMostPulsePeriods &&
      (binomial(law.num_signs, law.pulses) * length << length) <= BigInt(kMostReports);
  if (!small) {
    return Error{"the values and sets of " + std::to_string(plan.plan().num_periods) +
                 " periods are too many to enumerate; expected at most 8 periods or so"};
  }
  return PulseAudit(plan, view, joined).run();
}

}  // namespace futurerand
