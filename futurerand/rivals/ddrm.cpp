// DDRM: differences over two intervals a period, with a budget for non-zero reports.
//
// Model: local, online. In period t, with b the lowest set bit of t, a device takes the leaf
//   difference x_t - x_{t-1} or the root difference x_t - x_{t-b}, by a public fair coin. It sends
//   a sign: fair for a difference of 0, otherwise the difference's own with odds e^(epsilon/K).
//   After K non-zero differences it treats all others as 0.
// Guarantee: private over the whole sequence, for any number of changes: K signs of epsilon/K. The
//   authors' program sends K + 1 of them and loses (K+1)/K epsilon; this one stops at K.
// Estimator: Filter (ddrm.hpp). It is biased for users with more than K non-zero differences. One
//   change is in up to 1 + log d differences, so K is not a number of changes. The authors cut
//   shares to 0..1 at the end. That adds a bias and is left out. Their variance ignores a
//   correlation; the stated one does not.
// Constants: K. If not given, it minimizes noise and bias for users who change k times at uniform
//   periods; the authors also choose it from assumed changes.
// Source: Xue, Ye, Hu, Zhu, Wang, "DDRM: a continual frequency estimation mechanism with local
//   differential privacy", TKDE 35(7), 2023, and the authors' program.
#include "futurerand/rivals/ddrm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "futurerand/simulator/engines/bernoulli.hpp"
#include "futurerand/simulator/engines/binomial.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::ddrm {
namespace {

constexpr std::array kConstants = {ProtocolConstant{
    "ddrm-reports", "K", "nonzero reports of a device; default: chosen by N, D, K, E", {}, true}};

// A period with a possible non-zero difference of a device.
struct Difference {
  Period period;
  bool is_root;
  int value;
};

// Replaces `all` by the device's choices in those periods, in time.
template <typename Coin>
void choose_differences(const Flips& flips, Period num_periods, Coin&& coin,
                        std::vector<Difference>& all) {
  all.clear();
  for (const Period flip : flips) {
    for_each_difference_with(flip, num_periods, [&](Period t) { all.push_back({t, false, 0}); });
  }
  std::sort(all.begin(), all.end(),
            [](const Difference& a, const Difference& b) { return a.period < b.period; });
  const auto same = [](const Difference& a, const Difference& b) { return a.period == b.period; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  for (Difference& at : all) {
    const Period low_bit = at.period & (~at.period + 1);
    at.is_root = low_bit > 1 && coin();
    const Period from = at.period - (at.is_root ? low_bit : 1);
    at.value = int{value_at(flips, at.period)} - int{from > 0 && value_at(flips, from)};
  }
}

// The reports of one kind in one period.
struct Tally {
  std::int64_t sum = 0;     // of the signs of non-zero differences, or of hidden differences
  std::uint64_t count = 0;  // those reports
  std::uint64_t fair = 0;   // devices with a fair coin as their report
};

struct Tallies {
  std::vector<std::array<Tally, 2>> periods;  // leaf and root
  std::vector<Difference> scratch = {};       // of the worker's current user
  std::uint64_t clipped_users = 0;

  void merge(const Tallies& other) {
    clipped_users += other.clipped_users;
    for (std::size_t t = 0; t < periods.size(); ++t) {
      for (std::size_t kind = 0; kind < 2; ++kind) {
        periods[t][kind].sum += other.periods[t][kind].sum;
        periods[t][kind].count += other.periods[t][kind].count;
        periods[t][kind].fair += other.periods[t][kind].fair;
      }
    }
  }
};

Tallies no_tallies(Period num_periods) {
  return Tallies{std::vector<std::array<Tally, 2>>(num_periods)};
}

bool is_odd(Period t) { return (t & 1U) == 1; }

// The mean error of each period if each user's sums of hidden differences are these.
std::vector<double> bias_of(const std::vector<std::array<std::int64_t, 2>>& hidden, double users) {
  Filter filter(1);
  std::vector<double> bias;
  for (Period t = 1; t <= hidden.size(); ++t) {
    const double share = is_odd(t) ? users : users / 2;
    filter.step(t, {-static_cast<double>(hidden[t - 1][0]) / share, share},
                {-static_cast<double>(hidden[t - 1][1]) / share, share});
    bias.push_back(filter.estimate());
  }
  return bias;
}

double mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> share_variances(Period num_periods, double users, double report_variance) {
  Filter filter(report_variance);
  std::vector<double> variances;
  for (Period t = 1; t <= num_periods; ++t) {
    const double share = is_odd(t) ? users : users / 2;
    filter.step(t, {0, share}, {0, share});
    variances.push_back(filter.variance());
  }
  return variances;
}

double gap_of(double epsilon, std::uint32_t reports) { return std::tanh(epsilon / (2 * reports)); }

// Chooses K for users with k changes at uniform periods: the least mean squared error.
std::uint32_t choose_reports(const ProtocolSettings& settings) {
  const Period periods = settings.num_periods;
  const auto samples =
      static_cast<std::uint32_t>(std::clamp(4096U / settings.max_changes, 64U, 1024U));
  const Population people =
      *Population::named("uniform", {samples, periods, settings.max_changes}, SimulationKey{});
  std::vector<std::vector<Difference>> nonzero(samples);
  Flips flips;
  std::size_t most = 1;
  for (std::uint32_t user = 0; user < samples; ++user) {
    people.draw(user, flips);
    PhiloxSource source(SimulationKey{}, Stream::kDevice, 0, user);
    choose_differences(
        flips, periods, [&] { return source.word() & 1U; }, nonzero[user]);
    std::erase_if(nonzero[user], [](const Difference& at) { return at.value == 0; });
    most = std::max(most, nonzero[user].size());
  }
  const double users = static_cast<double>(settings.num_users);
  double noise = 0;
  for (const double variance : share_variances(periods, users, 1)) noise += variance / periods;
  const auto error = [&](std::uint32_t reports) {
    std::vector<std::array<std::int64_t, 2>> hidden(periods);
    for (const std::vector<Difference>& user : nonzero) {
      for (std::size_t i = reports; i < user.size(); ++i) {
        hidden[user[i].period - 1][user[i].is_root] += user[i].value;
      }
    }
    const double gap = gap_of(settings.epsilon.value(), reports);
    return noise / (gap * gap) + mean_square(bias_of(hidden, samples));
  };
  // Noise rises and bias falls with K.
  std::uint32_t low = 1;
  auto high = static_cast<std::uint32_t>(most);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (error(middle) <= error(middle + 1)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

class Ddrm final : public SimulatedProtocol {
 public:
  Ddrm(const ProtocolSettings& settings, std::uint32_t reports)
      : settings_(settings),
        reports_(reports),
        gap_(gap_of(settings.epsilon.value(), reports)),
        traits_{"ddrm",
                Guarantee::kWholeSequence,
                true,
                settings.num_periods + std::floor(settings.num_periods / 2.0),
                1,
                "at most " + std::to_string(reports) + " non-zero " +
                    (reports == 1 ? "report; biased beyond it" : "reports; biased beyond them")} {}

  const ProtocolTraits& traits() const override { return traits_; }

  // There is no closed form if users within k changes may have more than K non-zero differences:
  // the error then has a bias.
  std::optional<std::vector<double>> predicted_variances() const override {
    const Order most_each = num_orders(settings_.num_periods);
    if (reports_ < std::uint64_t{settings_.max_changes} * most_each) return std::nullopt;
    return noise_variances();
  }

  // Differences are chosen once for each user; the noise is averaged out.
  std::optional<std::vector<double>> expected_bias(const Population& population,
                                                   const Workers& workers) const override {
    const Tallies hidden = fold_users(
        population, workers, no_tallies(settings_.num_periods),
        [&](Tallies& sum, std::uint64_t user, const Flips& flips) {
          PhiloxSource source(SimulationKey{}, Stream::kDevice, 0, user);
          choose_differences(
              flips, settings_.num_periods, [&] { return source.word() & 1U; }, sum.scratch);
          std::uint32_t left = reports_;
          for (const Difference& at : sum.scratch) {
            if (at.value == 0) continue;
            if (left > 0) {
              --left;
            } else {
              sum.periods[at.period - 1][at.is_root].sum += at.value;
            }
          }
        });
    std::vector<std::array<std::int64_t, 2>> sums;
    for (const auto& [leaf, root] : hidden.periods) sums.push_back({leaf.sum, root.sum});
    const double users = static_cast<double>(population.num_users());
    std::vector<double> bias = bias_of(sums, users);
    for (double& error : bias) error *= users;
    return bias;
  }

  // Devices without a change in either difference of a period toss fair coins: those are drawn as
  // one binomial.
  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const double kept = (1 + gap_) / 2;
    const Tallies tallies = fold_users(
        population, trial.workers, no_tallies(settings_.num_periods),
        [&](Tallies& sum, std::uint64_t user, const Flips& flips) {
          PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
          UniformBits bits(source);
          choose_differences(
              flips, settings_.num_periods, [&] { return bits.word() & 1U; }, sum.scratch);
          std::uint32_t left = reports_;
          bool clipped = false;
          for (const Difference& at : sum.scratch) {
            Tally& tally = sum.periods[at.period - 1][at.is_root];
            clipped |= at.value != 0 && left == 0;
            if (at.value == 0 || left == 0) {
              ++tally.fair;
              continue;
            }
            --left;
            ++tally.count;
            tally.sum += bernoulli(bits, kept) ? at.value : -at.value;
          }
          sum.clipped_users += clipped;
        });
    TrialOutcome outcome;
    if (trial.workers.cancelled()) return outcome;
    outcome.clipped_users = tallies.clipped_users;
    Filter filter(1 / (gap_ * gap_));
    const double users = static_cast<double>(population.num_users());
    const std::vector<double> variances = noise_variances();
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      PhiloxSource source(trial.key, Stream::kCoins, trial.number, t);
      const auto& [leaf, root] = tallies.periods[t - 1];
      const std::uint64_t others =
          population.num_users() - leaf.count - leaf.fair - root.count - root.fair;
      const std::uint64_t roots = is_odd(t) ? 0 : binomial_half(source, others);
      const Reports leaves = decode(leaf, others - roots, source);
      filter.step(t, leaves, decode(root, roots, source));
      outcome.estimates.push_back({t, filter.estimate() * users, std::sqrt(variances[t - 1])});
    }
    return outcome;
  }

  // The signs of two users differ from fair coins in K periods each, by epsilon / K altogether.
  SequenceLoss sequence_loss() const override {
    return {settings_.epsilon.value(),
            "over all pairs of sequences; exact where both can make K non-zero reports"};
  }

  // Each period of a transcript has the public coin, if there is one, and the sign.
  Result<ClientRun> client() const override {
    return ClientRun([reports = reports_, kept = (1 + gap_) / 2, periods = settings_.num_periods](
                         const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
      UniformBits bits(source);
      transcript.clear();
      std::uint32_t left = reports;
      for (Period t = 1; t <= periods; ++t) {
        const bool is_root = !is_odd(t) && (bits.word() & 1U);
        const Period from = t - (is_root ? t & (~t + 1) : 1);
        const int change = int{value_at(flips, t)} - int{from > 0 && value_at(flips, from)};
        bool plus = bits.word() & 1U;
        if (change != 0 && left > 0) {
          --left;
          plus = bernoulli(bits, kept) == (change > 0);
        }
        if (!is_odd(t)) transcript.append(is_root);
        transcript.append(plus);
      }
      return !bits.failed();
    });
  }

 private:
  std::vector<double> noise_variances() const {
    const double users = static_cast<double>(settings_.num_users);
    std::vector<double> variances =
        share_variances(settings_.num_periods, users, 1 / (gap_ * gap_));
    for (double& variance : variances) variance *= users * users;
    return variances;
  }

  Reports decode(const Tally& tally, std::uint64_t others, PhiloxSource& source) const {
    const std::uint64_t fair = tally.fair + others;
    const std::uint64_t heads = binomial_half(source, fair);
    const double count = static_cast<double>(tally.count + fair);
    const double sum =
        static_cast<double>(tally.sum) + 2 * static_cast<double>(heads) - static_cast<double>(fair);
    return {count > 0 ? sum / count / gap_ : 0, count};
  }

  ProtocolSettings settings_;
  std::uint32_t reports_;
  double gap_;
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  const std::optional<double> given = settings.constants.find(kConstants[0]);
  if (given && !(*given >= 1 && *given <= 2.0 * settings.num_periods)) {
    return Error{"ddrm's number of reports " + std::to_string(*given) +
                 " is out of range; expected 1 to " + std::to_string(2 * settings.num_periods)};
  }
  const std::uint32_t reports =
      given ? static_cast<std::uint32_t>(*given) : choose_reports(settings);
  return std::unique_ptr<SimulatedProtocol>(std::make_unique<Ddrm>(settings, reports));
}

}  // namespace

void Filter::step(Period t, const Reports& leaf, const Reports& root) {
  const std::size_t last = states_.size() - 1;
  const std::size_t base = static_cast<std::size_t>(std::popcount(t)) - 1;
  const auto precision = [&](std::size_t state, const Reports& reports) {
    return reports.count > 0
               ? 1 / (states_[state].stated_variance + report_variance_ / reports.count)
               : 0;
  };
  const double by_leaf = precision(last, leaf);
  const double by_root = is_odd(t) ? 0 : precision(base, root);
  const double w = by_leaf + by_root > 0 ? by_leaf / (by_leaf + by_root) : 1;
  const double leaf_noise = leaf.count > 0 ? w * w * report_variance_ / leaf.count : 0;
  const double root_noise = by_root > 0 ? (1 - w) * (1 - w) * report_variance_ / root.count : 0;
  const State mixed = {
      w * (states_[last].estimate + leaf.mean) + (1 - w) * (states_[base].estimate + root.mean),
      w * w * states_[last].stated_variance + (1 - w) * (1 - w) * states_[base].stated_variance +
          leaf_noise + root_noise};
  std::vector<double> row;
  for (std::size_t i = 0; i <= base; ++i) {
    row.push_back(w * covariances_[last][i] + (1 - w) * covariances_[base][i]);
  }
  row.push_back(w * w * covariances_[last][last] + (1 - w) * (1 - w) * covariances_[base][base] +
                2 * w * (1 - w) * covariances_[last][base] + leaf_noise + root_noise);
  states_.resize(base + 1);
  states_.push_back(mixed);
  covariances_.resize(base + 1);
  covariances_.push_back(std::move(row));
}

ProtocolKind rival() { return {"ddrm", make, kConstants}; }

}  // namespace futurerand::ddrm
