#include "futurerand/estimator/presence/device_estimate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"

namespace futurerand {
namespace {

// Sums of 2^30 values below 2^33 fit into 64 bits.
constexpr int kValueBits = 33;
// psi is added up in units 2^20 times as fine: below 2^53, with an error of at most d/2 of them.
constexpr int kFineBits = 20;

// The exponent of the finest unit, a power of two, in which `largest` stays below 2^33.
int unit_exponent(double largest) { return std::ilogb(largest) + 1 - kValueBits; }

std::int64_t in_units(double value, int exponent) {
  return std::llround(std::ldexp(value, -exponent));
}

// 64 bits of which bit `last` is the highest; bits before the first are zero.
std::uint64_t window(const std::uint64_t* words, Period last) {
  const unsigned above = 63 - last % 64;
  const std::uint64_t upper = words[last / 64] << above;
  return above == 0 || last < 64 ? upper : upper | words[last / 64 - 1] >> (64 - above);
}

}  // namespace

DeviceEstimate::DeviceEstimate(const Plan& plan, bool capped) {
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
  const std::vector<double> response = filter.response(plan.num_periods);
  has_zeros_ = may_be_zero(plan.views.front().law);
  least_square_ = filter.least_square;
  for (const double r : response) weights_.push_back(r / filter.kappa);

  const std::vector<double> offset = filter.offsets(plan.num_periods);
  std::vector<double> largest, variance;
  double weight_sum = 0, square_sum = 0;
  for (std::size_t j = 0; j < response.size(); ++j) {
    weight_sum += weights_[j];
    largest.push_back(offset[j] + weight_sum);
    variance.push_back(square_sum += weights_[j] * weights_[j]);
  }
  const int exponent = unit_exponent(largest.back());
  const int variance_exponent = unit_exponent(variance.back());
  unit_ = std::ldexp(1.0, exponent);
  variance_unit_ = std::ldexp(1.0, variance_exponent);
  half_ = in_units(0.5, exponent);
  const int fine = exponent - kFineBits;
  std::vector<std::int64_t> fine_weights;
  std::int64_t plus = 0;
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    fine_weights.push_back(in_units(weights_[j], fine));
    plus += fine_weights.back();
    all_plus_.push_back(plus + in_units(offset[j], fine));
    variances_.push_back(in_units(variance[j], variance_exponent));
  }

  const std::optional<ContributionCap> cap =
      capped ? contribution_cap(plan) : std::optional<ContributionCap>();
  double most = 0, bias = 0;
  for (std::size_t j = 0; j < largest.size(); ++j) {
    if (cap) {
      // Rounding must not clip a device within the limit.
      most_units_.push_back(in_units(cap->most[j], exponent) + 1);
      least_units_.push_back(in_units(cap->least[j], exponent) - 1);
    }
    // A device that joined later may be counted as more, while it is new.
    most = std::max(most, cap ? cap->most[j] + 2 * unit_ : largest[j] + unit_);
    bias = std::max(bias, cap ? cap->bias[j] : 0);
    most_.push_back(most);
    bias_.push_back(bias);
  }

  fine_weights.resize((fine_weights.size() + 63) / 64 * 64);
  table_.resize(fine_weights.size() / 8 * 256);
  for (std::size_t at = 0; at < table_.size(); ++at) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      if ((at >> (7 - bit) & 1U) != 0) table_[at] += fine_weights[at / 256 * 8 + bit];
    }
  }
}

std::shared_ptr<const DeviceEstimate> DeviceEstimate::of(const Plan& plan, bool capped) {
  if (!shows_who_is_active(plan)) return nullptr;
  struct Known {
    WeightedThresholdLaw law;
    Period num_periods;
    bool capped;
    std::weak_ptr<const DeviceEstimate> estimate;
  };
  static std::mutex mutex;
  static std::vector<Known> all;
  const auto& law = std::get<WeightedThresholdLaw>(plan.views.front().law);
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const Known& known) { return known.estimate.expired(); });
  for (const Known& known : all) {
    if (known.law != law || known.num_periods != plan.num_periods || known.capped != capped) {
      continue;
    }
    if (auto estimate = known.estimate.lock()) return estimate;
  }
  std::shared_ptr<const DeviceEstimate> made(new DeviceEstimate(plan, capped));
  all.push_back({law, plan.num_periods, capped, made});
  return made;
}

std::int64_t DeviceEstimate::weights_of(const std::uint64_t* words, Period joined, Period t) const {
  std::int64_t sum = 0;
  // Bit t-1 is period t.
  for (const std::int64_t* lags = table_.data();; lags += 8 * 256) {
    std::uint64_t bits = window(words, t - 1);
    for (const std::int64_t* at = lags; bits != 0; bits <<= 8, at += 256) sum += at[bits >> 56];
    if (t < joined + 64) return sum;
    t -= 64;
  }
}

DeviceEstimate::Value DeviceEstimate::at(const Transcript& transcript, Period t) const {
  const std::size_t age = t - transcript.joined;  // less one
  std::int64_t fine = all_plus_[age] - 2 * weights_of(transcript.minus, transcript.joined, t);
  if (transcript.zero != nullptr) fine -= weights_of(transcript.zero, transcript.joined, t);
  const std::int64_t units = (fine + (std::int64_t{1} << (kFineBits - 1))) >> kFineBits;
  if (most_units_.empty()) return {units, false};
  if (units > most_units_[age]) return {most_units_[age], true};
  if (units < least_units_[age]) return {least_units_[age], true};
  return {units, false};
}

}  // namespace futurerand
