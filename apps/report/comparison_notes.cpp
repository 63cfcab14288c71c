#include <cmath>

#include <fmt/core.h>

#include "apps/report/comparison.hpp"
#include "futurerand/documents/too_noisy.hpp"
#include "futurerand/estimator/answer.hpp"

namespace futurerand::apps {

std::vector<std::string> figures_legend(double level) {
  return {"rmse: root mean square error over periods and trials, in users",
          "predicted: the same by a closed form; - if there is none",
          "largest error: of any period, mean over trials",
          fmt::format("in band: periods whose {:g}% band held the true count", 100 * level)};
}

std::string too_noisy_protocols(const Comparison& comparison) {
  std::vector<std::string> names;
  std::string unknown;
  for (const TimedResult& timed : comparison.results) {
    const double band = typical_band(timed.result);
    const std::string& name = timed.result.traits.name;
    if (std::isnan(band)) unknown += (unknown.empty() ? "" : ", ") + name;
    if (is_too_noisy(static_cast<double>(comparison.num_users), band)) names.push_back(name);
  }
  std::string warning = too_noisy_together(names, comparison.question.level);
  if (unknown.empty()) return warning;
  return warning + (warning.empty() ? "" : "; ") + "nothing can be estimated with " + unknown;
}

}  // namespace futurerand::apps
