#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/admin_token.hpp"
#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/progress_bar.hpp"
#include "apps/commands/commands.hpp"
#include "apps/fleet/fleet.hpp"
#include "futurerand/collector/api/sums.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand::apps {
namespace {

struct SwarmFlags {
  std::vector<std::string> to = {"http://127.0.0.1:8080"};
  std::string metric;
  std::string admin_token_file;
  std::string submit_token_file;
  std::string ca_file;
  std::string population = "uniform";
  std::optional<std::uint64_t> seed;
  std::uint32_t until = 0;  // the period to stop after; 0 is the horizon
  bool create = false;
  ProtocolParameters plan;
  FleetFlags fleet;
  Format format = Format::kText;
};

constexpr int kPatience = 100;  // attempts, while a collector restarts
constexpr std::chrono::milliseconds kPause{200};

// Returns nothing if the collector does not answer now; throws Failure if it refuses.
std::optional<std::string> try_call(HttpConnection& connection, const char* method,
                                    const std::string& path, const std::string& body) {
  const Result<HttpReply> reply = connection.exchange(method, path, body);
  if (!reply && reply.error().code == ErrorCode::kUntrusted) throw failed(reply.error().message);
  if (!reply || reply->status == 429 || reply->status >= 500) return std::nullopt;
  if (reply->status >= 300) {
    throw failed(
        fmt::format("{} {} was answered {}: {}", method, path, reply->status, reply->body));
  }
  return reply->body;
}

// `name` is a metric, or one of its seasons: NAME/seasons/S.
std::vector<ViewSumsDocument> fetch_sums(HttpConnection& connection, const std::string& name) {
  for (int i = 0; i < kPatience; ++i) {
    const auto body = try_call(connection, "GET", "/v1/metrics/" + name + "/sums", "");
    if (body) {
      Result<SumsDocument> sums = parse_sums(*body);
      if (!sums) throw failed(sums.error().message);
      return std::move(sums->views);
    }
    std::this_thread::sleep_for(kPause);
  }
  throw failed("the collector does not answer");
}

// Tells whether the collector has counted exactly what the fleet sent, beyond what it had before.
bool matches(std::vector<ViewSumsDocument> before, const std::vector<ViewSumsDocument>& after,
             const std::vector<ViewSumsDocument>& sent) {
  if (before.size() != sent.size()) return false;
  const auto add = [](auto& numbers, const auto& more) {
    if (numbers.size() != more.size()) return false;
    for (std::size_t i = 0; i < more.size(); ++i) numbers[i] += more[i];
    return true;
  };
  for (std::size_t i = 0; i < sent.size(); ++i) {
    ViewSumsDocument& view = before[i];
    if (!add(view.sums, sent[i].sums) || !add(view.counts, sent[i].counts) ||
        !add(view.spoken, sent[i].spoken) || !add(view.enrolled, sent[i].enrolled) ||
        !add(view.snapshot_devices, sent[i].snapshot_devices)) {
      return false;
    }
  }
  return before == after;
}

// Tells whether the collector has counted exactly what the fleet sent, in each season. The seasons
// must be the fleet's alone.
bool seasons_match(HttpConnection& connection, const MetricDefinition& metric,
                   const std::map<std::uint64_t, Sums>& seasons) {
  const std::vector<ViewSumsDocument> nothing = documents_of(metric.plan, Sums(metric.plan));
  for (const auto& [season, sums] : seasons) {
    const std::string name = metric.name + "/seasons/" + std::to_string(season);
    const std::vector<ViewSumsDocument> sent = documents_of(metric.plan, sums);
    if (!matches(nothing, fetch_sums(connection, name), sent)) return false;
  }
  return !seasons.empty();
}

void create_metric(HttpConnection& connection, const SwarmFlags& flags) {
  MetricDefinition metric = default_metric(flags.metric, or_bad_input(chosen_plan(flags.plan)));
  metric.test = true;
  if (!try_call(connection, "PUT", "/v1/metrics/" + flags.metric, to_request(metric))) {
    throw failed("no collector answers at " + flags.to.front());
  }
}

// Waits until the collector's clock shows a later period than this one. An advance whose answer was
// lost shows in the clock, so that none is made twice.
void pass(HttpConnection& connection, const MetricDefinition& metric, Period period) {
  const bool manual = metric.clock.is_manual();
  for (int silence = 0; silence < kPatience;) {
    const Result<PublishedMetric> now = fetch_metric(connection, metric.name);
    if (now && now->current_period > period) return;
    silence = now ? 0 : silence + 1;
    if (now && manual) {
      const std::string path = "/v1/metrics/" + metric.name + "/advance";
      if (try_call(connection, "POST", path, "")) continue;
    }
    std::this_thread::sleep_for(now && !manual ? kPause / 4 : kPause);
  }
  throw failed("the collector does not answer");
}

void print(const SwarmFlags& flags, const FleetTotals& totals, double seconds, bool match) {
  const double rate = static_cast<double>(totals.reports) / seconds;
  if (flags.format == Format::kJson) {
    const nlohmann::ordered_json json = {{"metric", flags.metric},
                                         {"devices", flags.fleet.devices},
                                         {"reports", totals.reports},
                                         {"accepted", totals.accepted},
                                         {"duplicates", totals.duplicates},
                                         {"rejected", totals.rejected},
                                         {"seconds", seconds},
                                         {"reports_per_second", rate},
                                         {"sums_match", match}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print(
      "{} sent {} in {:.1f} s ({:.0f} a second): {} accepted, {} duplicates, {} rejected\n"
      "the collector's sums are {} what the fleet sent\n",
      counted(flags.fleet.devices, "device"), counted(totals.reports, "line"), seconds, rate,
      totals.accepted, totals.duplicates, totals.rejected, match ? "exactly" : "NOT");
}

void run(const SwarmFlags& flags) {
  std::vector<ServerAddress> servers;
  const std::string token = read_admin_token(flags.admin_token_file);
  for (const std::string& url : flags.to) {
    servers.push_back(or_bad_input(ServerAddress::parse(url)));
    servers.back().ca_file = flags.ca_file;
    servers.back().token = token;
  }
  HttpConnection connection(servers.front(), std::chrono::seconds(30));
  if (!flags.submit_token_file.empty()) {
    // As devices have it.
    const std::string submit = read_token("submit", flags.submit_token_file);
    for (ServerAddress& server : servers) server.token = submit;
  }
  if (flags.create) create_metric(connection, flags);
  const Result<PublishedMetric> published = fetch_metric(connection, flags.metric);
  if (!published) throw failed(published.error().message);
  const MetricDefinition& metric = published->definition;
  // A server cannot tell a fleet from devices: what is in a real metric stays in for good.
  if (!metric.test) {
    throw bad_input("metric '" + metric.name +
                    "' is not for tests, and simulated devices cannot be taken out again; expected "
                    "one created with \"test\": true, as --create does");
  }
  if (metric.clock.is_manual() && token.empty()) {
    throw bad_input("this metric's clock is manual; give --admin-token-file to move it");
  }
  const Plan& plan = metric.plan;
  const std::uint64_t seed = flags.seed ? *flags.seed : std::random_device()();
  const Period first = std::max<Period>(published->current_period, 1);
  // A metric without an end runs for a cycle of season and rest, unless --until says otherwise.
  const Period horizon = !metric.seasons ? plan.num_periods
                         : flags.until != 0
                             ? flags.until
                             : first + static_cast<Period>(metric.seasons->cycle()) - 1;
  const Period last = flags.until == 0 ? horizon : std::min<Period>(flags.until, horizon);
  if (first > last) throw failed("the metric's horizon is over");
  const PopulationShape shape{flags.fleet.devices, horizon, plan.max_changes, plan.initial,
                              plan.coding};
  const Population values =
      or_bad_input(Population::named(flags.population, shape, SimulationKey::from_seed(seed)));
  Fleet fleet(flags.fleet, metric, servers, values, seed);

  std::vector<ViewSumsDocument> before;
  if (!metric.seasons) before = fetch_sums(connection, metric.name);
  const auto begin = std::chrono::steady_clock::now();
  {
    ProgressBar progress("swarm");
    for (Period period = first; period <= last; ++period) {
      fleet.observe(period);
      pass(connection, metric, period);
      fleet.send(period == last);
      progress.show(static_cast<double>(period - first + 1) / (last - first + 1));
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  // The sums of a cluster follow the reports after a second or two.
  const std::vector<ViewSumsDocument> sent = documents_of(plan, fleet.sums());
  bool match = false;
  for (int i = 0; i < kPatience && !match; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    match = metric.seasons ? seasons_match(connection, metric, fleet.seasons())
                           : matches(before, fetch_sums(connection, metric.name), sent);
  }
  print(flags, fleet.totals(), took.count(), match);
  if (!match) throw failed("the collector's sums are not those that the fleet sent");
}

void add_share(CLI::App& command, const char* name, double& share, const char* what) {
  command.add_option(name, share, what)->check(CLI::Range(0.0, 1.0))->capture_default_str();
}

}  // namespace

void add_swarm(CLI::App& app) {
  const auto flags = std::make_shared<SwarmFlags>();
  CLI::App* command = app.add_subcommand(
      "swarm", "A fleet of simulated devices against a test metric of a collector");
  command
      ->add_option("--to", flags->to,
                   "the collector; of a cluster several, over which the devices are spread")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("URL,...");
  command->add_option("--metric", flags->metric, "its metric")->required()->type_name("NAME");
  command->add_flag("--create", flags->create,
                    "create the metric first, for tests and with a manual clock");
  command
      ->add_option(
          "--admin-token-file", flags->admin_token_file,
          "its first line is the admin token, which --create and moving a manual clock take")
      ->type_name("FILE");
  command
      ->add_option("--submit-token-file", flags->submit_token_file,
                   "what its devices show; without it the admin's")
      ->type_name("FILE");
  command
      ->add_option("--ca-file", flags->ca_file,
                   "CA certificates to trust, as PEM (default: the system's)")
      ->type_name("FILE");
  command->add_option("--devices,--users", flags->fleet.devices, "how many devices")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->capture_default_str()
      ->type_name("N");
  add_flags(*command, {population_option(flags->population)});
  command->add_option(
      "--seed", flags->seed,
      "makes values and mishaps reproducible; the devices' noise is always the system's");
  command
      ->add_option("--until", flags->until,
                   "stop after this period; a metric without an end otherwise runs for a "
                   "season and a rest")
      ->type_name("T");
  command
      ->add_option("--connections", flags->fleet.connections,
                   "how many connections, and as many threads")
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  command->add_option("--batch", flags->fleet.batch_lines, "how many lines a request has")
      ->check(CLI::Range(1U, 100'000U))
      ->capture_default_str();
  add_share(*command, "--dropout", flags->fleet.dropout,
            "share of the devices that fall silent in each period");
  add_share(*command, "--late", flags->fleet.late,
            "share of the devices that skip sending in each period");
  add_share(*command, "--duplicate", flags->fleet.duplicate,
            "share of the requests that are sent twice");
  add_share(*command, "--lost", flags->fleet.lost, "share of the answers that are thrown away");
  add_share(*command, "--join-late", flags->fleet.join_late,
            "share of the devices that join later");
  add_flags(*command, protocol_options(flags->plan));
  add_format(*command, flags->format);
  command->footer(
      "Example: futurerand swarm --metric demo --create --admin-token-file token --devices 10000");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
