#include "apps/cli/churn_flags.hpp"

#include "apps/cli/flags.hpp"

namespace futurerand::apps {
namespace {

constexpr double kDefaultLiars = 0.01;

std::vector<std::string> attack_names() {
  std::vector<std::string> names;
  for (const Attack attack : kAttacks) names.emplace_back(name_of(attack));
  return names;
}

}  // namespace

void EstimandFlags::add_to(CLI::App& command) {
  command
      .add_option("--estimand", estimand,
                  "whom to count. active: devices that are enrolled and not gone; enrolled: all "
                  "that ever enrolled. If not given, active where the protocol shows who is")
      ->check(CLI::IsMember({"active", "enrolled"}))
      ->type_name("active|enrolled");
  command
      .add_option("--inactive-after", inactive_after,
                  "a device is gone once a report that it owes is missing for so many periods")
      ->check(in_range(kInactiveAfterRange))
      ->capture_default_str()
      ->type_name("G");
  command.add_flag("--uncapped", uncapped,
                   "count every device as what its reports say, also where hardly any honest "
                   "device's say so much (innovation)");
}

std::optional<Estimand> EstimandFlags::asked() const {
  return estimand.empty() ? std::nullopt : estimand_named(estimand);
}

void ChurnFlags::add_to(CLI::App& command) {
  command
      .add_option("--joining", joining,
                  "start: all in period 1; staggered: each in a period drawn uniformly; growth: "
                  "tenfold over the horizon")
      ->check(CLI::IsMember({"start", "staggered", "growth"}))
      ->capture_default_str()
      ->type_name("PATTERN");
  command.add_option("--dropout", pattern.dropout, "how likely a device leaves after a period")
      ->check(in_range(kDropoutRange))
      ->capture_default_str()
      ->type_name("RATE");
  command
      .add_option("--dropout-factor", pattern.dropout_factor,
                  "so many times as likely after a period in which it holds 1")
      ->check(in_range(kDropoutFactorRange))
      ->capture_default_str()
      ->type_name("F");
  command
      .add_option("--offline", pattern.offline,
                  "the share of devices that are silent at any time, in pauses of 4 periods on "
                  "average, and catch up afterwards")
      ->check(in_range(kOfflineRange))
      ->capture_default_str()
      ->type_name("SHARE");
  CLI::Option* lies =
      command
          .add_option(
              "--attack", attack,
              "some devices lie, and hold 0. plus, minus: they send nothing else; view: one sign, "
              "in "
              "the view where it moves the last period the most; changes: in the one of those that "
              "report changes; flips: one up to the middle of the horizon, then the other; mass: "
              "as view, all enrolling in one period after the middle; hidden: what no test tells "
              "from honest noise")
          ->check(CLI::IsMember(attack_names()))
          ->type_name("NAME");
  command.add_option("--liars", pattern.liars, "with --attack: the share of devices that lie")
      ->check(in_range(kLiarsRange))
      ->needs(lies)
      ->default_str("0.01")
      ->type_name("SHARE");
  estimand.add_to(command);
}

ChurnPattern ChurnFlags::asked() const {
  ChurnPattern churn = pattern;
  churn.joining = *joining_named(joining);
  if (!attack.empty()) {
    churn.attack = *attack_named(attack);
    if (churn.liars == 0) churn.liars = kDefaultLiars;
  }
  return churn;
}

}  // namespace futurerand::apps
