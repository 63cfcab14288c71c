// sparse_vector: a user's sparse vector of changes, folded into one number by random signs.
//
// Model: local, OFFLINE: a user sends one bit, after the last period; no answer before.
//   It draws an order uniformly and, from a public seed, a sign s(j) for every interval of the
//   order; T = sum of s(j) times the change over interval j, clipped to -eta..eta; the bit is +
//   with probability 1/2 + (T / eta) tanh(epsilon / 2) / 2, and stands for y = +-eta / tanh(epsilon
//   / 2).
// Guarantee: private over the whole sequence: a bit whose odds differ by e^epsilon at most.
// Estimator: of interval j, (1 + H) times the sum of s(j) y over the users of its order; plain
//   dyadic sum. Variance popcount(t) (1 + H) n eta^2 / tanh^2(epsilon / 2), less at most n. A user
//   whose |T| may pass eta is biased towards no change: expected_bias has the amount.
// Constants: eta = min(k, sqrt(2 k ln(4 n))) unless given.
// Source: Zhou, Wang, Chan, Fanti, Shi, "Locally differentially private sparse vector aggregation"
//   (2021), from a secondary description. Named in [OWW22] section 6.
#include "futurerand/rivals/sparse_vector.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "futurerand/estimator/sums.hpp"
#include "futurerand/simulator/engines/bernoulli.hpp"
#include "futurerand/simulator/engines/binomial.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::sparse_vector {
namespace {

using PerNode = std::vector<std::vector<double>>;  // by order, by index - 1

constexpr std::array kSparseVectorConstants = {
    ProtocolConstant{"sparse-clip", "ETA", "clip to this; default: min(K, sqrt(2K ln 4N))", {}},
};

double clip_of(const ProtocolSettings& settings) {
  const double k = settings.max_changes;
  const double users = static_cast<double>(settings.num_users);
  return settings.constants.find(kSparseVectorConstants[0])
      .value_or(std::min(k, std::sqrt(2 * k * std::log(4 * users))));
}

// Draws the fair signs of a user's non-zero changes, and the resulting bit.
class Bit {
 public:
  Bit(double clip, double slope) : clip_(clip), slope_(slope) {}

  bool draw(UniformBits& bits, double total) const {
    return bernoulli(bits, 0.5 + std::clamp(total / clip_, -1.0, 1.0) * slope_ / 2);
  }

 private:
  double clip_;
  double slope_;  // tanh(epsilon / 2)
};

struct Drawn {
  std::vector<std::vector<IndexSum>>
      nodes;                         // sums of s(j) y / |y| over users with a non-zero change
  std::vector<std::uint64_t> users;  // by order

  explicit Drawn(Period num_periods) : users(num_orders(num_periods)) {
    for (Order h = 0; h < users.size(); ++h) nodes.emplace_back(num_intervals(num_periods, h));
  }

  void merge(const Drawn& other) {
    for (Order h = 0; h < users.size(); ++h) {
      users[h] += other.users[h];
      for (std::size_t j = 0; j < nodes[h].size(); ++j) {
        nodes[h][j].sum += other.nodes[h][j].sum;
        nodes[h][j].count += other.nodes[h][j].count;
      }
    }
  }
};

// Sums are in fixed point, so they do not depend on the order of users.
struct Shortfall {
  static constexpr double kUnit = 0x1p-32;
  std::vector<std::vector<std::int64_t>> nodes;

  explicit Shortfall(Period num_periods) {
    for (Order h = 0; h < num_orders(num_periods); ++h) {
      nodes.emplace_back(num_intervals(num_periods, h));
    }
  }

  void merge(const Shortfall& other) {
    for (Order h = 0; h < nodes.size(); ++h) {
      for (std::size_t j = 0; j < nodes[h].size(); ++j) nodes[h][j] += other.nodes[h][j];
    }
  }
};

struct MostFlips {
  std::size_t most = 0;
  void merge(const MostFlips& other) { most = std::max(most, other.most); }
};

class SparseVector final : public SimulatedProtocol {
 public:
  explicit SparseVector(const ProtocolSettings& settings)
      : settings_(settings),
        orders_(num_orders(settings.num_periods)),
        clip_(clip_of(settings)),
        slope_(std::tanh(settings.epsilon.value() / 2)),
        traits_{"sparse_vector", Guarantee::kWholeSequence, false, 1, settings.num_periods} {}

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override {
    const double size = clip_ / slope_;
    const double node = orders_ * static_cast<double>(settings_.num_users) * size * size;
    std::vector<double> variances(settings_.num_periods);
    for (Period t = 1; t <= variances.size(); ++t) variances[t - 1] = std::popcount(t) * node;
    return variances;
  }

  std::optional<std::vector<double>> expected_bias(const Population& population,
                                                   const Workers& workers) const override {
    std::vector<double> bias(settings_.num_periods);
    const std::size_t most = fold_users(population, workers, MostFlips{},
                                        [](MostFlips& sum, std::uint64_t, const Flips& flips) {
                                          sum.most = std::max(sum.most, flips.size());
                                        })
                                 .most;
    if (static_cast<double>(most) <= clip_) return bias;
    std::vector<std::int64_t> lost(most + 1);
    for (std::uint32_t m = 1; m <= most; ++m) {
      lost[m] = std::llround((1 - share_after_clipping(m, clip_)) / Shortfall::kUnit);
    }
    const Shortfall shortfall =
        fold_users(population, workers, Shortfall(settings_.num_periods),
                   [&](Shortfall& sum, std::uint64_t, const Flips& flips) {
                     for (Order h = 0; h < orders_; ++h) {
                       const IntervalIndex indices = num_intervals(settings_.num_periods, h);
                       std::size_t m = 0;
                       for_each_nonzero_sum(flips, h, indices, [&](IntervalIndex, int) { ++m; });
                       for_each_nonzero_sum(flips, h, indices, [&](IntervalIndex j, int change) {
                         sum.nodes[h][j - 1] += change * lost[m];
                       });
                     }
                   });
    for (Period t = 1; t <= bias.size(); ++t) {
      for_each_in_prefix(t, [&](DyadicInterval i) {
        bias[t - 1] -=
            Shortfall::kUnit * static_cast<double>(shortfall.nodes[i.order][i.index - 1]);
      });
    }
    return bias;
  }

  // For users with a change of 0, s(j) y is an independent fair coin. One binomial draws all of
  // them.
  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const Drawn drawn = fold_users(
        population, trial.workers, Drawn(settings_.num_periods),
        [&, bit = Bit(clip_, slope_)](Drawn& sum, std::uint64_t user, const Flips& flips) {
          PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
          UniformBits bits(source);
          const Order h = bits.below(orders_);
          ++sum.users[h];
          const IntervalIndex indices = num_intervals(settings_.num_periods, h);
          const std::vector<IndexSum>::iterator nodes = sum.nodes[h].begin();
          // The signs are read twice: once for T, once for the reports.
          PhiloxSource signs(trial.key, Stream::kPublicSeed, trial.number, user);
          PhiloxSource again = signs;
          double total = 0;
          for_each_nonzero_sum(flips, h, indices, [&](IntervalIndex, int change) {
            total += signs.word() & 1U ? change : -change;
          });
          const bool plus = bit.draw(bits, total);
          for_each_nonzero_sum(flips, h, indices, [&](IntervalIndex j, int) {
            nodes[j - 1].sum += (again.word() & 1U) == plus ? +1 : -1;
            ++nodes[j - 1].count;
          });
        });
    TrialOutcome outcome;
    if (trial.workers.cancelled()) return outcome;
    const PerNode nodes = estimate_nodes(drawn, trial);
    const std::vector<double> variances = *predicted_variances();
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      double estimate = 0;
      for_each_in_prefix(t, [&](DyadicInterval i) { estimate += nodes[i.order][i.index - 1]; });
      outcome.estimates.push_back({t, estimate, std::sqrt(variances[t - 1])});
    }
    return outcome;
  }

  // The loss is epsilon, unless no user's T can reach eta. Clipping bounds T, and k does not: a
  // user may change in every period.
  SequenceLoss sequence_loss() const override {
    const double largest = std::min(1.0, settings_.num_periods / clip_);
    return {2 * std::atanh(largest * slope_), "exact, over all pairs of sequences"};
  }

  // The header of a transcript is the order. Then come y and s(j) y for every interval j. They
  // carry the same information as the seed and the bit.
  Result<ClientRun> client() const override {
    const Bit bit(clip_, slope_);
    return ClientRun([bit, periods = settings_.num_periods](
                         const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
      UniformBits bits(source);
      transcript.clear();
      const Order h = bits.below(num_orders(periods));
      transcript.header = h;
      const IntervalIndex indices = num_intervals(periods, h);
      std::vector<bool> signs(indices);
      for (IntervalIndex j = 0; j < indices; ++j) signs[j] = bits.word() & 1U;
      double total = 0;
      for_each_nonzero_sum(flips, h, indices, [&](IntervalIndex j, int change) {
        total += signs[j - 1] ? change : -change;
      });
      const bool plus = bit.draw(bits, total);
      transcript.append(plus);
      for (const bool sign : signs) transcript.append(sign == plus);
      return !bits.failed();
    });
  }

 private:
  PerNode estimate_nodes(const Drawn& drawn, const Trial& trial) const {
    PerNode estimates(orders_);
    for (Order h = 0; h < orders_; ++h) {
      for (std::size_t j = 0; j < drawn.nodes[h].size(); ++j) {
        PhiloxSource source(trial.key, Stream::kCoins, trial.number, (std::uint64_t{h} << 32) | j);
        const std::uint64_t zeros = drawn.users[h] - drawn.nodes[h][j].count;
        const std::uint64_t heads = binomial_half(source, zeros);
        const double sum = static_cast<double>(drawn.nodes[h][j].sum) +
                           2 * static_cast<double>(heads) - static_cast<double>(zeros);
        estimates[h].push_back(orders_ * clip_ / slope_ * sum);
      }
    }
    return estimates;
  }

  ProtocolSettings settings_;
  Order orders_;
  double clip_;
  double slope_;
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  const double clip = clip_of(settings);
  if (!(clip > 0 && std::isfinite(clip))) {
    return Error{"sparse_vector's clip " + std::to_string(clip) + " is out of range; expected > 0"};
  }
  return std::unique_ptr<SimulatedProtocol>(std::make_unique<SparseVector>(settings));
}

}  // namespace

ProtocolKind rival() { return {"sparse_vector", make, kSparseVectorConstants}; }

double share_after_clipping(std::uint32_t m, double clip) {
  double sum = 0;
  for (std::uint32_t minus = 0; minus <= m; ++minus) {
    const double total = static_cast<double>(m) - 2.0 * minus;
    const double log_weight = std::lgamma(m + 1.0) - std::lgamma(minus + 1.0) -
                              std::lgamma(m - minus + 1.0) - m * std::log(2.0);
    sum += std::exp(log_weight) * std::clamp(total, -clip, clip) * total;
  }
  return sum / m;
}

}  // namespace futurerand::sparse_vector
