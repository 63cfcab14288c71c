#include "futurerand/estimator/smoother.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "futurerand/estimator/hybrid_estimator.hpp"
#include "futurerand/estimator/step_variance.hpp"
#include "futurerand/estimator/stretch.hpp"

namespace futurerand {
namespace {

// Makes a stretch for every dyadic interval up to a period, from below, and goes back down.
class Smoother {
 public:
  // Levels are counts or, with a step variance, shares. Undetermined ends are exact for counts
  // only: there every slope without a snapshot is exactly 1.
  Smoother(const Evidence& evidence, std::optional<double> step_variance)
      : evidence_(evidence), step_variance_(step_variance) {
    const Period up_to = evidence.up_to();
    stretches_.resize(num_orders(up_to));
    for (Order h = 0; h < stretches_.size(); ++h) {
      stretches_[h].reserve(num_intervals(up_to, h));
      for (IntervalIndex j = 1; j <= num_intervals(up_to, h); ++j) {
        stretches_[h].push_back(stretch({h, j}));
      }
    }
    // These are the stretches that tile 1..up_to, merged from the last one on.
    for_each_in_prefix(up_to, [&](DyadicInterval interval) { tiles_.push_back(interval); });
    rests_.resize(tiles_.size());
    for (std::size_t i = tiles_.size(); i-- > 0;) {
      rests_[i] = i + 1 == tiles_.size() ? at(tiles_[i]) : merge(at(tiles_[i]), rests_[i + 1]);
    }
  }

  double log_likelihood() const { return rests_.empty() ? 0 : rests_[0].log_likelihood; }

  // Element t-1 is period t.
  std::vector<Measurement> smooth() {
    smoothed_.resize(evidence_.up_to());
    if (smoothed_.empty()) return {};
    // The level before period 1 is 0.
    Ends ends{0, rests_[0].offset, 0, rests_[0].variance, 0};
    for (std::size_t i = 0; i + 1 < tiles_.size(); ++i) {
      const Halves halves = split(ends, at(tiles_[i]), rests_[i + 1]);
      descend(tiles_[i], halves.left);
      ends = halves.right;
    }
    descend(tiles_.back(), ends);
    return std::move(smoothed_);
  }

 private:
  const Stretch& at(DyadicInterval interval) const {
    return stretches_[interval.order][interval.index - 1];
  }

  // Returns how many devices one unit of the level stands for at the end of a period.
  double unit(Period t) const { return step_variance_ ? evidence_.enrolled[t] : 1; }

  Stretch stretch(DyadicInterval interval) const {
    const auto [h, j] = interval;
    const Period first = interval.first(), last = interval.last();
    Stretch stretch =
        h == 0 ? step(last) : merge(stretches_[h - 1][2 * j - 2], stretches_[h - 1][2 * j - 1]);
    if (evidence_.enrolled[last] == 0) return stretch;
    if (h < evidence_.changes.size()) {
      stretch.observe(unit(first - 1), unit(last), evidence_.changes[h][j - 1]);
    }
    if (h == 0) stretch.observe(0, unit(last), evidence_.snapshots[last]);
    return stretch;
  }

  // This is one period before any report.
  Stretch step(Period t) const {
    Stretch step;
    if (evidence_.enrolled[t] == 0) {
      step.variance = 0;
    } else if (step_variance_ && evidence_.enrolled[t - 1] == 0) {
      step.offset = 1.0 / 2;
      step.variance = 1.0 / 12;
    } else if (step_variance_) {
      step.slope = 1;
      step.variance = *step_variance_;
    }
    return step;
  }

  void descend(DyadicInterval interval, const Ends& ends) {
    const auto [h, j] = interval;
    if (h > 0) {
      const DyadicInterval left{h - 1, 2 * j - 1}, right{h - 1, 2 * j};
      const Halves halves = split(ends, at(left), at(right));
      descend(left, halves.left);
      descend(right, halves.right);
      return;
    }
    if (ends.right_variance == kUndetermined) return;
    smoothed_[j - 1] = {unit(j) * ends.right, unit(j) * unit(j) * ends.right_variance};
  }

  const Evidence& evidence_;
  std::optional<double> step_variance_;
  std::vector<std::vector<Stretch>> stretches_;  // by order
  std::vector<DyadicInterval> tiles_;
  std::vector<Stretch> rests_;  // from each tile to the end
  std::vector<Measurement> smoothed_;
};

// A measurement of variance 0 is of a time when nobody was enrolled.
bool has_reports(const Evidence& evidence) {
  const auto reported = [](const Measurement& at) {
    return at.variance > 0 && at.variance != kUndetermined;
  };
  const auto any = [&](const std::vector<Measurement>& all) {
    return std::any_of(all.begin(), all.end(), reported);
  };
  return any(evidence.snapshots) ||
         std::any_of(evidence.changes.begin(), evidence.changes.end(), any);
}

}  // namespace

Evidence gather(const Plan& plan, const Sums& sums, Period up_to) {
  const HybridMeasurements measure(plan);
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  Evidence evidence;
  evidence.enrolled.push_back(0);
  evidence.snapshots.emplace_back();
  evidence.changes.resize(measure.grid() + 1);
  HybridEstimator online(plan);
  for (Period t = 1; t <= up_to; ++t) {
    evidence.enrolled.push_back(static_cast<double>(enrolled[t - 1]));
    for (Order h = 0; h <= measure.grid() && t % (Period{1} << h) == 0; ++h) {
      evidence.changes[h].push_back(measure.change(sums, {h, t >> h}, evidence.enrolled[t]));
    }
    online.advance(sums, enrolled[t - 1]);
    evidence.snapshots.push_back(online.last_snapshot());
  }
  return evidence;
}

std::vector<Measurement> hindsight(const Evidence& evidence) {
  return Smoother(evidence, std::nullopt).smooth();
}

std::vector<Measurement> trend(const Evidence& evidence, double step_variance) {
  if (!has_reports(evidence)) return hindsight(evidence);
  return Smoother(evidence, step_variance).smooth();
}

double trend_log_likelihood(const Evidence& evidence, double step_variance) {
  return Smoother(evidence, step_variance).log_likelihood();
}

double fit_step_variance(const Evidence& evidence) {
  return fit_step_variance(evidence.enrolled.back(), evidence.up_to(), [&](double step_variance) {
    return trend_log_likelihood(evidence, step_variance);
  });
}

}  // namespace futurerand
