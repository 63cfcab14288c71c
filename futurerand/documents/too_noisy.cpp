#include "futurerand/documents/too_noisy.hpp"

#include <cmath>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "futurerand/documents/captions.hpp"
#include "futurerand/estimator/answer.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kNarrower =
    "more devices, fewer periods or a larger epsilon make it narrower";

}  // namespace

std::string too_noisy_text(std::uint64_t devices, double typical_band, double level) {
  return fmt::format(
      "the estimate is too noisy to be useful: with {} a typical {:g}% band is {} wide; {} "
      "(futurerand plan --target-error)",
      counted(devices, "device"), 100 * level, with_commas(typical_band), kNarrower);
}

std::string too_noisy(std::uint64_t devices, double typical_band, double level) {
  if (std::isnan(typical_band)) return "nothing can be estimated from what was reported";
  if (!is_too_noisy(static_cast<double>(devices), typical_band)) return "";
  return too_noisy_text(devices, typical_band, level);
}

std::string too_noisy_together(const std::vector<std::string>& protocols, double level) {
  if (protocols.empty()) return "";
  return fmt::format(
      "too noisy to be useful: {}: a typical {:g}% band is at least half as wide as there are "
      "users; {}",
      fmt::join(protocols, ", "), 100 * level, kNarrower);
}

}  // namespace futurerand
