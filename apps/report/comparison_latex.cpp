#include <fmt/core.h>

#include "apps/cli/version.hpp"
#include "apps/report/comparison.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/error_statistics.hpp"
#include "futurerand/study/simulation_document.hpp"

namespace futurerand::apps {
namespace {

// Names have underscores, which LaTeX reads as subscripts; file names may have more.
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

std::string comparison_latex(const Comparison& comparison) {
  const double level = comparison.flags.estimator.level;
  std::string text = fmt::format(
      "% futurerand {}: {} users ({}), {} periods, {} changes, epsilon {}, {} trials{}\n"
      "\\begin{{tabular}}{{lrrrrl}}\n\\toprule\n"
      "protocol & rmse & {:g}\\% interval & predicted & largest error & guarantee "
      "\\\\\n\\midrule\n",
      kVersion, comparison.num_users, escaped(comparison.flags.source()),
      comparison.flags.plan.periods, comparison.flags.plan.changes,
      comparison.flags.plan.budget().text(), comparison.flags.trials,
      comparison.flags.seed ? fmt::format(", seed {}", *comparison.flags.seed) : "", 100 * level);
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

std::string comparison_manifest(const Comparison& comparison,
                                const std::vector<std::string>& protocols) {
  const SimulationFlags& flags = comparison.flags;
  nlohmann::ordered_json arguments = {{"protocols", protocols},
                                      {"users", comparison.num_users},
                                      {"periods", flags.plan.periods},
                                      {"changes", flags.plan.changes},
                                      {"epsilon", flags.plan.budget().text()},
                                      {"estimator", flags.estimator.estimator},
                                      {"level", flags.estimator.level},
                                      {"trials", flags.trials},
                                      {"engine", flags.engine},
                                      {"seed", nullptr}};
  if (flags.seed) arguments["seed"] = *flags.seed;
  // Python takes the values of a file as an array; its path says where they are.
  arguments[flags.values.empty() ? "population" : "values"] = flags.source();
  for (const ProtocolKind& kind : protocol_kinds()) {
    for (const ProtocolConstant& constant : kind.constants) {
      const std::optional<double> given = flags.constants.find(constant);
      if (!given || given == constant.usual) continue;
      std::string name(constant.name);
      for (char& c : name) c = c == '-' ? '_' : c;
      arguments["constants"][name] = *given;
    }
  }
  const nlohmann::ordered_json manifest = {{"futurerand", kVersion},
                                           {"compare", arguments},
                                           {"document", to_json(comparison.question, comparison)}};
  return manifest.dump(2) + "\n";
}

}  // namespace futurerand::apps
