// central_tree: a trusted curator, for comparison: the price of locality.
//
// Model: central, online. Everyone sends the true value every period; the curator counts the first
//   k changes of each user and hides the counts behind Laplace noise at every dyadic node.
// Guarantee: trusted curator. The published counts are epsilon-private for whole sequences: two
//   users' changes differ by at most 2 min(k, L_h) at order h, so noise of scale Delta / epsilon
//   with Delta = 2 sum_h min(k, L_h) hides them. Towards the curator there is no privacy at all.
// Estimator: node and sum of its halves combined by inverse variance, from below; variances do not
//   grow with n. Users with more changes than k bias it: expected_bias has the amount.
// Source: the binary mechanism of Chan, Shi, Song (2011) and Dwork, Naor, Pitassi, Rothblum (2010),
//   named in [OWW22] section 6, with this project's sensitivity for k changes.
// The noise is made of floats, so this is for comparison only, never for real data.
#include <algorithm>
#include <bit>
#include <cmath>

#include "futurerand/estimator/measurement.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::central_tree {
namespace {

// These are the changes of the count at each period, with and without those past each user's k-th.
struct Changes {
  std::vector<std::int64_t> counted;
  std::vector<std::int64_t> all;
  std::uint64_t clipped_users = 0;

  void merge(const Changes& other) {
    for (std::size_t t = 0; t < all.size(); ++t) {
      counted[t] += other.counted[t];
      all[t] += other.all[t];
    }
    clipped_users += other.clipped_users;
  }
};

double laplace(PhiloxSource& source, double scale) {
  const bool negative = source.word() & 1U;
  const double magnitude = -scale * std::log1p(-source.uniform());
  return negative ? -magnitude : magnitude;
}

class CentralTree final : public SimulatedProtocol {
 public:
  explicit CentralTree(const ProtocolSettings& settings)
      : settings_(settings),
        traits_{"central_tree", Guarantee::kTrustedCurator, true,
                static_cast<double>(settings.num_periods), 1} {
    double sensitivity = 0;
    for (Order h = 0; h < num_orders(settings.num_periods); ++h) {
      sensitivity += 2.0 * std::min(settings.max_changes, num_intervals(settings.num_periods, h));
    }
    scale_ = sensitivity / settings.epsilon.value();
  }

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override {
    const double node = 2 * scale_ * scale_;
    std::vector<double> combined = {node};
    while (combined.size() < num_orders(settings_.num_periods)) {
      combined.push_back(1 / (1 / node + 1 / (2 * combined.back())));
    }
    std::vector<double> variances(settings_.num_periods);
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      for_each_in_prefix(t, [&](DyadicInterval i) { variances[t - 1] += combined[i.order]; });
    }
    return variances;
  }

  std::optional<std::vector<double>> expected_bias(const Population& population,
                                                   const Workers& workers) const override {
    const Changes changes = count_changes(population, workers);
    std::vector<double> bias(changes.all.size());
    std::int64_t missed = 0;
    for (std::size_t t = 0; t < bias.size(); ++t) {
      missed += changes.counted[t] - changes.all[t];
      bias[t] = static_cast<double>(missed);
    }
    return bias;
  }

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const Changes changes = count_changes(population, trial.workers);
    std::vector<std::int64_t> count_at(changes.all.size() + 1);
    for (std::size_t t = 1; t < count_at.size(); ++t) {
      count_at[t] = count_at[t - 1] + changes.counted[t - 1];
    }
    TrialOutcome outcome;
    outcome.clipped_users = changes.clipped_users;
    // The best estimates of the nodes that tile 1..t. The node of order h is set if t has bit h.
    std::vector<Measurement> prefix(num_orders(settings_.num_periods));
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      PhiloxSource source(trial.key, Stream::kCoins, trial.number, t);
      const auto published = [&](Order order) {
        const std::int64_t change = count_at[t] - count_at[t - (Period{1} << order)];
        return Measurement{static_cast<double>(change) + laplace(source, scale_),
                           2 * scale_ * scale_};
      };
      const Order top = static_cast<Order>(std::countr_zero(t));
      Measurement node = published(0);
      for (Order h = 0; h < top; ++h) node = combine(published(h + 1), prefix[h] + node);
      prefix[top] = node;
      Measurement count{0, 0};
      for_each_in_prefix(t, [&](DyadicInterval i) { count = count + prefix[i.order]; });
      outcome.estimates.push_back(to_estimate(t, count));
    }
    return outcome;
  }

  SequenceLoss sequence_loss() const override {
    return {std::nullopt, "the curator is sent the values themselves"};
  }

  Result<double> published_epsilon(std::uint64_t, double) const override {
    return Error{"there is nothing to shuffle: the curator adds the noise"};
  }

 private:
  Changes count_changes(const Population& population, const Workers& workers) const {
    const std::vector<std::int64_t> none(settings_.num_periods);
    return fold_users(population, workers, Changes{none, none},
                      [k = settings_.max_changes](Changes& sum, std::uint64_t, const Flips& flips) {
                        for (std::size_t i = 0; i < flips.size(); ++i) {
                          const int change = i % 2 == 0 ? +1 : -1;
                          sum.all[flips[i] - 1] += change;
                          if (i < k) sum.counted[flips[i] - 1] += change;
                        }
                        if (flips.size() > k) ++sum.clipped_users;
                      });
  }

  ProtocolSettings settings_;
  double scale_ = 0;  // the scale of the noise at every node
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  return std::unique_ptr<SimulatedProtocol>(std::make_unique<CentralTree>(settings));
}

}  // namespace

ProtocolKind rival() { return {"central_tree", make}; }

}  // namespace futurerand::central_tree
