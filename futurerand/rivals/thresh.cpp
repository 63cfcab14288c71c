#include "futurerand/rivals/thresh.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "futurerand/simulator/engines/bernoulli.hpp"
#include "futurerand/simulator/engines/binomial.hpp"

namespace futurerand::thresh {
namespace {

constexpr double kShare = 0.25;  // of epsilon, for votes and for estimates each

double radius_of(double users, double epochs, double delta, double epoch) {
  return std::sqrt(std::log(10 * users * epochs / delta) / (2 * epoch));
}

// Calls visit(epoch, number of its periods with value 1) for every whole epoch.
template <typename Visit>
void for_each_epoch(const ThreshTerms& terms, const Flips& flips, Visit&& visit) {
  std::size_t next = 0;
  for (std::uint32_t epoch = 1; epoch <= terms.num_epochs; ++epoch) {
    const Period end = epoch * terms.epoch;
    Period from = end - terms.epoch + 1;
    Period ones = 0;
    while (next < flips.size() && flips[next] <= end) {
      if (next % 2 == 1) ones += flips[next] - from;
      from = flips[next++];
    }
    if (next % 2 == 1) ones += end + 1 - from;
    visit(epoch, ones);
  }
}

struct YesVotes {
  std::vector<std::uint64_t> by_epoch;

  void merge(const YesVotes& other) {
    for (std::size_t e = 0; e < by_epoch.size(); ++e) by_epoch[e] += other.by_epoch[e];
  }
};

// Counts users by the number of ones in an epoch; element `ones`.
using Histogram = YesVotes;

class Thresh final : public SimulatedProtocol {
 public:
  Thresh(const ThreshTerms& terms, const ProtocolSettings& settings)
      : terms_(terms),
        settings_(settings),
        traits_{
            "thresh",    Guarantee::kWholeSequence,
            true,        double{1} * terms.num_epochs + std::min(terms.estimates, terms.num_epochs),
            terms.epoch, "constants from a secondary description",
            false} {}

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override { return std::nullopt; }

  // Users depend on the coins only through the updates. So their yes votes are counted up to the
  // next update, and only sums of bits are drawn.
  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    std::vector<std::uint32_t> updates;
    // By epoch: the estimate after it. Before the first update there is no answer.
    std::vector<double> held(terms_.num_epochs + 1, std::numeric_limits<double>::quiet_NaN());
    std::uint32_t epoch = 1;
    while (epoch <= terms_.num_epochs && updates.size() < terms_.estimates) {
      const YesVotes yes = count_yes(population, trial.workers, updates);
      if (trial.workers.cancelled()) return TrialOutcome{};
      while (epoch <= terms_.num_epochs && !moved(yes.by_epoch[epoch - 1], epoch, trial)) {
        held[epoch] = held[epoch - 1];
        ++epoch;
      }
      if (epoch > terms_.num_epochs) break;
      updates.push_back(epoch);
      held[epoch] = estimate(population, epoch, trial);
      ++epoch;
    }
    for (; epoch <= terms_.num_epochs; ++epoch) held[epoch] = held[epoch - 1];
    return hold(held);
  }

  // The bound is by composition: yes votes of two users in different epochs, and the estimates of
  // both.
  SequenceLoss sequence_loss() const override {
    const auto at_most = [&](double count) { return std::min<double>(count, terms_.num_epochs); };
    return {
        at_most(2.0 * terms_.votes) * terms_.vote_cost +
            at_most(terms_.estimates) * terms_.estimate_cost,
        "an upper bound by composition, over all pairs of sequences; constants from a secondary "
        "description"};
  }

  Result<double> published_epsilon(std::uint64_t, double) const override {
    return Error{"the bound needs reports that do not depend on other users'"};
  }

  // The server asks for an estimate in every epoch: the vote, then the estimate.
  Result<ClientRun> client() const override {
    return ClientRun(
        [terms = terms_](const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
          UniformBits bits(source);
          transcript.clear();
          ThreshUser user(terms);
          for_each_epoch(terms, flips, [&](std::uint32_t epoch, Period ones) {
            const double mean = double{1} * ones / terms.epoch;
            const bool yes = user.votes_yes(epoch, mean);
            transcript.append(bernoulli(bits, yes ? terms.one_if_yes() : terms.one_if_no()));
            const bool paid = user.estimates(mean);
            transcript.append(bernoulli(bits, terms.one_if_mean(paid ? mean : 0)));
          });
          return !bits.failed();
        });
  }

 private:
  PhiloxSource coins(const Trial& trial, std::uint32_t epoch, std::uint64_t what) const {
    return {trial.key, Stream::kCoins, trial.number, (std::uint64_t{epoch} << 1) | what};
  }

  YesVotes count_yes(const Population& population, const Workers& workers,
                     const std::vector<std::uint32_t>& updates) const {
    return fold_users(population, workers, YesVotes{std::vector<std::uint64_t>(terms_.num_epochs)},
                      [&](YesVotes& sum, std::uint64_t, const Flips& flips) {
                        ThreshUser user(terms_);
                        auto update = updates.begin();
                        for_each_epoch(terms_, flips, [&](std::uint32_t epoch, Period ones) {
                          const double mean = double{1} * ones / terms_.epoch;
                          if (user.votes_yes(epoch, mean)) ++sum.by_epoch[epoch - 1];
                          if (update == updates.end() || *update != epoch) return;
                          // Whether it is paid for is the same for all users.
                          static_cast<void>(user.estimates(mean));
                          ++update;
                        });
                      });
  }

  bool moved(std::uint64_t yes, std::uint32_t epoch, const Trial& trial) const {
    PhiloxSource source = coins(trial, epoch, 0);
    const std::uint64_t users = settings_.num_users;
    const std::uint64_t ones = binomial(source, yes, threshold_of(terms_.one_if_yes())) +
                               binomial(source, users - yes, threshold_of(terms_.one_if_no()));
    return static_cast<double>(ones) / static_cast<double>(users) >
           terms_.one_if_no() + terms_.margin;
  }

  double estimate(const Population& population, std::uint32_t epoch, const Trial& trial) const {
    const Histogram users = fold_users(
        population, trial.workers, Histogram{std::vector<std::uint64_t>(terms_.epoch + 1)},
        [&](Histogram& sum, std::uint64_t, const Flips& flips) {
          for_each_epoch(terms_, flips, [&](std::uint32_t e, Period ones) {
            if (e == epoch) ++sum.by_epoch[ones];
          });
        });
    PhiloxSource source = coins(trial, epoch, 1);
    std::uint64_t sent = 0;
    for (Period ones = 0; ones <= terms_.epoch; ++ones) {
      const double mean = double{1} * ones / terms_.epoch;
      sent += binomial(source, users.by_epoch[ones], threshold_of(terms_.one_if_mean(mean)));
    }
    const double count = static_cast<double>(settings_.num_users);
    return (static_cast<double>(sent) - terms_.one_if_mean(0) * count) /
           std::tanh(terms_.estimate_cost / 2);
  }

  TrialOutcome hold(const std::vector<double>& held) const {
    const double count = static_cast<double>(settings_.num_users);
    const double stddev = std::sqrt(count) / (2 * std::tanh(terms_.estimate_cost / 2));
    TrialOutcome outcome;
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      const std::uint32_t epochs_ended = std::min(t / terms_.epoch, terms_.num_epochs);
      outcome.estimates.push_back({t, held[epochs_ended], stddev});
    }
    return outcome;
  }

  ThreshTerms terms_;
  ProtocolSettings settings_;
  ProtocolTraits traits_;
};

constexpr std::array kThreshConstants = {kThreshEpoch, kThreshVoteCost, kThreshEstimateCost,
                                         kThreshDelta};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  const Result<ThreshTerms> terms = ThreshTerms::create(settings);
  if (!terms) return terms.error();
  return std::unique_ptr<SimulatedProtocol>(std::make_unique<Thresh>(*terms, settings));
}

}  // namespace

ProtocolKind rival() { return {"thresh", make, kThreshConstants}; }

Result<ThreshTerms> ThreshTerms::create(const ProtocolSettings& settings) {
  const ProtocolConstants& given = settings.constants;
  const Period periods = settings.num_periods;
  const double users = static_cast<double>(settings.num_users);
  const double share = kShare * settings.epsilon.value();
  const double delta = given.at(kThreshDelta);
  if (!(delta > 0 && delta < 1)) {
    return Error{"thresh's delta " + std::to_string(delta) + " is out of range; expected 0 to 1"};
  }
  const std::optional<double> given_epoch = given.find(kThreshEpoch);
  Period epoch = static_cast<Period>(given_epoch.value_or(1));
  if (!given_epoch) {
    while (epoch < periods && 2 * radius_of(users, periods / epoch, delta, epoch) >= 1) epoch *= 2;
    epoch = std::min(epoch, periods);
  }
  if (epoch < 1 || epoch > periods) {
    return Error{"thresh's epoch of " + std::to_string(epoch) +
                 " periods is out of range; expected 1 to " + std::to_string(periods)};
  }
  const double a = given.find(kThreshVoteCost).value_or(share / settings.max_changes);
  const double b = given.find(kThreshEstimateCost).value_or(share / settings.max_changes);
  // Otherwise a user would never be allowed to vote or to estimate.
  for (const double cost : {a, b}) {
    if (cost > 0 && cost <= share) continue;
    return Error{"thresh's cost " + std::to_string(cost) +
                 " of a vote or an estimate is out of range; expected more than 0 and at most " +
                 std::to_string(share) + ", a quarter of epsilon"};
  }
  // A whole number of costs may come out just below itself.
  const auto affordable = [&](double cost) {
    return static_cast<std::uint32_t>(std::min(share / cost * (1 + 1e-12), 1e9));
  };
  const std::uint32_t epochs = periods / epoch;
  return ThreshTerms{epoch,
                     epochs,
                     a,
                     b,
                     affordable(a),
                     affordable(b),
                     radius_of(users, epochs, delta, epoch),
                     std::sqrt(std::log(10 * epochs / delta) / (2 * users))};
}

double ThreshTerms::one_if_no() const { return 1 / (std::exp(vote_cost) + 1); }
double ThreshTerms::one_if_yes() const { return 1 - one_if_no(); }
double ThreshTerms::one_if_mean(double mean) const {
  return (1 + mean * std::expm1(estimate_cost)) / (std::exp(estimate_cost) + 1);
}

bool ThreshUser::votes_yes(std::uint32_t epoch, double mean) {
  const double moved = std::abs(mean - last_mean_) / (2 * terms_->radius);
  if (moved <= 1 || votes_left_ == 0) return false;
  // Level b needs moved > b + 1; there are floor(log2 T) + 1 of them.
  const std::uint32_t top = static_cast<std::uint32_t>(std::bit_width(terms_->num_epochs)) - 1;
  const std::uint32_t level =
      static_cast<std::uint32_t>(std::min(std::ceil(moved) - 2, static_cast<double>(top)));
  if (epoch % (std::uint32_t{1} << (top - level)) != 0) return false;
  --votes_left_;
  return true;
}

bool ThreshUser::estimates(double mean) {
  last_mean_ = mean;
  if (estimates_left_ == 0) return false;
  --estimates_left_;
  return true;
}

}  // namespace futurerand::thresh
