#include "apps/report/drowned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "apps/cli/words.hpp"

namespace futurerand::apps {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string drowned(std::uint64_t devices, double typical_band, double level) {
  if (std::isnan(typical_band)) return "nothing can be estimated from what was reported";
  if (typical_band < 0.5 * static_cast<double>(devices)) return "";
  return fmt::format(
      "the error drowns the answer: with {} a typical {:g}% band is {} wide; more devices, fewer "
      "periods or a larger epsilon make it narrower (futurerand plan --target-error)",
      counted(devices, "device"), 100 * level, with_commas(typical_band));
}

}  // namespace futurerand::apps
