#include "futurerand/estimator/innovation_trend.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "futurerand/estimator/innovation.hpp"
#include "futurerand/estimator/step_variance.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kExponentials = 7;
constexpr std::size_t kStates = 1 + kExponentials;  // the share, then one for each exponential

using State = std::array<double, kStates>;
using Covariance = std::array<State, kStates>;

// Solves a x = b for a symmetric positive definite a, by Gauss without pivoting.
std::array<double, kExponentials> solve(
    std::array<std::array<double, kExponentials>, kExponentials> a,
    std::array<double, kExponentials> b) {
  for (std::size_t i = 0; i < kExponentials; ++i) {
    for (std::size_t row = i + 1; row < kExponentials; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (std::size_t col = i; col < kExponentials; ++col) a[row][col] -= factor * a[i][col];
      b[row] -= factor * b[i];
    }
  }
  for (std::size_t i = kExponentials; i-- > 0;) {
    for (std::size_t col = i + 1; col < kExponentials; ++col) b[i] -= a[i][col] * b[col];
    b[i] /= a[i][i];
  }
  return b;
}

State times(const Covariance& p, const State& z) {
  State product{};
  for (std::size_t i = 0; i < kStates; ++i) {
    for (std::size_t j = 0; j < kStates; ++j) product[i] += p[i][j] * z[j];
  }
  return product;
}

double dot(const State& a, const State& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kStates; ++i) sum += a[i] * b[i];
  return sum;
}

// Runs the Kalman filter over all periods, then the smoother, in a form without matrix inversion
// (Durbin and Koopman, section 4.4). The states of the noise are nearly collinear.
class TrendFilter {
 public:
  TrendFilter(const InnovationEvidence& evidence, double step_variance)
      : evidence_(evidence), exponentials_(exponentials_of(evidence.response)) {
    const std::size_t periods = evidence.counts.size();
    steps_.resize(periods);
    decay_[0] = 1;
    for (std::size_t i = 0; i < kExponentials; ++i) decay_[i + 1] = exponentials_[i].decay;
    State mean{};
    Covariance p{};
    bool begun = false;
    for (std::size_t t = 0; t < periods; ++t) {
      if (!begun && evidence.enrolled[t] > 0) {
        begun = true;
        mean[0] = 1.0 / 2;
        p[0][0] = 1.0 / 12;
      } else if (begun) {
        p[0][0] += step_variance;
      }
      for (std::size_t i = 1; i < kStates; ++i) {
        for (std::size_t j = 1; j < kStates; ++j) p[i][j] += evidence.innovation_variances[t];
      }
      Step& step = steps_[t];
      step.mean = mean;
      step.p = p;
      if (begun && evidence.reported[t]) observe(t, mean, p);
      // On the way to the next period the share stays and the noise decays.
      for (std::size_t i = 0; i < kStates; ++i) {
        mean[i] *= decay_[i];
        for (std::size_t j = 0; j < kStates; ++j) p[i][j] *= decay_[i] * decay_[j];
      }
    }
  }

  double log_likelihood() const { return log_likelihood_; }

  std::vector<Measurement> smooth() const {
    std::vector<Measurement> counts(steps_.size());
    State r{};
    Covariance n{};
    for (std::size_t t = steps_.size(); t-- > 0;) {
      const Step& step = steps_[t];
      // Back over the decay, r and N belong to the state after this period was observed.
      for (std::size_t i = 0; i < kStates; ++i) {
        r[i] *= decay_[i];
        for (std::size_t j = 0; j < kStates; ++j) n[i][j] *= decay_[i] * decay_[j];
      }
      if (step.variance > 0) unobserve(t, r, n);
      const double devices = evidence_.enrolled[t];
      if (devices == 0) {
        counts[t] = {0, 0};
        continue;
      }
      const State& row = step.p[0];
      const double share = step.mean[0] + dot(row, r);
      const double variance = row[0] - dot(row, times(n, row));
      counts[t] = {devices * share, devices * devices * std::max(variance, 0.0)};
    }
    return counts;
  }

 private:
  struct Step {
    State mean{};  // before the period was observed
    Covariance p{};
    State gain{};  // P z / F
    double surprise = 0;
    double variance = 0;  // F, of the surprise; 0 if nothing was observed
  };

  State measured_by(std::size_t t) const {
    State z{};
    z[0] = evidence_.enrolled[t];
    for (std::size_t i = 0; i < kExponentials; ++i) z[i + 1] = exponentials_[i].weight;
    return z;
  }

  void observe(std::size_t t, State& mean, Covariance& p) {
    Step& step = steps_[t];
    const State z = measured_by(t);
    step.gain = times(p, z);
    step.variance = dot(z, step.gain);
    step.surprise = evidence_.counts[t] - dot(z, mean);
    for (double& gain : step.gain) gain /= step.variance;
    for (std::size_t i = 0; i < kStates; ++i) {
      mean[i] += step.gain[i] * step.surprise;
      for (std::size_t j = 0; j < kStates; ++j) {
        p[i][j] -= step.gain[i] * step.gain[j] * step.variance;
      }
    }
    log_likelihood_ -=
        (std::log(step.variance) + step.surprise * step.surprise / step.variance) / 2;
  }

  // r <- z v / F + L' r and N <- z z' / F + L' N L, with L = 1 - gain z'.
  void unobserve(std::size_t t, State& r, Covariance& n) const {
    const Step& step = steps_[t];
    const State z = measured_by(t);
    const double pulled = step.surprise / step.variance - dot(step.gain, r);
    const State along = times(n, step.gain);
    const double both = dot(step.gain, along) + 1 / step.variance;
    for (std::size_t i = 0; i < kStates; ++i) {
      for (std::size_t j = 0; j < kStates; ++j) {
        n[i][j] += z[i] * z[j] * both - z[i] * along[j] - along[i] * z[j];
      }
    }
    for (std::size_t i = 0; i < kStates; ++i) r[i] += z[i] * pulled;
  }

  const InnovationEvidence& evidence_;
  std::vector<Exponential> exponentials_;
  State decay_{};
  std::vector<Step> steps_;
  double log_likelihood_ = 0;
};

}  // namespace

std::vector<Exponential> exponentials_of(const std::vector<double>& response) {
  // Times reach from below one period to beyond the horizon, evenly in their logarithms. The
  // weights are a least-squares fit. Every octave of lags counts alike.
  std::array<double, kExponentials> decay;
  const double longest = 2.0 * std::max<double>(4, static_cast<double>(response.size()));
  for (std::size_t i = 0; i < kExponentials; ++i) {
    const double time = 0.4 * std::pow(longest / 0.4, static_cast<double>(i) / (kExponentials - 1));
    decay[i] = std::exp(-1 / time);
  }
  std::array<std::array<double, kExponentials>, kExponentials> products{};
  std::array<double, kExponentials> sums{}, power;
  power.fill(1);
  for (std::size_t j = 0; j < response.size(); ++j) {
    const double weight = 1.0 / static_cast<double>(j + 1);
    for (std::size_t a = 0; a < kExponentials; ++a) {
      sums[a] += weight * power[a] * response[j];
      for (std::size_t b = 0; b < kExponentials; ++b) {
        products[a][b] += weight * power[a] * power[b];
      }
    }
    for (std::size_t a = 0; a < kExponentials; ++a) power[a] *= decay[a];
  }
  // Close times are nearly indistinguishable. This keeps their weights small and hardly changes the
  // fit.
  for (std::size_t a = 0; a < kExponentials; ++a) products[a][a] += 1e-9;
  const std::array<double, kExponentials> weights = solve(products, sums);
  std::vector<Exponential> exponentials;
  for (std::size_t i = 0; i < kExponentials; ++i) exponentials.push_back({weights[i], decay[i]});
  return exponentials;
}

InnovationEvidence gather_innovation(const Plan& plan, const Sums& sums, Period up_to) {
  InnovationCounts counts(plan);
  InnovationEvidence evidence;
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  for (Period t = 1; t <= up_to; ++t) {
    const IndexSum& reports = sums.at(0, t);
    evidence.enrolled.push_back(static_cast<double>(enrolled[t - 1]));
    evidence.reported.push_back(reports.count > 0 && enrolled[t - 1] > 0);
    counts.advance(reports, evidence.enrolled.back());
  }
  evidence.counts = counts.counts();
  evidence.innovation_variances = counts.innovation_variances();
  evidence.response = counts.response();
  return evidence;
}

std::vector<Measurement> innovation_trend(const InnovationEvidence& evidence,
                                          double step_variance) {
  return TrendFilter(evidence, step_variance).smooth();
}

double innovation_trend_log_likelihood(const InnovationEvidence& evidence, double step_variance) {
  return TrendFilter(evidence, step_variance).log_likelihood();
}

std::vector<Measurement> innovation_trend(const InnovationEvidence& evidence) {
  const bool any = std::ranges::find(evidence.reported, true) != evidence.reported.end();
  if (!any) {
    std::vector<Measurement> unknown(evidence.counts.size());
    for (std::size_t t = 0; t < unknown.size() && evidence.enrolled[t] == 0; ++t)
      unknown[t] = {0, 0};
    return unknown;
  }
  const double step_variance = fit_step_variance(
      evidence.enrolled.back(), static_cast<Period>(evidence.counts.size()),
      [&](double variance) { return innovation_trend_log_likelihood(evidence, variance); });
  return innovation_trend(evidence, step_variance);
}

}  // namespace futurerand
