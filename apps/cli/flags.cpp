#include "apps/cli/flags.hpp"

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "apps/cli/failure.hpp"
#include "futurerand/core/law/law_registry.hpp"

namespace futurerand::apps {
namespace {

std::string protocol_names() {
  std::vector<std::string_view> names;
  for (const Protocol protocol : kProtocols) names.push_back(name_of(protocol));
  return join(names);
}

}  // namespace

std::string join(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void add_format(CLI::App& command, Format& format, bool with_csv) {
  std::map<std::string, Format> names = {{"text", Format::kText}, {"json", Format::kJson}};
  if (with_csv) names["csv"] = Format::kCsv;
  command
      .add_option_function<std::string>(
          "--format", [&format, names](const std::string& name) { format = names.at(name); },
          with_csv ? "text for people, json and csv for programs"
                   : "text for people, json for programs")
      ->check(CLI::IsMember(names))
      ->type_name(with_csv ? "text|json|csv" : "text|json")
      ->default_str("text");
}

void add_delta(CLI::App& command, double& delta) {
  command
      .add_option(
          "--delta", delta,
          "the delta of the central guarantee of what is published, if reports are shuffled")
      ->check(in_range(kDeltaRange))
      ->check(is_number)
      ->capture_default_str()
      ->type_name("DELTA");
}

std::string is_number(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is not a number" : "";
}

void EstimatorFlags::add_to(CLI::App& command) {
  command
      .add_option("--estimator", estimator,
                  "online: period t from what came by t; hindsight: improved by what came later; "
                  "trend: assumes that the count moves as a random walk")
      ->capture_default_str()
      ->type_name("online|hindsight|trend");
  command.add_option("--level", level, "how often a band holds the true count")
      ->check(in_range(kLevelRange))
      ->capture_default_str()
      ->type_name("SHARE");
}

EstimatorKind EstimatorFlags::kind() const {
  if (const std::optional<EstimatorKind> known = estimator_named(estimator)) return *known;
  throw bad_input("--estimator: '" + estimator +
                  "' is unknown; expected online, hindsight or trend");
}

void PlanFlags::add_to(CLI::App& command, bool with_protocol) {
  if (with_protocol) {
    command.add_option("--protocol", protocol, "one of " + protocol_names())
        ->capture_default_str()
        ->type_name("NAME");
  }
  command.add_option("--periods", periods, "how many periods the metric runs")
      ->check(in_range(kPeriodsRange))
      ->capture_default_str()
      ->type_name("D");
  command
      .add_option("--changes", changes,
                  "the most changes of one user that are protected and counted")
      ->check(in_range(kChangesRange))
      ->capture_default_str()
      ->type_name("K");
  command.add_option("--epsilon", epsilon, "privacy budget over the whole horizon, a decimal")
      ->capture_default_str()
      ->type_name("E");
}

Protocol PlanFlags::chosen_protocol() const {
  if (const std::optional<Protocol> known = protocol_named(protocol)) return *known;
  throw bad_input("--protocol: '" + protocol + "' is unknown; expected one of " + protocol_names());
}

Epsilon PlanFlags::budget() const { return or_bad_input(Epsilon::parse(epsilon)); }

Plan PlanFlags::plan() const {
  return or_bad_input(make_plan(chosen_protocol(), periods, changes, budget()));
}

}  // namespace futurerand::apps
