#include "apps/commands/run_comparison.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/output_file.hpp"
#include "apps/cli/progress.hpp"
#include "apps/report/sweep_report.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {

Comparison run_comparison(const SimulationFlags& flags, const std::vector<std::string>& protocols,
                          Unserved unserved, const std::function<void(double)>& progress) {
  const SimulationKey key = flags.key();
  const Population population = flags.make_population(key);
  const ProtocolSettings protocol_settings = flags.protocol_settings(population.num_users());
  Comparison comparison{flags, population.num_users(), {}, {}, {}};

  std::vector<std::string> names = protocols;
  if (names.empty()) {
    for (const std::string_view name : simulated_protocol_names()) names.emplace_back(name);
  }
  std::vector<std::unique_ptr<SimulatedProtocol>> made;
  for (const std::string& name : names) {
    progress(0);
    stop_if_interrupted();
    auto protocol = make_simulated_protocol(name, protocol_settings);
    if (protocol) {
      made.push_back(*std::move(protocol));
    } else if (unserved == Unserved::kRefused) {
      throw bad_input(protocol.error().message);
    } else {
      comparison.unavailable.push_back({name, protocol.error().message});
    }
  }

  // Counting the population is one more pass over it.
  SimulationSettings settings = flags.settings(key);
  const double passes = static_cast<double>(made.size() * flags.trials + 1);
  settings.progress = [&](double share) { progress(share / passes); };
  const std::vector<std::uint64_t> truth = count_or_stop(population, settings);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    settings.progress = [&](double share) {
      progress((1 + (static_cast<double>(i) + share) * static_cast<double>(flags.trials)) / passes);
    };
    SimulationResult result = simulate_or_fail(*made[i], population, truth, settings);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    comparison.results.push_back({std::move(result), seconds.count()});
  }
  // Protocols are never listed as equals: those that are private over the whole sequence come
  // first, whatever their error.
  std::stable_sort(comparison.results.begin(), comparison.results.end(),
                   [](const TimedResult& a, const TimedResult& b) {
                     const auto rank = [](const TimedResult& timed) {
                       return std::pair(timed.result.traits.guarantee, timed.result.rmse);
                     };
                     return rank(a) < rank(b);
                   });
  return comparison;
}

void run_sweep(const SimulationFlags& flags, const Sweep& sweep,
               const std::vector<std::string>& protocols, Format format, const std::string& html) {
  for (const std::string& name : protocols) {
    const std::vector<std::string_view> known = simulated_protocol_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw bad_input("protocol '" + name + "' is unknown; expected one of " + join(known));
    }
  }
  // All values are checked, and the page is opened, before hours of simulation begin. Signals are
  // caught before, because its temporary file is to be removed after one.
  catch_interrupts();
  std::vector<SimulationFlags> each;
  for (const std::string& value : sweep.values) each.push_back(sweep.with(flags, value));
  std::optional<OutputFile> page;
  if (!html.empty()) page.emplace(html);
  SweepResult result{sweep.parameter, {}};
  {
    Progress progress("sweep of " + sweep.parameter);
    for (std::size_t i = 0; i < each.size(); ++i) {
      const auto show = [&](double share) {
        progress.show((static_cast<double>(i) + share) / static_cast<double>(each.size()));
      };
      result.points.push_back(
          {sweep.values[i], run_comparison(each[i], protocols, Unserved::kListed, show)});
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
