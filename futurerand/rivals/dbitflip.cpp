// dBitFlip with memoization (dBitFlipPM) for a yes/no state.
//
// Model: local, online. Two buckets, one for each value, and a bit for both. For each possible
//   value a user memoizes two bits, once: the bit of the value's own bucket is 1 with probability
//   e^(epsilon/2) / (e^(epsilon/2) + 1), the other with 1 / (e^(epsilon/2) + 1). In every period it
//   sends the two bits of its current value.
// Guarantee: per value only (epsilon). A change of the bits reveals a change of the value. Between
//   a user without a change and one with a change the loss over the sequence is unbounded from
//   period 2 on.
// Estimator: from the bits of the bucket of 1, (ones (e^(epsilon/2) + 1) - n) / (e^(epsilon/2) -
//   1), of variance n e^(epsilon/2) / (e^(epsilon/2) - 1)^2; errors of all periods are equal.
// Source: Ding, Kulkarni, Yekhanin, NIPS 2017, section 3, with k = d = 2. Named in [OWW22] sec. 6.
#include <array>
#include <cmath>

#include "futurerand/rivals/memoized_bits.hpp"
#include "futurerand/simulator/engines/bernoulli.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::dbitflip {
namespace {

constexpr double kBits = 2;

MemoizedBits rates_of(const ProtocolSettings& settings) {
  const double root = std::exp(settings.epsilon.value() / 2);
  return {1 / (root + 1), root / (root + 1)};
}

class DBitFlip final : public SimulatedProtocol {
 public:
  explicit DBitFlip(const ProtocolSettings& settings)
      : settings_(settings),
        rates_(rates_of(settings)),
        gap_(std::tanh(settings.epsilon.value() / 4)),
        variance_(static_cast<double>(settings.num_users) * rates_.one_if_one * rates_.one_if_zero /
                  (gap_ * gap_)),
        traits_{"dbitflip", Guarantee::kPerValue, true, kBits * settings.num_periods, 1} {}

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override {
    return std::vector<double>(settings_.num_periods, variance_);
  }

  // Bits of the other bucket are sent and not used.
  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const std::vector<std::uint64_t> ones = count_memoized(population, trial, rates_);
    const double users = static_cast<double>(population.num_users());
    TrialOutcome outcome;
    for (Period t = 1; t <= ones.size(); ++t) {
      const double estimate =
          (static_cast<double>(ones[t - 1]) - rates_.one_if_zero * users) / gap_;
      outcome.estimates.push_back({t, estimate, std::sqrt(variance_)});
    }
    return outcome;
  }

  SequenceLoss sequence_loss() const override {
    return {settings_.num_periods == 1 ? std::optional(settings_.epsilon.value()) : std::nullopt,
            "exact, between a user who never changes and one who changes once: the change shows"};
  }

  Result<ClientRun> client() const override {
    return ClientRun([rates = rates_, periods = settings_.num_periods](
                         const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
      UniformBits bits(source);
      transcript.clear();
      std::array<std::array<bool, 2>, 2> memoized;  // by value, by bucket
      for (std::size_t value = 0; value < 2; ++value) {
        for (std::size_t bucket = 0; bucket < 2; ++bucket) {
          memoized[value][bucket] =
              bernoulli(bits, bucket == value ? rates.one_if_one : rates.one_if_zero);
        }
      }
      for (Period t = 1; t <= periods; ++t) {
        for (const bool bit : memoized[value_at(flips, t)]) transcript.append(bit);
      }
      return !bits.failed();
    });
  }

 private:
  ProtocolSettings settings_;
  MemoizedBits rates_;
  double gap_;  // the gap of a bit
  double variance_;
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  return std::unique_ptr<SimulatedProtocol>(std::make_unique<DBitFlip>(settings));
}

}  // namespace

ProtocolKind rival() { return {"dbitflip", make}; }

}  // namespace futurerand::dbitflip
