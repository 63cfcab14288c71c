#include "futurerand/audit/exhaustive_innovation.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "futurerand/audit/every_noise.hpp"
#include "futurerand/audit/innovation_probes.hpp"

namespace futurerand {
namespace {

constexpr Period kMostPeriods = 10;
constexpr Period kMostSparsePeriods = 8;  // there are three symbols
constexpr Period kMostNumberPeriods = 6;  // there are four values

// The values that are enumerated. Thirds of the full scale stand for numbers.
std::vector<std::uint32_t> grid_of(std::uint32_t full_scale) {
  if (full_scale == 1) return {0, 1};
  return {0, full_scale / 3, full_scale - full_scale / 3, full_scale};
}

class InnovationAudit {
  using Values = std::vector<std::uint32_t>;

 public:
  // Enumerates every sequence of the grid's values, or just this one.
  InnovationAudit(const CertifiedPlan& plan, Period joined,
                  const std::vector<std::uint32_t>& values = {})
      : plan_(plan),
        law_(std::get<WeightedThresholdLaw>(plan.plan().views.front().law)),
        gaps_(law_.filter_gaps()),
        scale_(plan.innovation_levels()->full_scale),
        noise_(law_),
        joined_(joined),
        length_(plan.plan().num_periods - joined + 1),
        grids_(length_, grid_of(scale_)) {
    for (Period t = 0; t < length_ && !values.empty(); ++t) grids_[t] = {values[t]};
    std::size_t inputs = 1;
    for (const Values& grid : grids_) inputs *= grid.size();
    outputs_.assign(inputs, std::vector<BigInt>(noise_.num_vectors(length_)));
  }

  ExhaustiveAudit run() {
    audit_.num_inputs = outputs_.size();
    audit_.num_outputs = outputs_.front().size();
    enumerate();
    judge();
    for (const auto& [values, mean] : means_) audit_.property_two &= is_unbiased(values, mean);
    return audit_;
  }

  std::vector<std::vector<BigInt>> outputs() {
    enumerate();
    return outputs_;
  }

 private:
  void enumerate() {
    // Phases act alike if they wrap after the same steps: between two sums of steps, mod the full
    // scale. So one phase of each such stretch is tried, with its length as weight.
    std::set<std::uint32_t> ends = {scale_};
    if (scale_ > 1) add_wraps(0, 0, 0, ends);
    std::uint32_t first = 0;
    for (const std::uint32_t end : ends) {
      follow(InnovationProbes(plan_, joined_, first), {}, {}, end - first);
      first = end;
    }
  }

  // A phase wraps, after this much variation, if it is at least the full scale less the variation.
  void add_wraps(Period t, std::uint32_t value, std::uint32_t variation,
                 std::set<std::uint32_t>& ends) const {
    if (variation % scale_ != 0) ends.insert(scale_ - variation % scale_);
    if (t == length_) return;
    for (const std::uint32_t next : grids_[t]) {
      const bool is_start = t == 0 && plan_.plan().initial == Initial::kUnknown;
      add_wraps(t + 1, next, variation + (is_start ? 0 : distance(value, next)), ends);
    }
  }

  static std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }

  // Visits all that can follow these values, having sent this, with this weight over the full scale
  // times the number of decisions to the power of periods.
  void follow(const InnovationProbes& probes, const Values& values,
              const std::vector<InnovationSent>& sent, const BigInt& weight) {
    if (values.size() == length_) return finish(values, sent, weight);
    const Period t = joined_ + static_cast<Period>(values.size());
    const std::uint64_t decisions = probes.num_decisions();
    for (const std::uint32_t value : grids_[values.size()]) {
      Values longer = values;
      longer.push_back(value);
      const std::uint64_t first = probes.num_first(t, value);
      const std::array<std::uint64_t, 2> ways = {first, decisions - first};
      for (std::size_t way = 0; way < 2; ++way) {
        if (ways[way] == 0) continue;
        const std::uint64_t decision = way == 0 ? 0 : decisions - 1;
        const std::optional<InnovationSent> now = probes.sent(t, value, decision);
        audit_.property_three &= now.has_value();
        if (!now) continue;
        InnovationProbes next = probes;
        next.advance(t, value, decision);
        Mean& mean = means_[longer];
        mean.weight += weight * ways[way];
        mean.sum += weight * ways[way] * mean_of(*now);
        std::vector<InnovationSent> more = sent;
        more.push_back(*now);
        follow(next, longer, more, weight * ways[way]);
      }
    }
  }

  struct Mean {
    BigInt weight = 0;
    BigInt sum = 0;  // of weights times gaps
  };

  // What the sign carries, in units of 2^-40.
  BigInt mean_of(const InnovationSent& sent) const {
    if (sent.is_coin()) return 0;
    std::size_t level = 0;
    for (std::uint32_t end = law_.levels[0].count; end <= sent.position;) {
      end += law_.levels[++level].count;
    }
    const BigInt gap = law_.levels[level].gap;
    return sent.reversed ? BigInt(-gap) : gap;
  }

  // Over all phases and decisions a report has the mean V / 2X, up to the rounding of a decision.
  bool is_unbiased(const Values& values, const Mean& mean) const {
    const bool unknown = plan_.plan().initial == Initial::kUnknown;
    std::uint64_t variation = unknown ? 0 : values.front();
    for (std::size_t i = 1; i < values.size(); ++i) {
      variation += distance(values[i], values[i - 1]);
    }
    if (variation > std::uint64_t{plan_.plan().max_changes} * scale_) return true;
    const std::size_t m = law_.num_lags();
    const auto y = [&](std::size_t ago) -> BigInt {
      if (ago >= values.size()) return unknown ? BigInt(0) : BigInt(-BigInt(scale_));
      return 2 * BigInt(values[values.size() - 1 - ago]) - scale_;
    };
    BigInt wanted = (BigInt(gaps_[0]) + gaps_[m]) * y(0);  // V
    for (std::size_t i = 1; i <= m; ++i) wanted -= (BigInt(gaps_[i - 1]) - gaps_[i]) * y(i);
    // |sum / weight - V / 2X| <= the largest gap / decisions.
    const BigInt off = abs(BigInt(2 * BigInt(scale_) * mean.sum - wanted * mean.weight));
    const BigInt most = BigInt(2) << WeightedThresholdLaw::kGapBits;
    return off * InnovationProbes(plan_, joined_).num_decisions() <=
           2 * BigInt(scale_) * most * mean.weight;
  }

  void finish(const Values& values, const std::vector<InnovationSent>& sent, const BigInt& weight) {
    std::size_t input = 0;
    std::uint32_t mask = 0, coins = 0;
    for (std::size_t i = values.size(); i-- > 0;) {
      const Values& grid = grids_[i];
      const auto at = std::find(grid.begin(), grid.end(), values[i]) - grid.begin();
      input = input * grid.size() + static_cast<std::size_t>(at);
      if (sent[i].is_coin()) {
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
        if (sent[i].is_coin()) {
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
  std::vector<std::uint64_t> gaps_;
  std::uint32_t scale_;
  EveryNoise noise_;
  Period joined_;
  Period length_;
  std::vector<Values> grids_;                 // by period
  std::map<Values, Mean> means_;              // of the last report, by values so far
  std::vector<std::vector<BigInt>> outputs_;  // by input and output
  ExhaustiveAudit audit_{0, 0, true, true, true, true, 0};
};

Status check_size(Period periods, Period most) {
  if (periods <= most) return {};
  return Error{"4^" + std::to_string(periods) +
               " values and decisions are too many to enumerate; expected at most " +
               std::to_string(most) + " periods"};
}

Status check_size(const CertifiedPlan& plan) {
  const bool is_sparse = may_be_zero(plan.plan().views.front().law);
  const bool is_number = plan.innovation_levels()->full_scale > 1;
  const Period most = is_number   ? kMostNumberPeriods
                      : is_sparse ? kMostSparsePeriods
                                  : kMostPeriods;
  return check_size(plan.plan().num_periods, most);
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

Result<std::vector<double>> innovation_law_of(const CertifiedPlan& plan, Period joined,
                                              const std::vector<std::uint32_t>& values) {
  if (const Status small = check_size(plan.plan().num_periods, kMostPeriods); !small) {
    return small.error();
  }
  const std::vector<BigInt> outputs = InnovationAudit(plan, joined, values).outputs().front();
  BigInt total = 0;
  for (const BigInt& output : outputs) total += output;
  std::vector<double> chances;
  for (const BigInt& output : outputs) chances.push_back(to_double({output, total}));
  return chances;
}

}  // namespace futurerand
