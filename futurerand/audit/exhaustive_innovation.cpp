#include "futurerand/audit/exhaustive_innovation.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/audit/every_noise.hpp"
#include "futurerand/audit/innovation_probes.hpp"

namespace futurerand {
namespace {

constexpr Period kMostPeriods = 10;
constexpr Period kMostSparsePeriods = 8;  // there are three symbols

class InnovationAudit {
 public:
  InnovationAudit(const CertifiedPlan& plan, Period joined)
      : plan_(plan),
        law_(std::get<WeightedThresholdLaw>(plan.plan().views.front().law)),
        noise_(law_),
        joined_(joined),
        length_(plan.plan().num_periods - joined + 1),
        outputs_(std::size_t{1} << length_, std::vector<BigInt>(noise_.num_vectors(length_))) {}

  ExhaustiveAudit run() {
    audit_.num_inputs = outputs_.size();
    audit_.num_outputs = outputs_.front().size();
    follow(InnovationProbes(plan_, joined_), {}, {}, 1);
    judge();
    return audit_;
  }

  std::vector<std::vector<BigInt>> outputs() {
    follow(InnovationProbes(plan_, joined_), {}, {}, 1);
    return outputs_;
  }

 private:
  // Visits all that can follow these values, having sent this, with this weight over the number of
  // decisions to the power of periods.
  void follow(const InnovationProbes& probes, const std::vector<bool>& values,
              const std::vector<InnovationSent>& sent, const BigInt& weight) {
    if (values.size() == length_) return finish(values, sent, weight);
    const Period t = joined_ + static_cast<Period>(values.size());
    const std::uint64_t decisions = probes.num_decisions();
    for (const bool value : {false, true}) {
      std::vector<bool> longer = values;
      longer.push_back(value);
      const std::uint64_t used = probes.num_using(t, value);
      const std::array<std::uint64_t, 2> ways = {used, decisions - used};
      for (std::size_t way = 0; way < 2; ++way) {
        if (ways[way] == 0) continue;
        InnovationProbes next = probes;
        const std::optional<InnovationSent> now =
            next.advance(t, value, way == 0 ? 0 : decisions - 1);
        audit_.property_three &=
            now.has_value() && (now->position == InnovationSent::kCoin) == (way == 1);
        if (!now) continue;
        if (way == 0) audit_.property_two &= is_unbiased(longer, *now, used, decisions);
        std::vector<InnovationSent> more = sent;
        more.push_back(*now);
        follow(next, longer, more, weight * ways[way]);
      }
    }
  }

  // |U| / G is how often noise of a level with mean G is used, and the sign is that of U.
  bool is_unbiased(const std::vector<bool>& values, const InnovationSent& sent, std::uint64_t used,
                   std::uint64_t decisions) const {
    std::uint32_t changes = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != (i > 0 && values[i - 1])) ++changes;
    }
    if (changes > plan_.plan().max_changes) return true;
    const auto gap = [&](std::size_t l) { return static_cast<std::int64_t>(law_.levels[l].gap); };
    const std::size_t m = law_.settled();
    std::int64_t innovation = (values.back() ? gap(0) + gap(m) : 0) - gap(m);
    for (std::size_t j = 1; j <= m && j < values.size(); ++j) {
      if (values[values.size() - 1 - j]) innovation -= gap(j - 1) - gap(j);
    }
    std::size_t level = 0;
    for (std::uint32_t end = law_.levels[0].stock; end <= sent.position;) {
      end += law_.levels[++level].stock;
    }
    const BigInt wanted = BigInt(std::abs(innovation)) * decisions;
    const BigInt given = BigInt(used) * law_.levels[level].gap;
    return sent.reversed == (innovation < 0) && wanted <= given &&
           given < wanted + law_.levels[level].gap;
  }

  void finish(const std::vector<bool>& values, const std::vector<InnovationSent>& sent,
              const BigInt& weight) {
    std::size_t input = 0;
    std::uint32_t mask = 0, coins = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      input |= std::size_t{values[i]} << i;
      if (sent[i].position == InnovationSent::kCoin) {
        ++coins;
      } else {
        mask |= 1U << sent[i].position;
      }
    }
    // A coin has a chance over 2^null_bits, and so has every other period, for one denominator.
    const BigInt scaled = weight << (noise_.null_bits() * (length_ - coins));
    const std::vector<BigInt>& noise_weights = noise_.weights_at(mask);
    for (std::uint32_t output = 0; output < outputs_[input].size(); ++output) {
      std::uint32_t asked = 0;  // of the noise
      std::uint64_t of_coins = 1;
      for (std::uint32_t i = 0; i < length_; ++i) {
        std::uint32_t symbol = noise_.digit(output, i);
        if (sent[i].position == InnovationSent::kCoin) {
          of_coins *= noise_.null_weight(symbol);
          continue;
        }
        if (sent[i].reversed && symbol != EveryNoise::kZero) symbol = 1 - symbol;
        asked += symbol * noise_.power(sent[i].position);
      }
      outputs_[input][output] += scaled * of_coins * noise_weights[asked];
    }
  }

  // Returns a number that is inversely proportional to an output's chance where nothing is told.
  BigInt over_null(std::uint32_t output) const {
    BigInt factor = 1;
    if (noise_.base() == 2) return factor;
    for (std::uint32_t i = 0; i < length_; ++i) {
      const bool silent = noise_.digit(output, i) == EveryNoise::kZero;
      factor *= silent ? 1 : noise_.null_weight(EveryNoise::kZero);
    }
    return factor;
  }

  void judge() {
    const Fraction bound = exp_below(plan_.plan().epsilon.nanos());
    std::optional<BigInt> least, most;  // of an output over its chance where nothing is told
    for (std::uint32_t output = 0; output < outputs_.front().size(); ++output) {
      BigInt smallest = outputs_[0][output], largest = smallest;
      for (const std::vector<BigInt>& of_input : outputs_) {
        smallest = std::min(smallest, of_input[output]);
        largest = std::max(largest, of_input[output]);
      }
      const BigInt factor = over_null(output);
      least = least ? std::min(*least, BigInt(smallest * factor)) : BigInt(smallest * factor);
      most = most ? std::max(*most, BigInt(largest * factor)) : BigInt(largest * factor);
      if (smallest.is_zero()) {
        audit_.ratio_bounded = false;
        audit_.exact_epsilon = std::numeric_limits<double>::infinity();
        continue;
      }
      audit_.ratio_bounded &= less_or_equal({largest, smallest}, bound);
      audit_.exact_epsilon = std::max(audit_.exact_epsilon, log({largest, smallest}));
    }
    audit_.property_one = !least->is_zero() && less_or_equal({*most, *least}, bound);
  }

  const CertifiedPlan& plan_;
  const WeightedThresholdLaw& law_;
  EveryNoise noise_;
  Period joined_;
  Period length_;
  std::vector<std::vector<BigInt>> outputs_;  // by input and output
  ExhaustiveAudit audit_{0, 0, true, true, true, true, 0};
};

Status check_size(const CertifiedPlan& plan) {
  const bool quiet = may_be_zero(plan.plan().views.front().law);
  const Period most = quiet ? kMostSparsePeriods : kMostPeriods;
  if (plan.plan().num_periods > most) {
    return Error{"4^" + std::to_string(plan.plan().num_periods) +
                 " values and decisions are too many to enumerate; expected at most " +
                 std::to_string(most) + " periods"};
  }
  return {};
}

}  // namespace

Result<ExhaustiveAudit> audit_innovation_exhaustively(const CertifiedPlan& plan, Period joined) {
  if (const Status small = check_size(plan); !small) return small.error();
  return InnovationAudit(plan, joined).run();
}

Result<std::vector<std::vector<BigInt>>> innovation_outputs(const CertifiedPlan& plan) {
  if (const Status small = check_size(plan); !small) return small.error();
  return InnovationAudit(plan, 1).outputs();
}

}  // namespace futurerand
