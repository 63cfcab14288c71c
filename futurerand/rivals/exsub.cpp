// ExSub: a subset of intervals of fixed size reports a sign, and all others report 0.
//
// Model: local, online. A user draws an order uniformly. At the end of each interval of the order
//   it sends a symbol: -1, 0 or +1. Exactly m of its symbols are not 0. Symbols of the s = min(k,
//   L) stub slots are never sent. An output has weight e^epsilon if a change leaves with its own
//   sign, otherwise weight 1 (exsub.hpp).
// Guarantee: private over the whole sequence, exactly epsilon, for any number of changes. The
//   client must ignore changes past s; the paper leaves this out. Its algorithm 4 as printed loses
//   without bound for s >= 2: it decrements counters before comparing them. The two tapes here have
//   the law of the corrected algorithm.
// Estimator: of an interval, (1 + H) / gap times (plus - minus) over the users of its order; plain
//   dyadic sum. A change is noisier than a 0, so the variance depends on the population. The
//   prediction is for users with k changes at uniform periods. Bands use the received symbols.
// Constants: m as in the authors' program, except for a tenth of another error term: less than 0.1%
//   of the total. The paper's formula for m is worse by up to 43%.
// Source: Wang, Peng, Chen, Yang, "Optimal Locally Private Data Stream Analytics", INFOCOM 2024.
#include "futurerand/rivals/exsub.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::exsub {
namespace {

double log_choose(double n, double r) {
  return std::lgamma(n + 1) - std::lgamma(r + 1) - std::lgamma(n - r + 1);
}

// Element r: the probability of r `special` slots in a uniform subset of `size` among `slots`.
std::vector<double> hypergeometric(std::uint32_t slots, std::uint32_t special, std::uint32_t size) {
  std::vector<double> chances(std::min(special, size) + 1);
  const std::uint32_t others = slots - special;
  const double all = log_choose(slots, size);
  for (std::uint32_t r = size > others ? size - others : 0; r < chances.size(); ++r) {
    chances[r] = std::exp(log_choose(special, r) + log_choose(others, size - r) - all);
  }
  return chances;
}

// Returns the probability of no special slot with its own sign in a uniform signed subset.
double no_hit(std::uint32_t slots, std::uint32_t special, std::uint32_t size) {
  const std::vector<double> chances = hypergeometric(slots, special, size);
  double sum = 0;
  for (std::size_t r = chances.size(); r-- > 0;) sum = sum / 2 + chances[r];
  return sum;
}

struct Chances {
  double own;
  double wrong;
  double zero;
};

Chances chances_of(IntervalIndex intervals, std::uint32_t changes, std::uint32_t symbols,
                   double epsilon) {
  const std::uint32_t slots = intervals + changes;
  const double above_one = std::expm1(epsilon);
  const auto weight = [&](double without_hit) { return 1 + above_one * (1 - without_hit); };
  const double signed_slot = symbols / (2.0 * slots) / weight(no_hit(slots, changes, symbols));
  return {signed_slot * weight(0),
          signed_slot * weight(no_hit(slots - 1, changes - 1, symbols - 1)),
          signed_slot * weight(no_hit(slots - 1, changes, symbols - 1))};
}

// Returns the squared error of one user's estimate, summed over all slots.
double squared_error(IntervalIndex intervals, std::uint32_t changes, std::uint32_t symbols,
                     double epsilon) {
  const Chances at = chances_of(intervals, changes, symbols, epsilon);
  const double gap = at.own - at.wrong;
  return (intervals * 2 * at.zero + changes * (at.own + at.wrong)) / (gap * gap) - changes;
}

// Gives a uniform subset of `size` cells of the tape the value 1, by Floyd's method.
void choose(std::uint32_t size, UniformBits& bits, std::vector<std::int8_t>& tape) {
  for (auto top = static_cast<std::uint32_t>(tape.size()) - size; top < tape.size(); ++top) {
    const std::uint32_t cell = bits.below(top + 1);
    tape[tape[cell] == 0 ? cell : top] = 1;
  }
}

bool is_below(double probability, UniformBits& bits) {
  return static_cast<double>(bits.word() >> 11) * 0x1p-53 < probability;
}

}  // namespace

Law Law::create(IntervalIndex num_intervals, std::uint32_t num_changes, std::uint32_t num_symbols,
                double epsilon) {
  const Chances chances = chances_of(num_intervals, num_changes, num_symbols, epsilon);
  Law law{num_intervals, num_changes,  num_symbols, chances.own,
          chances.wrong, chances.zero, {},          {}};
  double sum = 0;
  for (const double chance :
       hypergeometric(num_intervals + num_changes, num_changes, num_symbols)) {
    const double all_minus = std::ldexp(1.0, -static_cast<int>(law.at_most.size()));
    const double with_plus = std::exp(epsilon) * (1 - all_minus);
    law.has_plus.push_back(with_plus / (with_plus + all_minus));
    law.at_most.push_back(sum += chance * (with_plus + all_minus));
  }
  for (double& chance : law.at_most) chance /= sum;
  return law;
}

// The error falls and then rises with the number of symbols.
Law Law::best(IntervalIndex num_intervals, std::uint32_t num_changes, double epsilon) {
  const std::uint32_t slots = num_intervals + num_changes;
  std::uint32_t low = 1;
  std::uint32_t high = std::max(1U, std::min(slots, slots / 2 + num_changes) - 1);
  const auto error = [&](std::uint32_t symbols) {
    return squared_error(num_intervals, num_changes, symbols, epsilon);
  };
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (error(middle) <= error(middle + 1)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return create(num_intervals, num_changes, low, epsilon);
}

void Tapes::draw(const Law& law, UniformBits& bits) {
  changes_.assign(law.num_changes, 0);
  zeros_.assign(law.num_intervals, 0);
  changes_read_ = zeros_read_ = 0;
  std::uint32_t signs = 0;
  const double uniform = static_cast<double>(bits.word() >> 11) * 0x1p-53;
  while (signs + 1 < law.at_most.size() && uniform >= law.at_most[signs]) ++signs;
  choose(signs, bits, changes_);
  choose(law.num_symbols - signs, bits, zeros_);
  for (std::int8_t& symbol : zeros_) {
    if (symbol != 0 && bits.word() & 1U) symbol = -1;
  }
  const bool plus = is_below(law.has_plus[signs], bits);
  bool found = false;
  do {
    for (std::int8_t& symbol : changes_) {
      if (symbol == 0) continue;
      symbol = plus && (bits.word() & 1U) ? +1 : -1;
      found |= symbol > 0;
    }
  } while (plus && !found && !bits.failed());
}

namespace {

struct Received {
  std::vector<std::vector<std::int64_t>> sums;      // by order, by index - 1
  std::vector<std::vector<std::uint64_t>> symbols;  // without zeros
  std::uint64_t clipped_users = 0;
  Tapes tapes = {};  // of the worker's current user

  explicit Received(Period num_periods) {
    for (Order h = 0; h < num_orders(num_periods); ++h) {
      sums.emplace_back(num_intervals(num_periods, h));
      symbols.emplace_back(num_intervals(num_periods, h));
    }
  }

  void merge(const Received& other) {
    clipped_users += other.clipped_users;
    for (Order h = 0; h < sums.size(); ++h) {
      for (std::size_t j = 0; j < sums[h].size(); ++j) {
        sums[h][j] += other.sums[h][j];
        symbols[h][j] += other.symbols[h][j];
      }
    }
  }
};

// Calls visit(index, symbol) for each interval of the law's order, in time. Returns the number of
// changes.
template <typename Visit>
std::uint32_t report(const Law& law, Order order, const Flips& flips, Tapes& tapes, Visit&& visit) {
  IntervalIndex next = 1;
  std::uint32_t changes = 0;
  for_each_nonzero_sum(flips, order, law.num_intervals, [&](IntervalIndex index, int change) {
    for (; next < index; ++next) visit(next, tapes.next(0));
    visit(next++, tapes.next(change));
    ++changes;
  });
  for (; next <= law.num_intervals; ++next) visit(next, tapes.next(0));
  return changes;
}

// Returns the probability of an odd number of `changes` distinct uniform periods among `width` of
// `periods`.
double odd_share(Period periods, std::uint32_t changes, Period width) {
  const std::vector<double> chances = hypergeometric(periods, changes, width);
  double odd = 0;
  for (std::size_t j = 1; j < chances.size(); j += 2) odd += chances[j];
  return odd;
}

class ExSub final : public SimulatedProtocol {
 public:
  explicit ExSub(const ProtocolSettings& settings)
      : settings_(settings), orders_(num_orders(settings.num_periods)) {
    double intervals = 0;
    for (Order h = 0; h < orders_; ++h) {
      const IntervalIndex count = num_intervals(settings.num_periods, h);
      laws_.push_back(
          Law::best(count, std::min(settings.max_changes, count), settings.epsilon.value()));
      intervals += count;
    }
    traits_ = {"exsub", Guarantee::kWholeSequence,
               true,    intervals / orders_ * std::log2(3.0),
               1,       "predicted for users who change K times at uniform periods"};
  }

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override {
    const Period periods = settings_.num_periods;
    const std::uint32_t changes = std::min(settings_.max_changes, periods);
    std::vector<double> nodes;  // variance per user of one node of each order
    for (Order h = 0; h < orders_; ++h) {
      const Law& law = laws_[h];
      const double changed = odd_share(periods, changes, Period{1} << h);
      const double symbols = (1 - changed) * 2 * law.zero + changed * (law.own + law.wrong);
      nodes.push_back(orders_ * symbols / (law.gap() * law.gap()));
    }
    std::vector<double> variances(periods);
    for (Period t = 1; t <= periods; ++t) {
      // The share of 1, less a hair: changes are taken as independent.
      double variance = (std::pow(1 - 2.0 * t / periods, changes) - 1) / 2;
      for_each_in_prefix(t, [&](DyadicInterval i) { variance += nodes[i.order]; });
      variances[t - 1] = variance * static_cast<double>(settings_.num_users);
    }
    return variances;
  }

  // Changes past the law's own are read as 0.
  std::optional<std::vector<double>> expected_bias(const Population& population,
                                                   const Workers& workers) const override {
    const Received hidden =
        fold_users(population, workers, Received(settings_.num_periods),
                   [&](Received& sum, std::uint64_t, const Flips& flips) {
                     if (flips.size() <= settings_.max_changes) return;
                     for (Order h = 0; h < orders_; ++h) {
                       std::uint32_t seen = 0;
                       for_each_nonzero_sum(flips, h, laws_[h].num_intervals,
                                            [&](IntervalIndex index, int change) {
                                              if (++seen > laws_[h].num_changes) {
                                                sum.sums[h][index - 1] += change;
                                              }
                                            });
                     }
                   });
    std::vector<double> bias(settings_.num_periods);
    for (Period t = 1; t <= bias.size(); ++t) {
      for_each_in_prefix(t, [&](DyadicInterval i) {
        bias[t - 1] -= static_cast<double>(hidden.sums[i.order][i.index - 1]);
      });
    }
    return bias;
  }

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const Received received = fold_users(
        population, trial.workers, Received(settings_.num_periods),
        [&](Received& sum, std::uint64_t user, const Flips& flips) {
          PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
          UniformBits bits(source);
          const Order order = bits.below(orders_);
          sum.tapes.draw(laws_[order], bits);
          const auto add = [&](IntervalIndex index, int symbol) {
            sum.sums[order][index - 1] += symbol;
            sum.symbols[order][index - 1] += symbol != 0;
          };
          const std::uint32_t changes = report(laws_[order], order, flips, sum.tapes, add);
          if (changes > laws_[order].num_changes) ++sum.clipped_users;
        });
    TrialOutcome outcome;
    outcome.clipped_users = received.clipped_users;
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      double count = 0;
      double squares = 0;
      for_each_in_prefix(t, [&](DyadicInterval i) {
        const double scale = orders_ / laws_[i.order].gap();
        count += scale * static_cast<double>(received.sums[i.order][i.index - 1]);
        squares += scale * scale * static_cast<double>(received.symbols[i.order][i.index - 1]);
      });
      // A user's mean is its value: the squares exceed the variance by the count.
      outcome.estimates.push_back(
          {t, count, std::sqrt(std::max(squares - std::max(count, 0.0), 1.0))});
    }
    return outcome;
  }

  SequenceLoss sequence_loss() const override {
    return {settings_.epsilon.value(), "exact, over all pairs of sequences"};
  }

  // The header of a transcript is the order. Each symbol is two bits: whether it is a sign, and
  // which.
  Result<ClientRun> client() const override {
    return ClientRun(
        [laws = laws_](const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
          UniformBits bits(source);
          transcript.clear();
          const Order order = bits.below(static_cast<std::uint32_t>(laws.size()));
          transcript.header = order;
          Tapes tapes;
          tapes.draw(laws[order], bits);
          report(laws[order], order, flips, tapes, [&](IntervalIndex, int symbol) {
            transcript.append(symbol != 0);
            transcript.append(symbol > 0);
          });
          return !bits.failed();
        });
  }

 private:
  ProtocolSettings settings_;
  Order orders_;
  std::vector<Law> laws_;  // by order
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  return std::unique_ptr<SimulatedProtocol>(std::make_unique<ExSub>(settings));
}

}  // namespace

ProtocolKind rival() { return {"exsub", make}; }

}  // namespace futurerand::exsub
