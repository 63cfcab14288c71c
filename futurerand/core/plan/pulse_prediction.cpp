#include "futurerand/core/plan/pulse_prediction.hpp"

#include <algorithm>
#include <numeric>

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

  // The count of a device in this class if it entered in this period.
  double mean(Period entry) const {
    const std::size_t t = sums_.size() - 1;
    const std::size_t first = std::min<std::size_t>(entry - 1, t);
    return sums_[std::min<std::size_t>(first + window_, t)] - sums_[first];
  }
  // The same for the part of the variance that the filter states.
  double stated(double slots) const { return squares_.back() - squared(sums_.back()) / slots; }

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
    shares_.push_back(one.share);
    differences.push_back({0, one.share * report_information(one.law)});
  }
  PulseFilter filter(laws);
  for (Period t = 1; t <= num_periods; ++t) {
    filter.advance(differences, 1);
    // Look i is at the period after which i + 1 parts of the horizon are over.
    const auto parts = [&](Period at) { return std::uint64_t{at} * looks / num_periods; };
    if (t > 1 && looks < num_periods && parts(t) == parts(t - 1)) continue;
    Look& look = looks_.emplace_back();
    look.period = t;
    look.stated = filter.estimate().variance;
    look.noise.resize(t + std::size_t{1});
    const std::vector<double> response = filter.response();
    for (std::size_t v = 0; v < classes.size(); ++v) {
      const std::vector<double> informations(t, differences[v].information);
      const WeightedReports reports(laws[v], filter.weights(v, response, informations));
      parts_[v] += reports.stated(laws[v].num_signs) / differences[v].information;
      std::vector<float>& counted = look.counted.emplace_back();
      for (Period entry = 1; entry <= t + 1; ++entry) {
        look.noise[entry - 1] += reports.variance(entry) / classes[v].share;
        if (entry <= t) counted.push_back(static_cast<float>(reports.mean(entry)));
      }
    }
  }
  for (double& part : parts_) part /= static_cast<double>(looks_.size());
}

std::size_t PulsePrediction::look_at(Period t) const {
  const auto found = std::lower_bound(looks_.begin(), looks_.end(), t,
                                      [](const Look& look, Period at) { return look.period < at; });
  return static_cast<std::size_t>(found - looks_.begin());
}

// Besides its noise, a device adds what its class counts it as, less what it is. A class stands for
// all devices, so that only the spread of this over the devices matters.
template <typename Entered>
double PulsePrediction::variance(const Look& look, Entered&& entered) const {
  const double never = look.noise.back();
  double noise = never, all = 0;
  for (Period s = 1; s <= look.period; ++s) {
    all += entered(s);
    noise += entered(s) * (look.noise[s - 1] - never);
  }
  double spread = -all * (1 - all);
  for (std::size_t v = 0; v < shares_.size(); ++v) {
    double mean = 0, square = 0;
    for (Period s = 1; s <= look.period; ++s) {
      const double counted = look.counted[v][s - 1];
      mean += entered(s) * counted;
      square += entered(s) * counted * counted;
    }
    spread += (square - mean * mean) / shares_[v];
  }
  const auto [least, most] = std::minmax_element(look.noise.begin(), look.noise.end());
  // Shares that were estimated may be below 0.
  return std::clamp(noise, *least, *most) + std::max(spread, 0.0);
}

std::vector<double> PulsePrediction::typical_variances() const {
  const double share = 1.0 / num_periods_;
  std::vector<double> at_looks;
  for (const Look& look : looks_) {
    at_looks.push_back(variance(look, [&](Period) { return share; }));
  }
  std::vector<double> variances;
  for (Period t = 1; t <= num_periods_; ++t) {
    const std::size_t next = look_at(t);
    const std::size_t last = looks_[next].period == t ? next : next - 1;
    const double apart = static_cast<double>(looks_[next].period - looks_[last].period);
    const double part = next == last ? 0 : static_cast<double>(t - looks_[last].period) / apart;
    variances.push_back(at_looks[last] + part * (at_looks[next] - at_looks[last]));
  }
  return variances;
}

// The mean over the looks, as a function of the shares that enter in each period. It is a linear
// function less a quadratic one that is never negative, by Cauchy and Schwarz. So it is concave. An
// upper bound of its maximum follows from the gradient at any population.
class PulsePrediction::MeanVariance {
 public:
  explicit MeanVariance(const PulsePrediction& of)
      : of_(of),
        num_looks_(static_cast<double>(of.looks_.size())),
        linear_(of.num_periods_ + std::size_t{1}) {
    for (const Look& look : of_.looks_) {
      never_ += look.noise.back() / num_looks_;
      for (Period s = 1; s <= look.period; ++s) {
        double spread = -1;
        for (std::size_t v = 0; v < of_.shares_.size(); ++v) {
          spread += squared(look.counted[v][s - 1]) / of_.shares_[v];
        }
        linear_[s - 1] += (look.noise[s - 1] - look.noise.back() + spread) / num_looks_;
      }
    }
  }

  // Element s-1 of a population is the share that enters in period s; the last one never does.
  double value(const std::vector<double>& entered) const {
    double value = never_ - quadratic(entered);
    for (std::size_t s = 0; s < linear_.size(); ++s) value += entered[s] * linear_[s];
    return value;
  }
  std::vector<double> gradient(const std::vector<double>& entered) const {
    std::vector<double> gradient = linear_;
    for (const Look& look : of_.looks_) {
      const double all = sum_to(entered, look.period);
      for (std::size_t v = 0; v < of_.shares_.size(); ++v) {
        const std::vector<float>& counted = look.counted[v];
        const double mean =
            std::inner_product(counted.begin(), counted.end(), entered.begin(), 0.0);
        const double factor = 2 / num_looks_ * (mean / of_.shares_[v] - all);
        for (std::size_t s = 0; s < counted.size(); ++s) gradient[s] -= factor * counted[s];
      }
    }
    return gradient;
  }
  // The quadratic part; also of a difference of two populations.
  double quadratic(const std::vector<double>& entered) const {
    double sum = 0;
    for (const Look& look : of_.looks_) {
      sum -= squared(sum_to(entered, look.period));
      for (std::size_t v = 0; v < of_.shares_.size(); ++v) {
        const std::vector<float>& counted = look.counted[v];
        sum += squared(std::inner_product(counted.begin(), counted.end(), entered.begin(), 0.0)) /
               of_.shares_[v];
      }
    }
    return sum / num_looks_;
  }

 private:
  static double sum_to(const std::vector<double>& entered, Period t) {
    return std::accumulate(entered.begin(), entered.begin() + t, 0.0);
  }

  const PulsePrediction& of_;
  double num_looks_;
  double never_ = 0;
  std::vector<double> linear_;  // the gradient at a population of which nobody enters
};

// Moves shares from the period that adds least to the one that adds most (Frank and Wolfe, in
// pairs), until the bound is close.
PulsePrediction::WorstPopulation PulsePrediction::worst_population() const {
  constexpr int kMostSteps = 2000;
  constexpr double kClose = 0.005;
  const MeanVariance variance(*this);
  WorstPopulation worst;
  worst.entered.resize(num_periods_ + std::size_t{1});
  worst.entered.back() = 1;
  for (int step = 0;; ++step) {
    const std::vector<double> gradient = variance.gradient(worst.entered);
    const double here =
        std::inner_product(gradient.begin(), gradient.end(), worst.entered.begin(), 0.0);
    std::size_t most = 0, least = gradient.size();
    for (std::size_t s = 0; s < gradient.size(); ++s) {
      if (gradient[s] > gradient[most]) most = s;
      const bool has_some = worst.entered[s] > 0;
      if (has_some && (least == gradient.size() || gradient[s] < gradient[least])) least = s;
    }
    worst.mean_variance = variance.value(worst.entered);
    worst.bound = worst.mean_variance + gradient[most] - here;
    if (worst.bound <= (1 + kClose) * worst.mean_variance || step == kMostSteps) return worst;
    std::vector<double> direction(gradient.size());
    direction[most] = 1;
    direction[least] -= 1;
    const double curvature = variance.quadratic(direction);
    const double slope = gradient[most] - gradient[least];
    const double own = worst.entered[least];
    const double moved = slope < 2 * curvature * own ? slope / (2 * curvature) : own;
    worst.entered[most] += moved;
    worst.entered[least] -= moved;
  }
}

double PulsePrediction::variance_ratio(Period t, const std::vector<double>& entered) const {
  // The next look serves: what entered as long before it is alike.
  const Look& look = looks_[look_at(t)];
  const Period later = look.period - t;
  return variance(look, [&](Period s) { return s > later ? entered[s - later - 1] : 0.0; }) /
         look.stated;
}

}  // namespace futurerand
