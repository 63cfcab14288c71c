#include "apps/commands/metric_create.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"
#include "apps/commands/metric_call.hpp"
#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/documents/period_dates.hpp"
#include "futurerand/documents/time_zone.hpp"
#include "futurerand/documents/too_noisy.hpp"
#include "futurerand/study/habit.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTwoSided95 = 1.959964;

struct CreateFlags : CollectorFlags {
  std::string name;
  std::string file;
  std::optional<std::string> description, epsilon, period, start, time_zone, value, segment;
  std::optional<std::uint32_t> periods, changes;
  std::uint64_t users = 10'000;
  bool dry_run = false;
};

Json parsed(const std::string& text, const std::string& what) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw bad_input(what + " is no JSON object");
  return json;
}

std::int64_t seconds_of(const std::string& period) {
  if (period == "hour") return 3600;
  if (period == "day") return 86'400;
  if (period == "week") return 604'800;
  const auto seconds = parse_decimal(period);
  if (!seconds || *seconds == 0) {
    throw bad_input("--period is " + period + "; expected hour, day, week, manual, or seconds");
  }
  return static_cast<std::int64_t>(*seconds);
}

// The file's keys, and the flags over them.
Json request_of(const CreateFlags& flags) {
  Json body = flags.file.empty() ? Json{{"periods", 256}, {"max_changes", 4}, {"epsilon", "1"}}
                                 : parsed(read_file(flags.file), flags.file);
  if (flags.description) body["description"] = *flags.description;
  if (flags.periods) body["periods"] = *flags.periods;
  if (flags.changes) body["max_changes"] = *flags.changes;
  if (flags.epsilon) body["epsilon"] = *flags.epsilon;
  if (flags.start) body["start"] = *flags.start;
  if (flags.time_zone) body["time_zone"] = *flags.time_zone;
  if (flags.value) body["value"] = parsed(*flags.value, "--value");
  if (flags.segment) body["segment"] = parsed(*flags.segment, "--segment");
  const bool has_clock = body.contains("clock") || body.contains("period_seconds");
  if (flags.period == "manual") {
    body["clock"] = "manual";
  } else if (flags.period || !has_clock) {
    body["period_seconds"] = seconds_of(flags.period.value_or("day"));
  }
  return body;
}

// Returns today's date where that is the natural start: periods of whole days begin at midnight in
// the metric's time zone. Otherwise, and where the zone or the period is wrong, returns nothing.
std::optional<std::string> midnight_start(const Json& body, Instant now) {
  const auto period = body.find("period_seconds");
  if (body.contains("start") || body.contains("clock") || period == body.end()) return {};
  if (!period->is_number_integer() || period->get<std::int64_t>() % 86'400 != 0) return {};
  const auto name = body.find("time_zone");
  if (name != body.end() && !name->is_string()) return {};
  const Result<TimeZone> zone =
      name == body.end() ? Result<TimeZone>(TimeZone()) : TimeZone::load(name->get<std::string>());
  if (!zone) return {};
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(
      zone->local(std::chrono::floor<std::chrono::seconds>(now)))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(today.year()),
                     static_cast<unsigned>(today.month()), static_cast<unsigned>(today.day()));
}

bool exists(const CreateFlags& flags) {
  try {
    (void)call(flags, "GET", metric_path(flags.name));
    return true;
  } catch (const Failure&) {
    return false;  // whatever else is wrong, creating it says so
  }
}

// How much noisier the shown figure is than a yes/no count.
double noise_factor(const Coding& coding) {
  return coding.kind() == CodingKind::kDistribution ? mean_cumulative_factor(coding.bits())
                                                    : count_factor(coding);
}

// Two significant digits.
std::string short_figure(double value) { return fmt::format("{:.2g}", value); }

std::string figure_text(const Coding& coding, double share) {
  if (const auto* number = std::get_if<NumberCoding>(&coding.settings())) {
    const std::string value = short_figure((number->high - number->low) * share);
    return number->unit.empty() ? value : value + " " + number->unit;
  }
  return short_figure(100 * share) + " percentage points";
}

std::string outlook(const MetricDefinition& metric, std::uint64_t users) {
  const Plan& plan = metric.plan;
  const PeriodDates dates(metric.clock, metric.time_zone);
  std::string text = counted(plan.num_periods, "period");
  if (metric.seasons) {
    text += " in a season, without an end";
  } else if (dates.has_dates()) {
    text += ", " + dates.text(1, plan.num_periods) + " (" + metric.time_zone + ")";
  }
  const double rmse =
      predict_error(plan, static_cast<double>(users)).rmse * std::sqrt(noise_factor(plan.coding));
  const double range = kTwoSided95 * rmse / static_cast<double>(users);
  text += fmt::format("\nwith {}, a figure of one period is off by up to {} (95% confidence)\n",
                      counted(users, "device"), figure_text(plan.coding, range));
  text += fmt::format("a change of {} between two periods can be seen\n",
                      figure_text(plan.coding, std::sqrt(2) * range));
  const double band = 2 * kTwoSided95 * rmse;
  for (const std::string& warning :
       {too_noisy(users, band, 0.95), habit_warning(metric.description, plan)}) {
    if (!warning.empty()) text += "warning: " + warning + "\n";
  }
  return text;
}

void create(const CreateFlags& flags) {
  const Json asked = request_of(flags);
  const auto now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  Json body = asked;
  const std::optional<std::string> midnight = midnight_start(asked, now);
  if (midnight) body["start"] = *midnight;
  const MetricDefinition metric =
      or_bad_input(define_metric(flags.name, body.dump(), now, nullptr, midnight_in));
  fmt::print("{}", outlook(metric, flags.users));
  if (flags.dry_run) return;
  // A metric that exists keeps its start.
  if (midnight && exists(flags)) body = asked;
  (void)call(flags, "PUT", metric_path(flags.name), body.dump());
  fmt::print("created {}\n", flags.name);
}

}  // namespace

void add_metric_create(CLI::App& metric) {
  const auto flags = std::make_shared<CreateFlags>();
  CLI::App* command =
      metric.add_subcommand("create", "Predict the precision of a metric, and create it");
  command->add_option("name", flags->name, "the new metric")->required()->type_name("NAME");
  command->add_option("--description", flags->description, "its question, for people")
      ->type_name("TEXT");
  command->add_option("--periods", flags->periods, "number of periods (default: 256)")
      ->type_name("D");
  command
      ->add_option("--changes", flags->changes,
                   "changes per device counted without bias (default: 4)")
      ->type_name("K");
  command->add_option("--epsilon", flags->epsilon, "privacy budget of a device (default: 1)")
      ->type_name("E");
  command
      ->add_option(
          "--period", flags->period,
          "length of a period: hour, day, week, a number of seconds, or manual (default: day)")
      ->type_name("LENGTH");
  command
      ->add_option("--start", flags->start,
                   "a date in the time zone, or an instant (default: now, or today's midnight for "
                   "periods of days)")
      ->type_name("DATE");
  command
      ->add_option("--time-zone", flags->time_zone,
                   "time zone of its dates, such as Europe/Berlin (default: UTC)")
      ->type_name("ZONE");
  command->add_option("--value", flags->value, "the kind of value, as JSON (default: yes/no)")
      ->type_name("JSON");
  command->add_option("--segment", flags->segment, "a public attribute and its values, as JSON")
      ->type_name("JSON");
  command->add_option("--file", flags->file, "a JSON file of all keys; flags override it")
      ->type_name("FILE");
  command->add_option("--users", flags->users, "number of devices, for the prediction")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->type_name("N");
  command->add_flag("--dry-run", flags->dry_run, "only predict; create nothing");
  add_collector_flags(*command, *flags);
  command->footer(
      "Example: futurerand metric create dark-mode --description 'Is dark mode on?' --periods 64 "
      "--users 50000 --admin-token-file token");
  command->callback([flags] { create(*flags); });
}

}  // namespace futurerand::apps
