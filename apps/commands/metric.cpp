// `futurerand metric ...`: what an operator does with the metrics of a collector.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/admin_token.hpp"
#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/input_file.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/commands/commands.hpp"
#include "futurerand/documents/exported_metric.hpp"
#include "futurerand/transport/http_connection.hpp"
#include "futurerand/wire/error_answer.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

struct MetricFlags {
  std::string to = "http://127.0.0.1:8080";
  std::string admin_token_file;
  std::string ca_file;
  std::string name;
  std::string file;                // of create and import
  std::vector<std::string> files;  // of merge
  std::string output;
  std::string state;
  std::string archived = "false";
  bool undo = false;
  bool yes = false;
  Format format = Format::kText;
};

// What a name or a word may have in a path or a query.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string path_of(const MetricFlags& flags, const char* call = "") {
  return "/v1/metrics/" + escaped(flags.name) + call;
}

// The body of an answer that says yes; Failure in the collector's words otherwise.
std::string call(const MetricFlags& flags, const char* method, const std::string& path,
                 const std::string& body = {}) {
  ServerAddress server = or_bad_input(ServerAddress::parse(flags.to));
  server.ca_file = flags.ca_file;
  server.token = read_admin_token(flags.admin_token_file);
  HttpConnection connection(server, std::chrono::seconds(60));
  const Result<HttpReply> reply = connection.exchange(method, path, body);
  if (!reply) throw failed(reply.error().message);
  if (reply->status < 300) return reply->body;
  const Result<ErrorAnswer> error = parse_error_answer(reply->body);
  throw failed(fmt::format("the collector answered {}: {}", reply->status,
                           error ? error->message : reply->body));
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
  if (!metric.is_object() || !metric.contains("plan")) throw failed("no metric was answered");
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
    if (!page.is_object() || !page.contains("metrics")) throw failed("no list was answered");
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

void remove(const MetricFlags& flags) {
  if (!flags.yes) {
    throw bad_input(
        "deleting '" + flags.name +
        "' cannot be undone: its definition, its devices and its sums go, with the next "
        "checkpoint from the disk too; add --yes");
  }
  (void)call(flags, "DELETE", path_of(flags));
  fmt::print("deleted {}\n", flags.name);
}

void end(const MetricFlags& flags) {
  if (!flags.yes && !flags.undo) {
    throw bad_input("'" + flags.name +
                    "' would take nothing any more. It can be reopened with --undo until what is "
                    "known of its devices is erased; add --yes");
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

// Of those that ask a collector.
CLI::App* add_call(CLI::App& metric, const std::shared_ptr<MetricFlags>& flags, const char* name,
                   const char* what, void (*run)(const MetricFlags&)) {
  CLI::App* command = add(metric, flags, name, what, run);
  command->add_option("--to", flags->to, "the collector")->capture_default_str()->type_name("URL");
  command
      ->add_option("--admin-token-file", flags->admin_token_file,
                   "its first line is the admin token")
      ->type_name("FILE");
  command
      ->add_option("--ca-file", flags->ca_file,
                   "whose certificates are believed (PEM); without it the system's authorities")
      ->type_name("FILE");
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
  CLI::App* metric = app.add_subcommand("metric", "The metrics of a collector, for its operator");
  metric->require_subcommand(1);
  metric->footer("Example: futurerand metric close dark-mode --admin-token-file token --yes");

  CLI::App* command = add_call(*metric, flags, "list", "Lists them by name", list);
  command->add_option("--name", flags->name, "with this in their name")->type_name("TEXT");
  command->add_option("--state", flags->state, "in this state")
      ->check(CLI::IsMember({"waiting", "open", "grace", "closed"}));
  command->add_option("--archived", flags->archived, "those that are archived")
      ->check(CLI::IsMember({"false", "true", "all"}))
      ->capture_default_str();
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "show", "Shows one", [](const MetricFlags& given) {
    print_metric(given, call(given, "GET", path_of(given)), "");
  });
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "close", "Ends one before its time: its sums stay", end);
  command->add_flag("--yes", flags->yes, "it takes nothing any more");
  command->add_flag("--undo", flags->undo, "reopens it, until its devices are erased");
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "archive", "Puts a closed one out of sight",
                      [](const MetricFlags& given) {
                        const std::string body = given.undo ? R"({"archived":false})" : "";
                        print_metric(given, call(given, "POST", path_of(given, "/archive"), body),
                                     given.undo ? "back in sight: " : "archived ");
                      });
  command->add_flag("--undo", flags->undo, "brings it back");
  add_format(*command, flags->format);

  command = add_named(*metric, flags, "delete", "Deletes one and all that was counted", remove);
  command->add_flag("--yes", flags->yes, "it cannot be undone");

  command = add_named(*metric, flags, "export", "Writes definition and sums to a file",
                      [](const MetricFlags& given) {
                        write_file(given.output, call(given, "GET", path_of(given, "/export")));
                      });
  command->add_option("--output", flags->output, "the file; default: standard output")
      ->type_name("FILE");

  command = add_named(
      *metric, flags, "import", "Makes a closed metric from a file", [](const MetricFlags& given) {
        print_metric(given, call(given, "POST", path_of(given, "/import"), read_file(given.file)),
                     "imported ");
      });
  command->add_option("--file", flags->file, "what export or merge wrote")
      ->required()
      ->type_name("FILE");
  add_format(*command, flags->format);

  command = add(*metric, flags, "merge",
                "Adds up what collectors counted of different devices of one metric", merge);
  command->add_option("files", flags->files, "what export wrote, one file a collector")
      ->required()
      ->expected(2, 10'000)
      ->type_name("FILE");
  command->add_option("--output", flags->output, "the file; default: standard output")
      ->type_name("FILE");
  command->footer("Example: futurerand metric merge east.json west.json --output all.json");
}

}  // namespace futurerand::apps
