#include "apps/flags.hpp"

#include "apps/failure.hpp"

namespace futurerand::apps {
namespace {

std::string protocol_names() {
  std::string names;
  for (const Protocol protocol : kProtocols) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(protocol));
  }
  return names;
}

}  // namespace

void add_format(CLI::App& command, Format& format) {
  command
      .add_option_function<std::string>(
          "--format",
          [&format](const std::string& name) {
            format = name == "json" ? Format::kJson : Format::kText;
          },
          "text for people, json for programs")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json")
      ->default_str("text");
}

void PlanFlags::add_to(CLI::App& command, bool with_protocol) {
  if (with_protocol) {
    command.add_option("--protocol", protocol, "one of " + protocol_names())
        ->capture_default_str()
        ->type_name("NAME");
  }
  command.add_option("--periods", periods, "how many periods the metric runs")
      ->check(CLI::Range(Period{1}, kMaxPeriods))
      ->capture_default_str()
      ->type_name("D");
  command
      .add_option("--changes", changes,
                  "the most changes of one user that are protected and counted")
      ->check(CLI::Range(1U, kMaxChanges))
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
