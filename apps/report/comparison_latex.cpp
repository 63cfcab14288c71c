#include <fmt/core.h>
#include <fmt/ranges.h>

#include "apps/cli/version.hpp"
#include "apps/report/comparison.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/simulator/error_statistics.hpp"
#include "futurerand/study/simulation_document.hpp"

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

namespace {

// The arguments of Python's `compare` for this comparison.
nlohmann::ordered_json arguments_of(const Comparison& comparison,
                                    const std::vector<std::string>& protocols,
                                    const std::vector<std::uint64_t>& seeds) {
  SimulationQuestion question = comparison.question;
  question.users = comparison.num_users;
  nlohmann::ordered_json arguments = {{"protocols", protocols}};
  SimulationQuestion usual;
  const Options asked = compare_options(question), defaults = compare_options(usual);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Option& option = asked[i];
    if (!option.constant) {
      arguments[option.name] = option.get();
    } else if (option.get() != defaults[i].get()) {
      arguments["constants"][option.name] = option.get();
    }
  }
  if (!seeds.empty()) arguments["seed"] = seeds;
  // Python takes the values of a file as an array; the path shows their place.
  if (!question.panel_name.empty()) {
    arguments.erase("population");
    arguments["values"] = question.panel_name;
  }
  return arguments;
}

}  // namespace

std::string comparison_manifest(
    const std::vector<std::pair<std::string, const Comparison*>>& groups,
    const std::vector<std::string>& protocols, const std::vector<std::uint64_t>& seeds,
    const nlohmann::ordered_json& document) {
  nlohmann::ordered_json manifest = {{"futurerand", kVersion}};
  for (const auto& [name, comparison] : groups) {
    nlohmann::ordered_json arguments = arguments_of(*comparison, protocols, seeds);
    if (name.empty()) {
      manifest["compare"] = std::move(arguments);
    } else {
      manifest["groups"][name] = {{"compare", std::move(arguments)}};
    }
  }
  manifest["document"] = document;
  return manifest.dump(2) + "\n";
}

}  // namespace futurerand::apps
