#include "futurerand/estimator/transcript_limits.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "futurerand/core/plan/innovation_filter.hpp"

namespace futurerand {
namespace {

constexpr double kLargest = 1 << 26;

// 64 bits of which bit `last` is the highest; bits before the first are zero.
std::uint64_t window(const std::uint64_t* words, Period last) {
  const unsigned above = 63 - last % 64;
  const std::uint64_t upper = words[last / 64] << above;
  return above == 0 || last < 64 ? upper : upper | words[last / 64 - 1] >> (64 - above);
}

}  // namespace

TranscriptLimits::TranscriptLimits(const Plan& plan) {
  const TranscriptCap cap = *transcript_cap(plan);
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
  const std::vector<double> response = filter.response(plan.num_periods);
  unit_ = std::accumulate(response.begin(), response.end(), 0.0) / filter.kappa / kLargest;
  std::vector<std::int32_t> rounded;
  double middle = 0, most = 0, bias = 0;
  for (std::size_t t = 0; t < response.size(); ++t) {
    middle += response[t] * filter.alpha / 2;
    // Each response may be rounded by half a unit: nobody who keeps to the limit lies beyond it.
    const double off = static_cast<double>(t + 2) / 2;
    limits_.push_back(std::llround((cap.most[t] - middle) / unit_ + off));
    rounded.push_back(static_cast<std::int32_t>(std::lround(response[t] / filter.kappa / unit_)));
    all_plus_.push_back((all_plus_.empty() ? 0 : all_plus_.back()) + rounded.back());
    // A device that joined later may be counted as somewhat more, while it is new.
    most = std::max(most, cap.most[t]);
    bias = std::max(bias, cap.bias[t]);
    most_.push_back(most + 2 * off * unit_);
    bias_.push_back(bias);
  }
  newest_ = rounded.front();
  while (rounded.back() == 0) rounded.pop_back();
  rounded.resize((rounded.size() + 63) / 64 * 64);
  table_.resize(rounded.size() / 8 * 256);
  for (std::size_t at = 0; at < table_.size(); ++at) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      if ((at >> (7 - bit) & 1U) != 0) table_[at] += rounded[at / 256 * 8 + bit];
    }
  }
}

std::shared_ptr<const TranscriptLimits> TranscriptLimits::of(const Plan& plan) {
  const auto* law = std::get_if<WeightedThresholdLaw>(&plan.views.front().law);
  if (law == nullptr) return nullptr;
  struct Known {
    WeightedThresholdLaw law;
    Period num_periods;
    std::weak_ptr<const TranscriptLimits> limits;
  };
  static std::mutex mutex;
  static std::vector<Known> all;
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const Known& known) { return known.limits.expired(); });
  for (const Known& known : all) {
    if (known.law != *law || known.num_periods != plan.num_periods) continue;
    if (auto limits = known.limits.lock()) return limits;
  }
  std::shared_ptr<const TranscriptLimits> made(new TranscriptLimits(plan));
  all.push_back({*law, plan.num_periods, made});
  return made;
}

std::int64_t TranscriptLimits::responses(const std::uint64_t* words, Period joined, Period t,
                                         std::uint64_t heard) const {
  std::int64_t sum = 0;
  const std::int32_t* const end = table_.data() + table_.size();
  // Bit t-1 is period t.
  for (const std::int32_t* lags = table_.data(); lags != end; lags += 8 * 256) {
    std::uint64_t bits = window(words, t - 1) & heard;
    const std::int32_t* at = lags;
    for (; bits != 0; bits <<= 8, at += 256) sum += at[bits >> 56];
    if (t < joined + 64) break;
    t -= 64;
    heard = ~std::uint64_t{0};
  }
  return sum;
}

std::int64_t TranscriptLimits::said(const Told& told, Period t, std::uint64_t heard) const {
  std::int64_t sum = all_plus_[t - told.joined] - 2 * responses(told.minus, told.joined, t, heard);
  if (told.silent != nullptr) sum -= responses(told.silent, told.joined, t, heard);
  return sum;
}

}  // namespace futurerand
