#include "futurerand/estimator/pulse_estimator.hpp"

#include <algorithm>

#include "futurerand/core/plan/pulse_design.hpp"

namespace futurerand {
namespace {

std::vector<PulseLaw> laws_of(const Plan& plan) {
  std::vector<PulseLaw> laws;
  for (const View& view : plan.views) laws.push_back(std::get<PulseLaw>(view.law));
  return laws;
}

// The shift of an estimate by a report with a pulse, and by one without.
struct Choice {
  double by_pulse;
  double by_none;
};

// Bounds the influence of a device with reports in consecutive periods and `pulses` pulses. Each
// pulse costs `price`, and the budget gives the price of all of them back: so any price gives a
// bound.
double most_at(double price, const std::vector<Choice>& choices, std::uint32_t pulses) {
  double most = 0, here = 0;
  for (const Choice& choice : choices) {
    here = std::max(0.0, here + std::max(choice.by_none, choice.by_pulse - price));
    most = std::max(most, here);
  }
  return most + price * pulses;
}

// Returns the least of these bounds, which are convex in the price.
double most_moved(const std::vector<Choice>& choices, std::uint32_t pulses) {
  constexpr int kSteps = 40;
  double low = 0, high = 0;
  for (const Choice& choice : choices) high = std::max(high, choice.by_pulse - choice.by_none);
  for (int step = 0; step < kSteps; ++step) {
    const double third = (high - low) / 3;
    const bool left =
        most_at(low + third, choices, pulses) < most_at(high - third, choices, pulses);
    left ? high -= third : low += third;
  }
  return most_at((low + high) / 2, choices, pulses);
}

}  // namespace

PulseEstimator::PulseEstimator(const Plan& plan)
    : prediction_(std::make_shared<PulsePrediction>(pulse_classes(plan), plan.num_periods)),
      filter_(laws_of(plan)) {
  for (const PulseLaw& law : laws_of(plan)) {
    const PulseMoments moments(law);
    sources_.push_back({moments.outside, moments.gap(), report_information(law), law.pulses});
  }
  counts_.reserve(plan.num_periods);
  reported_.resize(sources_.size());
}

// The reports of a class stand for all enrolled devices. Those that enrolled late held 0 before.
Measurement PulseEstimator::next(const Sums& sums, double enrolled) {
  // Before anybody enrols all counts are 0. The filter starts with the first device.
  if (enrolled == 0) return {0, 0};
  std::vector<PulseFilter::Difference> differences(sources_.size());
  bool measured = false;
  for (std::uint32_t v = 0; v < sources_.size(); ++v) {
    const IndexSum& reports = sums.at(v, period());
    Reported& reported = reported_[v].emplace_back();
    if (reports.count == 0) continue;
    measured = true;
    const Source& source = sources_[v];
    const auto count = static_cast<double>(reports.count);
    const double share = (count + static_cast<double>(reports.sum)) / (2 * count);
    const double scale = enrolled / source.gap;
    differences[v] = {scale * (share - source.outside),
                      source.information * count / (enrolled * enrolled)};
    reported = {differences[v].information, scale * (1 - share) / (count + 1),
                -scale * share / (count + 1)};
  }
  filter_.advance(differences, enrolled);
  const PulseFilter::Estimate found = filter_.estimate();
  counts_.push_back(found.value);
  if (!measured) return {};
  return {found.value, found.variance * variance_ratio(enrolled)};
}

double PulseEstimator::variance_ratio(double enrolled) const {
  std::vector<double> entered;
  double before = 0;
  for (const double count : counts_) {
    entered.push_back((count - before) / enrolled);
    before = count;
  }
  return prediction_->variance_ratio(static_cast<Period>(entered.size()), entered);
}

PulseEstimator::Moves PulseEstimator::one_device_moves(std::uint32_t view) const {
  if (counts_.empty()) return {0, 0};  // nobody has enrolled
  std::vector<double> informations;
  for (const Reported& reported : reported_[view]) informations.push_back(reported.information);
  const std::vector<double> weights = filter_.weights(view, filter_.response(), informations);
  std::vector<Choice> up, down;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const Reported& reported = reported_[view][s];
    up.push_back({weights[s] * reported.by_pulse, weights[s] * reported.by_none});
    down.push_back({-up.back().by_pulse, -up.back().by_none});
  }
  const std::uint32_t pulses = sources_[view].pulses;
  // One more device enrolled: estimates grow in proportion, by one device at most.
  return {1 + most_moved(up, pulses), 1 + most_moved(down, pulses)};
}

}  // namespace futurerand
