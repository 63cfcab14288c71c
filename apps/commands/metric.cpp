// `futurerand metric ...`: what an operator does with the metrics of a collector.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/input_file.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/cli/usage_error.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/metric_call.hpp"
#include "apps/commands/metric_create.hpp"
#include "futurerand/documents/exported_metric.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

struct MetricFlags : CollectorFlags {
  std::string name;
  std::string file;                // of import
  std::vector<std::string> files;  // of merge
  std::string output;
  std::string state;
  std::string archived = "false";
  std::string date;  // of annotate
  std::uint32_t period = 0;
  std::string text;
  bool undo = false;
  bool yes = false;
  Format format = Format::kText;
};

std::string path_of(const MetricFlags& flags, const char* call = "") {
  return metric_path(flags.name, call);
}

std::string text_at(const Json& json, const char* key) {
  const auto at = json.find(key);
  if (at == json.end() || at->is_null()) return "";
  return at->is_string() ? at->get<std::string>() : at->dump();
}

// The period that is running, or the last one once the horizon is over.
std::uint64_t shown_period(const Json& metric) {
  const std::uint64_t current = metric.value("current_period", std::uint64_t{0});
  if (metric.contains("seasons")) return current;
  return std::min(current, metric["plan"].value("periods", std::uint64_t{0}));
}

// The horizon; a metric with seasons has none.
std::string horizon_of(const Json& metric, const std::string& of) {
  return metric.contains("seasons") ? "" : of + text_at(metric["plan"], "periods");
}

void print_metric(const MetricFlags& flags, const std::string& answer, const std::string& did) {
  if (flags.format == Format::kJson) {
    fmt::print("{}", answer);
    return;
  }
  const Json metric = Json::parse(answer, nullptr, false);
  if (!metric.is_object() || !metric.contains("plan"))
    throw failed("the answer is no metric; expected one");
  fmt::print("{}{}: {}{}, period {}{}, {} devices, {} reports\n", did, text_at(metric, "name"),
             text_at(metric, "state"), metric.contains("archived") ? ", archived" : "",
             shown_period(metric), horizon_of(metric, " of "), text_at(metric, "devices"),
             text_at(metric, "reports"));
}

void list(const MetricFlags& flags) {
  const std::string query = "/v1/metrics?archived=" + escaped(flags.archived) +
                            "&state=" + escaped(flags.state) + "&name=" + escaped(flags.name);
  Json all = Json::array();
  std::string after;
  do {  // page by page
    const Json page = Json::parse(call(flags, "GET", query + "&limit=100&after=" + escaped(after)),
                                  nullptr, false);
    if (!page.is_object() || !page.contains("metrics"))
      throw failed("the answer is no list of metrics; expected one");
    for (const Json& metric : page["metrics"]) all.push_back(metric);
    after = text_at(page, "next");
  } while (!after.empty());
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", Json{{"metrics", all}}.dump(2));
    return;
  }
  for (const Json& metric : all) {
    fmt::print("{:<32} {:<8} {:>7}{:<8} {:>12} devices  {}\n", text_at(metric, "name"),
               metric.contains("archived") ? "archived" : text_at(metric, "state"),
               shown_period(metric), horizon_of(metric, "/"), text_at(metric, "devices"),
               text_at(metric, "description"));
  }
}

void annotate(const MetricFlags& flags) {
  if (flags.date.empty() == (flags.period == 0)) {
    throw bad_input("expected --date, or --period for a metric with a manual clock");
  }
  if (flags.text.empty() != flags.undo) throw bad_input("expected --text, or --remove");
  Json body{{"text", flags.text}};
  if (flags.period > 0) {
    body["period"] = flags.period;
  } else {
    body["date"] = flags.date;
  }
  const std::string answer = call(flags, "PUT", path_of(flags, "/annotations"), body.dump());
  if (flags.format == Format::kJson) {
    fmt::print("{}", answer);
    return;
  }
  const Json metric = Json::parse(answer, nullptr, false);
  if (!metric.is_object()) throw failed("no metric was answered");
  const Json notes = metric.value("annotations", Json::array());
  for (const Json& note : notes) {
    fmt::print("{:<18} {}\n",
               note["date"].is_null() ? "period " + text_at(note, "period") : text_at(note, "date"),
               text_at(note, "text"));
  }
  if (notes.empty()) fmt::print("{} has no annotations\n", flags.name);
}

void remove(const MetricFlags& flags) {
  if (!flags.yes) {
    throw bad_input("deleting '" + flags.name +
                    "' cannot be undone. It erases the definition, the device records and the "
                    "sums; they leave the disk with the next checkpoint. Add --yes");
  }
  (void)call(flags, "DELETE", path_of(flags));
  fmt::print("deleted {}\n", flags.name);
}

void end(const MetricFlags& flags) {
  if (!flags.yes && !flags.undo) {
    throw bad_input("'" + flags.name +
                    "' would reject all further reports. --undo reopens it until its device "
                    "records are erased. Add --yes");
  }
  const std::string body = flags.undo ? R"({"closed":false})" : "";
  print_metric(flags, call(flags, "POST", path_of(flags, "/close"), body),
               flags.undo ? "open again: " : "closed ");
}

void write_file(const std::string& path, const std::string& text) {
  TextSink sink(path);
  sink.write(text);
  sink.commit();
}

void merge(const MetricFlags& flags) {
  std::optional<ExportedMetric> all;
  for (const std::string& path : flags.files) {
    Result<ExportedMetric> next = parse_exported_metric(read_file(path));
    if (!next) throw bad_input(path + ": " + next.error().message);
    if (!all) {
      all = *std::move(next);
      continue;
    }
    Result<ExportedMetric> both = merged(*all, *next);
    if (!both) throw bad_input(path + ": " + both.error().message);
    all = *std::move(both);
  }
  write_file(flags.output, to_json(*all) + "\n");
}

CLI::App* add(CLI::App& metric, const std::shared_ptr<MetricFlags>& flags, const char* name,
              const char* what, void (*run)(const MetricFlags&)) {
  CLI::App* command = metric.add_subcommand(name, what);
  command->callback([flags, run] { run(*flags); });
  return command;
}

// Adds a command that calls a collector.
CLI::App* add_call(CLI::App& metric, const std::shared_ptr<MetricFlags>& flags, const char* name,
                   const char* what, void (*run)(const MetricFlags&)) {
  CLI::App* command = add(metric, flags, name, what, run);
  add_collector_flags(*command, *flags);
  command->footer(fmt::format("Example: futurerand metric {}{} --admin-token-file token", name,
                              std::string_view(name) == "list" ? "" : " dark-mode"));
  return command;
}

CLI::App* add_named(CLI::App& metric, const std::shared_ptr<MetricFlags>& flags, const char* name,
                    const char* what, void (*run)(const MetricFlags&)) {
  CLI::App* command = add_call(metric, flags, name, what, run);
  command->add_option("name", flags->name, "the metric")->required()->type_name("NAME");
  return command;
}

}  // namespace

void add_metric(CLI::App& app) {
  const auto flags = std::make_shared<MetricFlags>();
  CLI::App* metric = app.add_subcommand("metric", "List and manage the metrics of a collector");
  metric->require_subcommand(1);
  metric->footer("Example: futurerand metric close dark-mode --admin-token-file token --yes");

  add_metric_create(*metric);
  CLI::App* command = add_call(*metric, flags, "list", "List the metrics by name", list);
  command->add_option("--name", flags->name, "only metrics with this text in their name")
      ->type_name("TEXT");
  command->add_option("--state", flags->state, "only metrics in this state")
      ->check(one_of({"waiting", "open", "grace", "closed"}))
      ->type_name("waiting|open|grace|closed");
  command
      ->add_option("--archived", flags->archived,
                   "false: no archived metrics; true: only these; all: both")
      ->check(one_of({"false", "true", "all"}))
      ->type_name("false|true|all")
      ->capture_default_str();
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "show", "Show one metric", [](const MetricFlags& given) {
    print_metric(given, call(given, "GET", path_of(given)), "");
  });
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "close", "End a metric early; its sums stay", end);
  command->add_flag("--yes", flags->yes, "confirm: the metric rejects all further reports");
  command->add_flag("--undo", flags->undo,
                    "reopen it, as long as its device records are not erased");
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "archive", "Remove a closed metric from the list",
                      [](const MetricFlags& given) {
                        const std::string body = given.undo ? R"({"archived":false})" : "";
                        print_metric(given, call(given, "POST", path_of(given, "/archive"), body),
                                     given.undo ? "restored " : "archived ");
                      });
  command->add_flag("--undo", flags->undo, "restore it to the list");
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "annotate", "Set or remove a note on a date", annotate);
  command
      ->add_option("--date", flags->date, "a day in the metric's time zone, or an instant in UTC")
      ->type_name("DATE");
  command
      ->add_option("--period", flags->period,
                   "a period instead of a date, for a metric with a manual clock")
      ->type_name("P");
  command->add_option("--text", flags->text, "the note; everybody who reads the metric sees it")
      ->type_name("TEXT");
  command->add_flag("--remove", flags->undo, "remove the note of this date");
  command->footer(
      "Example: futurerand metric annotate dark-mode --date 2026-11-12 --text 'Release 2.0' "
      "--admin-token-file token");
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "delete", "Delete a metric and all its counts", remove);
  command->add_flag("--yes", flags->yes, "confirm: this cannot be undone");

  command =
      add_named(*metric, flags, "export", "Write the definition and the sums of a metric to a file",
                [](const MetricFlags& given) {
                  write_file(given.output, call(given, "GET", path_of(given, "/export")));
                });
  command->add_option("--output", flags->output, "the file; default: standard output")
      ->type_name("FILE");

  command = add_named(
      *metric, flags, "import", "Create a closed metric from a file written by export or merge",
      [](const MetricFlags& given) {
        print_metric(given, call(given, "POST", path_of(given, "/import"), read_file(given.file)),
                     "imported ");
      });
  command->add_option("--file", flags->file, "a file written by export or merge")
      ->required()
      ->type_name("FILE");
  add_format(*command, flags->format);

  command =
      add(*metric, flags, "merge",
          "Add the exports of several collectors with different devices of one metric", merge);
  command->add_option("files", flags->files, "files written by export, one per collector")
      ->required()
      ->expected(2, 10'000)
      ->type_name("FILE");
  command->add_option("--output", flags->output, "the file; default: standard output")
      ->type_name("FILE");
  command->footer("Example: futurerand metric merge east.json west.json --output all.json");
}

}  // namespace futurerand::apps
