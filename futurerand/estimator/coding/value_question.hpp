// ValueQuestion: a question about the values of a metric with a coding, about its labels, buckets,
// quantiles or mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

enum class ValueRows : std::uint8_t {
  kDefault,     // by label; for a distribution the mean
  kByLabel,     // all labels, buckets or candidates
  kTop,         // those that stand out in the last period
  kCumulative,  // how many values are below each bucket's start
  kQuantiles,
};

struct ValueQuestion {
  ValueRows rows = ValueRows::kDefault;
  std::optional<std::string> label = {};  // only this label, or this text
  std::uint32_t top = 10;                 // so many at most
  std::vector<double> quantiles = {0.25, 0.5, 0.75};
  // Cumulative counts are made to rise, for display. Unbiased ones may fall, because of noise.
  bool unbiased = false;
  std::vector<std::string> candidates = {};  // of a text metric
};

// On average at most this share of the labels shown by kTop are false discoveries.
inline constexpr double kFalseDiscoveryRate = 0.05;

inline constexpr std::uint32_t kMostTop = 1000;
inline constexpr std::size_t kMostQuantiles = 100;

// Reads a list such as 0.25,0.5,0.75. Fails for more than kMostQuantiles, and outside 0 to 1.
Result<std::vector<double>> parse_quantiles(std::string_view list);

}  // namespace futurerand
