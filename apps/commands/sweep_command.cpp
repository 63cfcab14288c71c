#include "apps/commands/sweep_command.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "apps/cli/long_work.hpp"
#include "apps/cli/output_file.hpp"
#include "apps/report/sweep_report.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {

Comparison compare_by(const SimulationFlags& flags, const std::vector<std::string>& protocols,
                      Unserved unserved, const Progress& progress) {
  SimulationQuestion question = flags.question();
  ComparisonAnswer answer = or_end(run_comparison(protocols, question, unserved, progress));
  question.panel.reset();  // the users of a file are not needed any more
  return {std::move(answer), std::move(question), {}};
}

void run_sweep(const SimulationFlags& flags, const Sweep& sweep, const ProtocolsFor& protocols_for,
               Format format, const std::string& html) {
  // All values are checked, and the page is opened, before hours of simulation begin. Signals are
  // caught before, because its temporary file is to be removed after one.
  catch_interrupts();
  std::vector<SimulationFlags> each;
  std::vector<std::vector<std::string>> protocols;
  const std::vector<std::string_view> known = simulated_protocol_names();
  for (const std::string& value : sweep.values) {
    each.push_back(sweep.with(flags, value));
    protocols.push_back(protocols_for(each.back().asked));
    for (const std::string& name : protocols.back()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw bad_input("protocol '" + name + "' is unknown; expected one of " + join(known));
    }
  }
  std::optional<OutputFile> page;
  if (!html.empty()) page.emplace(html);
  SweepResult result{sweep.parameter, {}};
  {
    ProgressBar bar("sweep of " + sweep.parameter);
    for (std::size_t i = 0; i < each.size(); ++i) {
      const Progress part{
          &catch_interrupts(), [&](double share) {
            bar.show((static_cast<double>(i) + share) / static_cast<double>(each.size()));
          }};
      result.points.push_back(
          {sweep.values[i], compare_by(each[i], protocols[i], Unserved::kListed, part)});
    }
  }
  if (page) {
    page->write(sweep_page(result));
    page->commit();
  }
  switch (format) {
    case Format::kJson:
      return fmt::print("{}\n", to_json(result).dump(2));
    case Format::kCsv:
      return fmt::print("{}", to_csv(result));
    case Format::kText:
      fmt::print("{}", to_text(result));
      if (page) fmt::print("\nwrote {}\n", html);
  }
}

}  // namespace futurerand::apps
