#include "futurerand/core/plan/pulse_prediction.hpp"

#include <algorithm>

#include "futurerand/core/plan/pulse_filter.hpp"

namespace futurerand {
namespace {

double squared(double x) { return x * x; }

// The variance of a weighted sum of the differences that one device reports, by when it entered.
class WeightedReports {
 public:
  WeightedReports(const PulseLaw& law, const std::vector<double>& weights)
      : moments_(law), window_(law.window), sums_{0}, squares_{0} {
    for (const double w : weights) {
      sums_.push_back(sums_.back() + w);
      squares_.push_back(squares_.back() + w * w);
    }
  }

  // Entering in period `entry`, 1 to t; a later one stands for never.
  double variance(Period entry) const {
    const std::size_t t = sums_.size() - 1;
    const std::size_t first = std::min<std::size_t>(entry - 1, t);
    const std::size_t end = std::min<std::size_t>(first + window_, t);
    const double all = sums_[t], in_window = sums_[end] - sums_[first];
    const double squares = squares_[t], squares_in_window = squares_[end] - squares_[first];
    const double gap = moments_.gap(), pair_gap = moments_.pair_inside - moments_.pair_outside;
    const double mean = moments_.outside * all + gap * in_window;
    const double of_pairs =
        moments_.pair_outside * all * all + pair_gap * (all * all - squared(all - in_window));
    const double diagonal =
        (moments_.outside - moments_.pair_outside) * squares + (gap - pair_gap) * squares_in_window;
    return (diagonal + of_pairs - mean * mean) / (gap * gap);
  }

 private:
  PulseMoments moments_;
  std::size_t window_;
  std::vector<double> sums_, squares_;  // of the weights before each period
};

}  // namespace

double report_information(const PulseLaw& law) {
  const double slots = law.num_signs;
  const double p = law.pulses / slots;
  return squared(PulseMoments(law).gap()) * (slots - 1) / (slots * p * (1 - p));
}

PulsePrediction::PulsePrediction(const std::vector<PulseClass>& classes, Period num_periods,
                                 Period looks)
    : num_periods_(num_periods), parts_(classes.size()) {
  std::vector<PulseLaw> laws;
  std::vector<PulseFilter::Difference> differences;
  for (const PulseClass& one : classes) {
    laws.push_back(one.law);
    differences.push_back({0, one.share * report_information(one.law)});
  }
  PulseFilter filter(laws);
  for (Period t = 1; t <= num_periods; ++t) {
    filter.advance(differences, 1);
    // Look i is at the period after which i + 1 parts of the horizon are over.
    const auto parts = [&](Period at) { return std::uint64_t{at} * looks / num_periods; };
    if (t > 1 && looks < num_periods && parts(t) == parts(t - 1)) continue;
    Look look{t, filter.estimate().variance, std::vector<double>(t + std::size_t{1}), 0};
    const std::vector<double> response = filter.response();
    for (std::size_t v = 0; v < classes.size(); ++v) {
      const std::vector<double> informations(t, differences[v].information);
      const std::vector<double> weights = filter.weights(v, response, informations);
      const WeightedReports reports(laws[v], weights);
      double typical = 0;
      for (Period entry = 1; entry <= t + 1; ++entry) {
        const double variance = reports.variance(entry) / classes[v].share;
        look.variance[entry - 1] += variance;
        typical += variance * (entry <= t ? 1 : num_periods - t);
      }
      typical /= num_periods;
      look.typical += typical;
      parts_[v] += typical;
    }
    looks_.push_back(std::move(look));
  }
  for (double& part : parts_) part /= static_cast<double>(looks_.size());
}

std::size_t PulsePrediction::look_at(Period t) const {
  const auto found = std::lower_bound(looks_.begin(), looks_.end(), t,
                                      [](const Look& look, Period at) { return look.period < at; });
  return static_cast<std::size_t>(found - looks_.begin());
}

std::vector<double> PulsePrediction::typical_variances() const {
  std::vector<double> variances;
  for (Period t = 1; t <= num_periods_; ++t) {
    const Look& next = looks_[look_at(t)];
    if (next.period == t) {
      variances.push_back(next.typical);
      continue;
    }
    const Look& last = looks_[look_at(t) - 1];
    const double part =
        static_cast<double>(t - last.period) / static_cast<double>(next.period - last.period);
    variances.push_back(last.typical + part * (next.typical - last.typical));
  }
  return variances;
}

double PulsePrediction::worst_mean_variance() const {
  double worst = 0;
  for (Period entry = 1; entry <= num_periods_ + 1; ++entry) {
    double sum = 0;
    for (const Look& look : looks_) sum += look.variance[std::min(entry, look.period + 1) - 1];
    worst = std::max(worst, sum / static_cast<double>(looks_.size()));
  }
  return worst;
}

double PulsePrediction::variance_ratio(Period t, const std::vector<double>& entered) const {
  // The next look serves: what entered as long before it is alike.
  const Look& look = looks_[look_at(t)];
  const double never = look.variance.back();
  double variance = never;
  for (Period s = 1; s <= t; ++s) {
    variance += entered[s - 1] * (look.variance[s - 1 + look.period - t] - never);
  }
  const auto [least, most] = std::minmax_element(look.variance.begin(), look.variance.end());
  return std::clamp(variance, *least, *most) / look.stated;
}

}  // namespace futurerand
