#include "futurerand/study/too_noisy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "futurerand/study/captions.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kNarrower =
    "more devices, fewer periods or a larger epsilon make it narrower";

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_too_noisy(std::uint64_t devices, double typical_band) {
  return typical_band >= 0.5 * static_cast<double>(devices);
}

std::string too_noisy(std::uint64_t devices, double typical_band, double level) {
  if (std::isnan(typical_band)) return "nothing can be estimated from what was reported";
  if (!is_too_noisy(devices, typical_band)) return "";
  return fmt::format(
      "the estimate is too noisy to be useful: with {} a typical {:g}% band is {} wide; {} "
      "(futurerand plan --target-error)",
      counted(devices, "device"), 100 * level, with_commas(typical_band), kNarrower);
}

std::string too_noisy_together(const std::vector<std::string>& protocols, double level) {
  if (protocols.empty()) return "";
  return fmt::format(
      "too noisy to be useful: {}: a typical {:g}% band is at least half as wide as there are "
      "users; {}",
      fmt::join(protocols, ", "), 100 * level, kNarrower);
}

}  // namespace futurerand
