#include "futurerand/audit/exhaustive_innovation.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
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

// The enumerated values. Thirds of the full scale stand for numbers.
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
    for (const Values& grid : grids_) {
      strides_.push_back(inputs);
      inputs *= grid.size();
      means_.emplace_back(inputs);
    }
    leaves_.resize(inputs);
    outputs_.assign(inputs, std::vector<BigInt>(noise_.num_vectors(length_)));
  }

  ExhaustiveAudit run() {
    audit_.num_inputs = outputs_.size();
    audit_.num_outputs = outputs_.front().size();
    enumerate();
    judge();
    for (Period t = 0; t < length_; ++t) {
      for (std::size_t input = 0; input < means_[t].size(); ++input) {
        audit_.property_two &= is_unbiased(values_of(input, t + 1), means_[t][input]);
      }
    }
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
      follow(node_of(InnovationProbes(plan_, joined_, first)), 0, 0, 0, end - first);
      first = end;
    }
    for (std::size_t input = 0; input < leaves_.size(); ++input) {
      for (const auto& [path, weight] : leaves_[input]) finish(input, path, weight);
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

  // One possible report of a period, with the number of deciding values behind it.
  struct Branch {
    std::uint64_t ways;
    std::optional<InnovationSent> sent;
    std::size_t next;  // the node after it
  };
  // A saved state of the device, and what follows each value.
  struct Node {
    InnovationProbes probes;
    std::map<std::uint32_t, std::vector<Branch>> branches = {};
  };

  std::size_t node_of(const InnovationProbes& probes) {
    const auto [found, is_new] = by_saved_.try_emplace(probes.saved(), nodes_.size());
    if (is_new) nodes_.push_back({probes});
    return found->second;
  }

  const std::vector<Branch>& branches(std::size_t node, Period t, std::uint32_t value) {
    std::vector<Branch>& found = nodes_[node].branches[value];
    if (!found.empty()) return found;
    const InnovationProbes& probes = nodes_[node].probes;
    const std::uint64_t decisions = probes.num_decisions();
    const std::uint64_t first = probes.num_first(t, value);
    for (const std::uint64_t ways : {first, decisions - first}) {
      if (ways == 0) continue;
      const std::uint64_t decision = found.empty() ? 0 : decisions - 1;
      InnovationProbes next = probes;
      next.advance(t, value, decision);
      found.push_back({ways, probes.sent(t, value, decision), node_of(next)});
    }
    return found;
  }

  // Visits all continuations of the first t values of an input, after this path of reports.
  // `weight` is over the full scale times the number of decisions to the power of periods.
  void follow(std::size_t node, Period t, std::size_t input, std::uint64_t path,
              const BigInt& weight) {
    if (t == length_) {
      leaves_[input][path] += weight;
      return;
    }
    for (std::size_t at = 0; at < grids_[t].size(); ++at) {
      const std::size_t longer = input + at * strides_[t];
      Mean& mean = means_[t][longer];
      for (const Branch& branch : branches(node, joined_ + t, grids_[t][at])) {
        audit_.property_three &= branch.sent.has_value();
        if (!branch.sent) continue;
        const BigInt weighted = weight * branch.ways;
        mean.weight += weighted;
        mean.sum += weighted * mean_of(*branch.sent);
        follow(branch.next, t + 1, longer, path | code_of(*branch.sent) << (kCodeBits * t),
               weighted);
      }
    }
  }

  // The report of a period in a few bits: positions are below kMostPeriods.
  static constexpr std::uint32_t kCodeBits = 5;
  static std::uint64_t code_of(const InnovationSent& sent) {
    return sent.is_coin() ? 0 : 2 * sent.position + (sent.reversed ? 1 : 0) + 1;
  }
  static InnovationSent sent_of(std::uint64_t path, Period t) {
    const auto code = static_cast<std::uint32_t>(path >> (kCodeBits * t)) & 31U;
    if (code == 0) return {};
    return {(code - 1) / 2, (code - 1) % 2 == 1};
  }

  // The first `count` values of an input.
  Values values_of(std::size_t input, Period count) const {
    Values values;
    for (Period t = 0; t < count; ++t) {
      values.push_back(grids_[t][input / strides_[t] % grids_[t].size()]);
    }
    return values;
  }

  struct Mean {
    BigInt weight = 0;
    BigInt sum = 0;  // of weights times gaps
  };

  // The mean of the sign, in units of 2^-40.
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

  void finish(std::size_t input, std::uint64_t path, const BigInt& weight) {
    std::vector<InnovationSent> sent;
    std::uint32_t mask = 0, coins = 0;
    for (Period t = 0; t < length_; ++t) {
      sent.push_back(sent_of(path, t));
      if (sent.back().is_coin()) {
        ++coins;
      } else {
        mask |= 1U << sent.back().position;
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

  // Returns a number inversely proportional to an output's null chance (pure noise).
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
    std::optional<BigInt> least, most;  // of an output over its null chance
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
  std::vector<Values> grids_;             // by period
  std::vector<std::size_t> strides_;      // by period: how far apart inputs are in its value
  std::vector<std::vector<Mean>> means_;  // of each period's report, by input so far
  std::deque<Node> nodes_;
  std::map<std::vector<std::uint32_t>, std::size_t> by_saved_;
  std::vector<std::map<std::uint64_t, BigInt>> leaves_;  // by input: weights of paths
  std::vector<std::vector<BigInt>> outputs_;             // by input and output
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
