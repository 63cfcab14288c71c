#include "futurerand/simulator/engines/adversaries.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/device/device.hpp"

namespace futurerand {
namespace {

// Returns the largest number of devices that one device can claim to be in every view.
double most_by_every_view(const Plan& plan) {
  double most = 0;
  for (const View& view : plan.views) {
    const double told = 1 / to_double(gap(view.law));
    const double as = view.kind == ViewKind::kChanges ? told : (1 + told) / 2;
    most = most == 0 ? as : std::min(most, as);
  }
  return most;
}

// The symbols of a transcript within the honest limits and with the highest final count. It has no
// more nonzero symbols than a transcript without information, and they come last.
std::vector<Sign> highest_innovation(const Plan& plan) {
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
  const ContributionCap cap = *contribution_cap(plan);
  const Law& law = plan.views.front().law;
  const double speaks = static_cast<double>(nonzero_units(law)) / SparseLaw::kUnits;
  const auto silent = plan.num_periods - static_cast<Period>(speaks * plan.num_periods);
  const std::vector<double> offsets = filter.offsets(plan.num_periods);
  std::vector<Sign> symbols;
  std::vector<double> filtered;
  for (Period t = 0; t < plan.num_periods; ++t) {
    double known = 0;
    for (std::size_t j = 1; j <= std::min<std::size_t>(t, filter.phi.size()); ++j) {
      known += filter.phi[j - 1] * filtered[t - j];
    }
    Sign sign = Sign::kZero;
    if (t >= silent && offsets[t] + known + 1 / filter.kappa <= cap.most[t] + 1e-9) {
      sign = Sign::kPlus;
    } else if (!may_be_zero(law)) {
      sign = Sign::kMinus;
    }
    symbols.push_back(sign);
    filtered.push_back(known + static_cast<int>(sign) / filter.kappa);
  }
  return symbols;
}

// Uniform on [0, 1).
bool uniform(RandomSource& source, double& u) {
  std::uint64_t word = 0;
  if (!source.fill({&word, 1})) return false;
  u = std::ldexp(static_cast<double>(word >> 11), -53);
  return true;
}

}  // namespace

Adversaries::Adversaries(const CertifiedPlan& plan, Attack attack, const Influence& influence)
    : plan_(&plan), attack_(attack), middle_((plan.plan().num_periods + 1) / 2) {
  const bool has_changes = influence.by_changes.back() > 0;
  if (attack == Attack::kFlips) {
    best_ = influence.by[middle_ - 1];
  } else if (attack == Attack::kChanges && has_changes) {
    best_ = influence.in_changes.back();
  } else {
    best_ = influence.by.back();
  }
  if (attack == Attack::kMass) best_.joined = std::min(middle_ + 1, plan.plan().num_periods);
  if (attack != Attack::kHidden) return;
  if (plan.plan().protocol == Protocol::kInnovation) {
    hidden_innovation_ = highest_innovation(plan.plan());
  } else {
    hidden_as_ = most_by_every_view(plan.plan());
  }
}

bool Adversaries::tell(RandomSource& source, Sums& sums, std::optional<Presence>& presence) const {
  const Plan& plan = plan_->plan();
  Claim claim = best_;
  if (attack_ == Attack::kPlus || attack_ == Attack::kMinus || attack_ == Attack::kHidden) {
    Result<Device> device = Device::join(*plan_, 1, source);
    if (!device) return false;
    const Enrolment drawn = device->enrolment(ClientId{});
    claim = {drawn.view, drawn.index, 1, attack_ == Attack::kMinus};
  }
  sums.enrol(claim.view, claim.joined, claim.start);
  const Schedule schedule(plan.views[claim.view], plan.num_periods);
  std::vector<std::uint64_t> minus(presence ? plan.num_periods / 64 + 1 : 0), zero(minus);
  for (std::uint32_t index = schedule.first_index(claim.joined, claim.start);
       index <= schedule.num_indices; index += schedule.stride) {
    double u = 0;
    if (attack_ == Attack::kHidden && !uniform(source, u)) return false;
    const Sign sign = symbol(schedule, claim, index, u);
    sums.add(claim.view, index, one_report(sign));
    if (presence && sign != Sign::kPlus) {
      std::vector<std::uint64_t>& bits = sign == Sign::kZero ? zero : minus;
      bits[(index - 1) / 64] |= std::uint64_t{1} << (index - 1) % 64;
    }
  }
  if (presence) {  // then it reports every period, to the last one
    const Transcript all{claim.joined, plan.num_periods + 1, minus.data(), zero.data()};
    presence->change(all.before(claim.joined), all);
  }
  return true;
}

Sign Adversaries::symbol(const Schedule& schedule, const Claim& claim, std::uint32_t index,
                         double u) const {
  if (attack_ != Attack::kHidden) {
    const bool turned = attack_ == Attack::kFlips && schedule.due(index) > middle_;
    return sign_of(claim.minus != turned);
  }
  if (!hidden_innovation_.empty()) return hidden_innovation_[index - 1];
  const Law& law = plan_->plan().views[claim.view].law;
  const double c = to_double(gap(law));
  double mean = 0;
  if (schedule.kind != ViewKind::kChanges) {
    mean = c * (2 * hidden_as_ - 1);
  } else if (index == 1) {
    mean = c * hidden_as_;
  }
  // It sends non-zero symbols as often as honest noise, and more only for a larger mean.
  const double speaks = std::max(std::abs(mean), mean_square(law, 0));
  if (u >= speaks) return Sign::kZero;
  return u < (speaks + mean) / 2 ? Sign::kPlus : Sign::kMinus;
}

}  // namespace futurerand
