#include "apps/cli/life_flags.hpp"

#include <fmt/core.h>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

constexpr double kDefaultLiars = 0.01;

}  // namespace

void EstimandFlags::add_to(CLI::App& command) {
  command
      .add_option("--estimand", estimand,
                  "whom to count. active: devices that are enrolled and not gone; enrolled: all "
                  "that ever enrolled. If not given, active where the protocol shows who is")
      ->check(CLI::IsMember({"active", "enrolled"}))
      ->type_name("active|enrolled");
  command
      .add_option("--gone-after", gone_after,
                  "a device is gone once a report that it owes is missing for so many periods")
      ->check(CLI::Range(kMinGoneAfter, kMaxGoneAfter))
      ->capture_default_str()
      ->type_name("G");
}

Estimand EstimandFlags::chosen(const Plan& plan) const {
  const Status shown = shows_who_is_active(plan);
  if (estimand.empty()) return shown ? Estimand::kActive : Estimand::kEnrolled;
  const Estimand asked = *estimand_named(estimand);
  if (asked == Estimand::kActive && !shown) {
    throw bad_input("--estimand active: " + shown.error().message);
  }
  return asked;
}

void LifeFlags::add_to(CLI::App& command) {
  command
      .add_option("--joining", joining,
                  "start: all in period 1; staggered: each in a period drawn uniformly; growth: "
                  "tenfold over the horizon")
      ->check(CLI::IsMember({"start", "staggered", "growth"}))
      ->capture_default_str()
      ->type_name("PATTERN");
  command.add_option("--dropout", pattern.dropout, "how likely a device leaves after a period")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("RATE");
  command
      .add_option("--dropout-factor", pattern.dropout_factor,
                  "so many times as likely after a period in which it holds 1")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str()
      ->type_name("F");
  command
      .add_option("--offline", pattern.offline,
                  "the share of devices that are silent at any time, in pauses of 4 periods on "
                  "average, and catch up afterwards")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("SHARE");
  CLI::Option* lies =
      command
          .add_option(
              "--attack", attack,
              "some devices lie, and hold 0. plus, minus: they send nothing else; view: plus "
              "in the view that moves the last period the most")
          ->check(CLI::IsMember({"plus", "minus", "view"}))
          ->type_name("plus|minus|view");
  command.add_option("--liars", pattern.liars, "with --attack: the share of devices that lie")
      ->check(CLI::Range(0.0, 1.0))
      ->needs(lies)
      ->default_str("0.01")
      ->type_name("SHARE");
  estimand.add_to(command);
}

std::optional<Lives> LifeFlags::lives(Period num_periods, const SimulationKey& key) const {
  LifePattern asked = pattern;
  asked.joining = *joining_named(joining);
  if (!attack.empty()) {
    asked.attack = *attack_named(attack);
    if (pattern.liars == 0) asked.liars = kDefaultLiars;
  }
  if (asked.is_plain()) return std::nullopt;
  return Lives(asked, num_periods, key);
}

std::string LifeFlags::describe() const {
  std::string text = "joining " + joining;
  if (pattern.dropout > 0) {
    text += fmt::format(", {:g}% leave after each period", 100 * pattern.dropout);
    if (pattern.dropout_factor != 1) {
      text += fmt::format(" ({:g} times as many while holding 1)", pattern.dropout_factor);
    }
  }
  if (pattern.offline > 0) text += fmt::format(", {:g}% silent at any time", 100 * pattern.offline);
  if (!attack.empty()) {
    text += fmt::format(", {:g}% lie ({})",
                        100 * (pattern.liars > 0 ? pattern.liars : kDefaultLiars), attack);
  }
  return text;
}

}  // namespace futurerand::apps
