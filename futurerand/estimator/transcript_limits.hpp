// TranscriptLimits: how far one transcript may say anything of its device, for plans whose devices
// report every period (`innovation`), and what a device said beyond that (active.md, "The cap").
//
// All in whole units, so that what was added can be taken back, and adding up in any order gives
// the same: S(t) = sum of r_{t-s} w_s / kappa, in units of which the largest S has 2^26. A
// transcript is looked at eight reports at a time, back to where they do not matter any more.
//
// Thread safety: constant once made; anyone may ask for them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/told.hpp"
#include "futurerand/estimator/transcript_cap.hpp"

namespace futurerand {

// What transcripts said beyond their limits at one period.
struct Beyond {
  std::int64_t excess = 0;    // in units; below the lower limit it is negative
  std::uint64_t devices = 0;  // so many did
  friend bool operator==(const Beyond&, const Beyond&) = default;
};

class TranscriptLimits {
 public:
  // Null if the plan has no innovation. Limits of the same law and horizon are made once and
  // shared, for as long as somebody has them.
  static std::shared_ptr<const TranscriptLimits> of(const Plan& plan);

  // By how much S(t) of a device lies beyond its limit. Requires joined <= t < told.next.
  std::int64_t excess(const Told& told, Period t) const {
    return beyond(said(told, t, ~std::uint64_t{0}), t + 1 - told.joined);
  }
  // The same of S(t) without the report of t itself, as long as that is missing. Requires
  // joined <= t <= told.next and t <= num_periods.
  std::int64_t excess_before(const Told& told, Period t) const {
    return beyond(said(told, t, kWithoutNewest) - newest_, t + 1 - told.joined);
  }

  double devices(std::int64_t units) const { return static_cast<double>(units) * unit_; }
  // As devices, whenever one has joined: the most that it is counted as at period t, and by how
  // many devices for each honest one the count is wrong at most.
  double most(Period t) const { return most_[t - 1]; }
  double bias(Period t) const { return bias_[t - 1]; }

 private:
  explicit TranscriptLimits(const Plan& plan);

  // In a window of 64 reports the newest is the highest bit.
  static constexpr std::uint64_t kWithoutNewest = ~std::uint64_t{0} >> 1;

  // S(t), where the reports of the newest window that are not in `heard` are taken for plus.
  std::int64_t said(const Told& told, Period t, std::uint64_t heard) const;
  // The sum of the responses to the bits that are set, of the reports from `joined` to t.
  std::int64_t responses(const std::uint64_t* words, Period joined, Period t,
                         std::uint64_t heard) const;
  std::int64_t beyond(std::int64_t said, Period age) const {
    const std::int64_t limit = limits_[age - 1];
    return said > limit ? said - limit : said < -limit ? said + limit : 0;
  }

  std::vector<double> most_, bias_;
  double unit_;                         // in devices
  std::int64_t newest_;                 // the response to the newest report
  std::vector<std::int64_t> limits_;    // by age, of |S|
  std::vector<std::int64_t> all_plus_;  // by age, S if all reports are plus
  // Element 256 c + byte: the sum of the responses at lags 8c .. 8c+7 whose bits are set, the
  // highest bit first.
  std::vector<std::int32_t> table_;
};

}  // namespace futurerand
