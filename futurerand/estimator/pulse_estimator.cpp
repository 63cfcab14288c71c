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

}  // namespace

PulseEstimator::PulseEstimator(const Plan& plan)
    : prediction_(std::make_shared<PulsePrediction>(pulse_classes(plan), plan.num_periods)),
      filter_(laws_of(plan)) {
  for (const PulseLaw& law : laws_of(plan)) {
    const PulseMoments moments(law);
    sources_.push_back({moments.outside, moments.gap(), report_information(law)});
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
  // One more device enrolled: estimates grow in proportion, by one device at most.
  Moves moves{1, 1};
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const Reported& reported = reported_[view][s];
    const double by_pulse = weights[s] * reported.by_pulse;
    const double by_none = weights[s] * reported.by_none;
    moves.up += std::max(by_pulse, by_none);
    moves.down -= std::min(by_pulse, by_none);
  }
  return moves;
}

}  // namespace futurerand
