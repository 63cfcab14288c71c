#include <fmt/core.h>
#include <fmt/ranges.h>

#include "apps/cli/version.hpp"
#include "apps/report/comparison.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/simulator/error_statistics.hpp"

namespace futurerand::apps {
namespace {

// Names have underscores, and LaTeX reads them as subscripts. File names may have more.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("_%#&$").find(c) != std::string_view::npos) {
      safe += '\\';
      safe += c;
    } else if (std::string_view("\\{}~^").find(c) != std::string_view::npos) {
      safe += '?';
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string interval_text(const SimulationResult& result, double level) {
  const std::optional<Band> interval = rmse_interval(result.squared_errors, level);
  if (!interval) return "--";
  return fmt::format("[{}, {}]", with_commas(interval->lower), with_commas(interval->upper));
}

}  // namespace

std::string comparison_latex(const Comparison& comparison, std::string_view group,
                             const std::vector<std::uint64_t>& seeds) {
  const double level = comparison.question.level;
  std::string text = fmt::format(
      "% futurerand {}: {}{} users ({}), {} periods, {} changes, epsilon {}, {} trials{}\n"
      "\\begin{{tabular}}{{lrrrrl}}\n\\toprule\n"
      "protocol & rmse & {:g}\\% interval & predicted & largest error & guarantee "
      "\\\\\n\\midrule\n",
      kVersion, group.empty() ? "" : fmt::format("group {}, ", escaped(group)),
      comparison.num_users, escaped(comparison.question.source()), comparison.question.periods,
      comparison.question.changes, comparison.question.epsilon.text(), comparison.question.trials,
      comparison.question.seed ? fmt::format(", seed {}", *comparison.question.seed)
      : seeds.empty()          ? ""
                               : fmt::format(" for each of the seeds {}", fmt::join(seeds, ", ")),
      100 * level);
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    text += fmt::format("{} & {} & {} & {} & {} & {} \\\\\n", escaped(result.traits.name),
                        rmse_text(result), interval_text(result, level),
                        result.predicted_rmse ? with_commas(*result.predicted_rmse) : "--",
                        has_answer(result) ? max_error_text(result) : "--",
                        name_of(result.traits.guarantee));
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace futurerand::apps
