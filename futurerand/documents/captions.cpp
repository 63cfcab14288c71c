#include "futurerand/documents/captions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "futurerand/estimator/presence/contribution_cap.hpp"

namespace futurerand {

std::string counted(std::uint64_t number, const std::string& noun) {
  return with_commas(static_cast<double>(number)) + " " + noun + (number == 1 ? "" : "s");
}

std::string with_commas(double value) {
  if (!std::isfinite(value)) return "-";
  const std::string digits = fmt::format("{:.0f}", std::abs(value));
  std::string text = std::round(value) < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", std::max(seconds, 0.0));
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.0f} h", seconds / 3600);
  return with_commas(seconds / 86'400) + " days";
}

std::string cap_in_words(double bias) {
  // Never less than it is.
  const std::string devices =
      bias < 10 ? fmt::format("{:.2f}", std::ceil(100 * bias) / 100) : with_commas(std::ceil(bias));
  return fmt::format(
      "each device's contribution is clipped at a level that one honest device in {} exceeds in a "
      "period; if all are honest, this changes the newest period by at most {} devices",
      with_commas(1 / kCapRate), devices);
}

}  // namespace futurerand
