// RAPPOR for a yes/no state: permanent randomized response, then instantaneous.
//
// Model: local, online. For each value a user memoizes a permanent bit: the value itself with
//   probability 1 - f, else a fair coin. In every period it sends a fresh bit: 1 with probability q
//   if the permanent bit of its value is 1, p if it is 0.
// Guarantee: per value only. One constant value is protected with ln((1-f/2)/(f/2)) = epsilon, so f
//   = 2/(e^epsilon + 1). With changes, the permanent bits show through more and more over time:
//   sequence_loss has the amount.
// Estimator: (ones - p* n) / (q* - p*), where a holder of 1 (of 0) sends a 1 with probability q*
//   (p*). Its variance is stated for one half of the users with value 1.
// Source: Erlingsson, Pihur, Korolova, CCS 2014, basic one-time RAPPOR of one bit; p = 0.5 and q =
//   0.75 are its authors'. Named in [OWW22] section 6.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "futurerand/rivals/memoized_bits.hpp"
#include "futurerand/simulator/engines/bernoulli.hpp"
#include "futurerand/simulator/engines/binomial.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::rappor {
namespace {

constexpr std::array kRapporConstants = {
    ProtocolConstant{"rappor-p", "P", "how often a memoized 0 is sent as a 1", 0.5},
    ProtocolConstant{"rappor-q", "Q", "how often a memoized 1 is sent as a 1", 0.75},
};

struct Rates {
  MemoizedBits permanent;
  double p;
  double q;

  explicit Rates(const ProtocolSettings& settings)
      : permanent{1 / (std::exp(settings.epsilon.value()) + 1),
                  1 / (1 + std::exp(-settings.epsilon.value()))},
        p(settings.constants.at(kRapporConstants[0])),
        q(settings.constants.at(kRapporConstants[1])) {}

  // Returns the probability of sending a 1. `one` is the probability of a permanent 1.
  double sent(double one) const { return q * one + p * (1 - one); }
};

double log_add(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

class Rappor final : public SimulatedProtocol {
 public:
  explicit Rappor(const ProtocolSettings& settings)
      : settings_(settings),
        rates_(settings),
        if_one_(rates_.sent(rates_.permanent.one_if_one)),
        if_zero_(rates_.sent(rates_.permanent.one_if_zero)),
        variance_(static_cast<double>(settings.num_users) *
                  (if_one_ * (1 - if_one_) + if_zero_ * (1 - if_zero_)) / 2 /
                  ((if_one_ - if_zero_) * (if_one_ - if_zero_))),
        traits_{"rappor", Guarantee::kPerValue, true, static_cast<double>(settings.num_periods),
                1} {}

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override {
    return std::vector<double>(settings_.num_periods, variance_);
  }

  // Instantaneous bits are independent given the permanent ones, so only their sums are drawn.
  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const std::vector<std::uint64_t> ones = count_memoized(population, trial, rates_.permanent);
    const std::uint64_t users = population.num_users();
    TrialOutcome outcome;
    for (Period t = 1; t <= ones.size() && !trial.workers.cancelled(); ++t) {
      PhiloxSource source(trial.key, Stream::kCoins, trial.number, t);
      const std::uint64_t sent = binomial(source, ones[t - 1], threshold_of(rates_.q)) +
                                 binomial(source, users - ones[t - 1], threshold_of(rates_.p));
      const double estimate = (static_cast<double>(sent) - if_zero_ * static_cast<double>(users)) /
                              (if_one_ - if_zero_);
      outcome.estimates.push_back({t, estimate, std::sqrt(variance_)});
    }
    return outcome;
  }

  // Finds the largest |ln P(sent | never) / P(sent | changes)|, in the worst period for that
  // change. With s1 and s2 the log likelihood ratios (permanent bit 1 against 0) of the bits sent
  // before and from the change on, and a, b the odds of a permanent 1 for the values 0 and 1:
  //   P(never) / P(changes) = (a0 + a1 e^(s1+s2)) / ((a0 + a1 e^s1) (b0 + b1 e^s2)).
  // This is monotone in e^s1 for fixed s2 and the other way round (a ratio of linear functions), so
  // the extremes are all ones or all zeros, both before and after the change.
  SequenceLoss sequence_loss() const override {
    const double a1 = std::log(rates_.permanent.one_if_zero);
    const double b1 = std::log(rates_.permanent.one_if_one);
    const double a0 = b1, b0 = a1;  // the two values mirror each other
    const double ones = std::log(rates_.q / rates_.p);
    const double zeros = std::log((1 - rates_.q) / (1 - rates_.p));
    double largest = 0;
    for (Period before = 0; before < settings_.num_periods; ++before) {
      const Period after = settings_.num_periods - before;
      for (const double first : {ones, zeros}) {
        for (const double second : {ones, zeros}) {
          const double s1 = before * first;
          const double s2 = after * second;
          const double loss =
              log_add(a0, a1 + s1 + s2) - log_add(a0, a1 + s1) - log_add(b0, b1 + s2);
          largest = std::max(largest, std::abs(loss));
        }
      }
    }
    return {
        largest,
        "exact, between a user who never changes and one who changes once; more changes may lose "
        "more"};
  }

  Result<ClientRun> client() const override {
    return ClientRun([rates = rates_, periods = settings_.num_periods](
                         const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
      UniformBits bits(source);
      transcript.clear();
      const bool of_zero = bernoulli(bits, rates.permanent.one_if_zero);
      const bool of_one = bernoulli(bits, rates.permanent.one_if_one);
      for (Period t = 1; t <= periods; ++t) {
        const bool permanent = value_at(flips, t) ? of_one : of_zero;
        transcript.append(bernoulli(bits, permanent ? rates.q : rates.p));
      }
      return !bits.failed();
    });
  }

 private:
  ProtocolSettings settings_;
  Rates rates_;
  double if_one_;   // q*
  double if_zero_;  // p*
  double variance_;
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  const Rates rates(settings);
  if (rates.p > 0 && rates.p < rates.q && rates.q < 1) {
    return std::unique_ptr<SimulatedProtocol>(std::make_unique<Rappor>(settings));
  }
  return Error{"rappor's p " + std::to_string(rates.p) + " and q " + std::to_string(rates.q) +
               " are no response; expected 0 < p < q < 1"};
}

}  // namespace

ProtocolKind rival() { return {"rappor", make, kRapporConstants}; }

}  // namespace futurerand::rappor
