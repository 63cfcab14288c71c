// AnswerRow: one figure of an answer.
//
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "futurerand/estimator/estimate.hpp"

namespace futurerand {

// A quantile, in units of the value.
struct ValueBand {
  double value = 0;
  Band band = {};
};

// One period, and one label of it if there are labels. Undetermined figures are not numbers.
struct AnswerRow {
  Period period = 0;
  double estimate = 0;
  double stddev = 0;
  Band band = {};
  std::uint64_t devices = 0;   // counted in this period
  std::uint64_t reports = 0;   // so many of the expected ones came in
  std::uint64_t expected = 0;  // due at the end of this period
  std::string segment = {};    // of the devices; empty if they are of all segments
  std::string label = {};      // whose count it is; empty for a metric without labels
  std::optional<ValueBand> quantile = {};
  // If `devices` is an estimate itself: the share's own error and band, which are narrower.
  struct OwnShare {
    double stddev;
    Band band;
  };
  std::optional<OwnShare> own_share = {};

  // The same as shares of the devices counted in this period.
  double share() const { return share_of(estimate); }
  double share_stddev() const { return own_share ? own_share->stddev : share_of(stddev); }
  Band share_band() const {
    return own_share ? own_share->band : Band{share_of(band.lower), share_of(band.upper)};
  }

 private:
  double share_of(double count) const { return count / static_cast<double>(devices); }
};

// The range of a number. A share of the devices is then a share of the range.
struct NumberScale {
  double low;
  double high;
  std::string unit;

  double mean_of(double share) const { return low + (high - low) * share; }
  friend bool operator==(const NumberScale&, const NumberScale&) = default;
};

}  // namespace futurerand
