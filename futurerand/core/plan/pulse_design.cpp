#include "futurerand/core/plan/pulse_design.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {
namespace {

constexpr double kPulseWeight = 0x1p32;

// A window is hit about as often as 1 / (1 + e^epsilon) if no noise is added: there a report tells
// the most.
std::vector<PulseClass> candidates(Period num_periods, Epsilon epsilon) {
  const Fraction bound = exp_below(epsilon.nanos());
  std::vector<PulseClass> classes;
  for (std::uint32_t window = 1; window <= std::min(num_periods, kMaxPulseWindow); window *= 2) {
    const std::uint32_t slots = num_periods + window;
    const double wanted = slots / (window * (1 + std::exp(epsilon.value())));
    const auto pulses = static_cast<std::uint32_t>(std::max(1L, std::lround(wanted)));
    PulseLaw law{slots, window, std::min(pulses, num_periods), 1};
    law.high_side = largest_high_side(law, bound);
    if (law.validate() && law.gap().numerator > 0) classes.push_back({law, 1});
  }
  for (PulseClass& one : classes) one.share /= static_cast<double>(classes.size());
  return classes;
}

// Each class gets more devices if it adds more to the variance than its share (A-optimality).
void improve_shares(std::vector<PulseClass>& classes, Period num_periods) {
  constexpr int kRounds = 24;
  constexpr Period kLooks = 16;
  constexpr double kLeastShare = 0.01;
  for (int round = 0; round < kRounds && classes.size() > 1; ++round) {
    const std::vector<double> parts = PulsePrediction(classes, num_periods, kLooks).parts();
    double total = 0;
    for (std::size_t v = 0; v < classes.size(); ++v) {
      classes[v].share = std::sqrt(classes[v].share * std::max(parts[v], 0.0));
      total += classes[v].share;
    }
    for (PulseClass& one : classes) one.share /= total;
    if (round % 8 == 7) {
      std::erase_if(classes, [](const PulseClass& one) { return one.share < kLeastShare; });
    }
  }
}

}  // namespace

Result<std::vector<View>> design_pulse(Period num_periods, std::uint32_t max_changes,
                                       Epsilon epsilon, Initial initial) {
  if (initial != Initial::kZero) {
    return Error{"pulse needs everybody to hold 0 at first; expected initial zero"};
  }
  if (max_changes != 1) {
    return Error{"pulse counts a state that is entered once; expected max changes 1, not " +
                 std::to_string(max_changes)};
  }
  if (num_periods < 2 || num_periods > kMaxPulsePeriods) {
    return Error{"periods " + std::to_string(num_periods) +
                 " is out of range for pulse; expected 2 to " + std::to_string(kMaxPulsePeriods)};
  }
  std::vector<PulseClass> classes = candidates(num_periods, epsilon);
  if (classes.empty()) {
    return Error{"epsilon " + epsilon.text() + " is out of range for pulse; expected a larger one"};
  }
  improve_shares(classes, num_periods);
  double kept = 0;
  for (const PulseClass& one : classes) kept += one.share;
  std::vector<View> views;
  std::uint64_t total = 0;
  for (const PulseClass& one : classes) {
    const auto weight = static_cast<std::uint64_t>(one.share / kept * kPulseWeight);
    views.push_back({ViewKind::kPulse, 0, std::max<std::uint64_t>(weight, 1), one.law});
    total += views.back().weight;
  }
  const auto largest = std::max_element(
      views.begin(), views.end(), [](const View& a, const View& b) { return a.weight < b.weight; });
  largest->weight += static_cast<std::uint64_t>(kPulseWeight) - total;
  return views;
}

std::vector<PulseClass> pulse_classes(const Plan& plan) {
  std::vector<PulseClass> classes;
  const auto total = static_cast<double>(plan.total_weight());
  for (const View& view : plan.views) {
    classes.push_back({std::get<PulseLaw>(view.law), static_cast<double>(view.weight) / total});
  }
  return classes;
}

}  // namespace futurerand
