#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include <fmt/core.h>
#include <fmt/ranges.h>
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
  std::vector<std::string> metrics;
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

// The sums of all devices, and those of each segment.
std::vector<ViewSumsDocument> all_views(SumsDocument sums) {
  std::vector<ViewSumsDocument> views = std::move(sums.views);
  for (SegmentSumsDocument& segment : sums.segments) {
    std::move(segment.views.begin(), segment.views.end(), std::back_inserter(views));
  }
  return views;
}

std::vector<ViewSumsDocument> expected_views(const MetricDefinition& metric, const Sums& sums) {
  return all_views(document_of(metric.plan, sums, metric.name, 0, 0));
}

// `name` is a metric, or one of its seasons: NAME/seasons/S.
std::vector<ViewSumsDocument> fetch_sums(HttpConnection& connection, const std::string& name) {
  for (int i = 0; i < kPatience; ++i) {
    const auto body = try_call(connection, "GET", "/v1/metrics/" + name + "/sums", "");
    if (body) {
      Result<SumsDocument> sums = parse_sums(*body);
      if (!sums) throw failed(sums.error().message);
      return all_views(*std::move(sums));
    }
    std::this_thread::sleep_for(kPause);
  }
  throw failed("the collector does not answer");
}

// True if the collector counted exactly the fleet's reports, beyond those of before.
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

// True if the collector counted exactly the fleet's reports in each season. The seasons must
// contain only the fleet.
bool seasons_match(HttpConnection& connection, const MetricDefinition& metric,
                   const std::map<std::uint64_t, Sums>& seasons) {
  const std::vector<ViewSumsDocument> nothing = expected_views(metric, Sums(metric.plan));
  for (const auto& [season, sums] : seasons) {
    const std::string name = metric.name + "/seasons/" + std::to_string(season);
    const std::vector<ViewSumsDocument> sent = expected_views(metric, sums);
    if (!matches(nothing, fetch_sums(connection, name), sent)) return false;
  }
  return !seasons.empty();
}

// Several metrics are a group with equal shares.
void create_metrics(HttpConnection& connection, const SwarmFlags& flags) {
  std::optional<MetricGroup> group;
  if (flags.metrics.size() > 1) {
    std::vector<MetricGroup::Member> members;
    for (const std::string& name : flags.metrics) members.push_back({name, 1});
    group = or_bad_input(MetricGroup::create("swarm", std::move(members)));
  }
  for (const std::string& name : flags.metrics) {
    MetricDefinition metric = default_metric(name, or_bad_input(chosen_plan(flags.plan)));
    metric.test = true;
    metric.group = group;
    if (!try_call(connection, "PUT", "/v1/metrics/" + name, to_request(metric))) {
      throw failed("no collector answers at " + flags.to.front());
    }
  }
}

// Waits until the collector's clock shows a later period than this one. The clock shows an advance
// even if its answer was lost, so none is made twice.
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

// The part of a fleet in one metric. The metrics of a group share the devices.
class Part {
 public:
  Part(const SwarmFlags& flags, const std::vector<ServerAddress>& servers,
       HttpConnection& connection, MetricDefinition metric, Period first, std::uint64_t seed,
       FleetStores* stores)
      : connection_(connection),
        metric_(std::move(metric)),
        first_(first),
        last_(last_period(flags)),
        values_(or_bad_input(
            Population::named(flags.population,
                              {flags.fleet.devices, horizon(flags), metric_.plan.max_changes,
                               metric_.plan.initial, metric_.plan.coding},
                              SimulationKey::from_seed(seed)))),
        fleet_(flags.fleet, metric_, servers, values_, seed, stores) {
    if (!metric_.seasons) before_ = fetch_sums(connection_, metric_.name);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void run(Period period) {
    if (period < first_ || period > last_) return;
    fleet_.observe(period);
    pass(connection_, metric_, period);
    fleet_.send(period == last_);
  }

  // The sums of a cluster follow the reports after a second or two.
  bool sums_match() {
    const std::vector<ViewSumsDocument> sent = expected_views(metric_, fleet_.sums());
    for (int i = 0; i < kPatience; ++i) {
      if (i > 0) std::this_thread::sleep_for(kPause);
      if (metric_.seasons ? seasons_match(connection_, metric_, fleet_.seasons())
                          : matches(before_, fetch_sums(connection_, metric_.name), sent)) {
        return true;
      }
    }
    return false;
  }

  const MetricDefinition& metric() const { return metric_; }
  const Fleet& fleet() const { return fleet_; }
  Period first() const { return first_; }
  Period last() const { return last_; }

 private:
  // A metric without an end runs for a cycle of season and rest, unless --until says otherwise.
  Period horizon(const SwarmFlags& flags) const {
    if (!metric_.seasons) return metric_.plan.num_periods;
    return flags.until != 0 ? flags.until
                            : first_ + static_cast<Period>(metric_.seasons->cycle()) - 1;
  }
  Period last_period(const SwarmFlags& flags) const {
    return flags.until == 0 ? horizon(flags) : std::min<Period>(flags.until, horizon(flags));
  }

  HttpConnection& connection_;
  MetricDefinition metric_;
  Period first_, last_;
  Population values_;
  Fleet fleet_;
  std::vector<ViewSumsDocument> before_;
};

using Parts = std::vector<std::unique_ptr<Part>>;

void print(const SwarmFlags& flags, const Parts& parts, double seconds, bool match) {
  FleetTotals totals;
  for (const auto& part : parts) totals.merge(part->fleet().totals());
  const double rate = static_cast<double>(totals.reports) / seconds;
  if (flags.format == Format::kJson) {
    nlohmann::ordered_json json = {{"metric", fmt::format("{}", fmt::join(flags.metrics, ","))},
                                   {"devices", flags.fleet.devices},
                                   {"reports", totals.reports},
                                   {"accepted", totals.accepted},
                                   {"duplicates", totals.duplicates},
                                   {"rejected", totals.rejected},
                                   {"seconds", seconds},
                                   {"reports_per_second", rate},
                                   {"sums_match", match}};
    for (const auto& part : parts) {
      if (parts.size() == 1) break;
      json["joined"][part->metric().name] = part->fleet().num_joined();
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} sent {} in {:.1f} s ({:.0f} a second): {} accepted, {} duplicates, {} rejected\n",
             counted(flags.fleet.devices, "device"), counted(totals.reports, "line"), seconds, rate,
             totals.accepted, totals.duplicates, totals.rejected);
  for (const auto& part : parts) {
    if (parts.size() == 1) break;
    fmt::print("{} drew {}\n", counted(part->fleet().num_joined(), "device"), part->metric().name);
  }
  fmt::print("the collector's sums are {} what the fleet sent\n", match ? "exactly" : "NOT");
}

// Asks for the metrics, and checks that they are for tests, and of several that they are a group.
std::vector<PublishedMetric> fetch_metrics(HttpConnection& connection, const SwarmFlags& flags,
                                           bool is_admin) {
  std::vector<PublishedMetric> all;
  for (const std::string& name : flags.metrics) {
    Result<PublishedMetric> published = fetch_metric(connection, name);
    if (!published) throw failed(published.error().message);
    const MetricDefinition& metric = published->definition;
    // A server cannot distinguish a fleet from devices: counted reports of a fleet stay in a real
    // metric forever.
    if (!metric.test) {
      throw bad_input("metric '" + metric.name +
                      "' is no test metric, and simulated devices cannot be removed again; "
                      "expected one created with \"test\": true, as --create does");
    }
    if (metric.clock.is_manual() && !is_admin) {
      throw bad_input("this metric's clock is manual; give --admin-token-file to move it");
    }
    const bool one_group =
        metric.group && (all.empty() || metric.group == all.front().definition.group);
    if (flags.metrics.size() > 1 && !one_group) {
      throw bad_input("metric '" + metric.name +
                      "' is not in a group with the others; expected one metric, or metrics of "
                      "one group");
    }
    if (flags.metrics.size() > 1 && metric.seasons) {
      throw bad_input("metric '" + metric.name +
                      "' has no end; expected metrics with a horizon, or this one alone");
    }
    all.push_back(*std::move(published));
  }
  return all;
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
  if (flags.create) create_metrics(connection, flags);
  std::vector<PublishedMetric> metrics = fetch_metrics(connection, flags, !token.empty());
  std::uint64_t seed = flags.seed ? *flags.seed : std::random_device()();
  FleetStores stores(metrics.size() > 1 ? flags.fleet.devices : 0);
  Parts parts;
  for (PublishedMetric& metric : metrics) {
    parts.push_back(std::make_unique<Part>(flags, servers, connection, std::move(metric.definition),
                                           std::max<Period>(metric.current_period, 1), seed,
                                           stores.empty() ? nullptr : &stores));
    seed += flags.fleet.connections;  // other values for each metric
  }
  Period first = parts.front()->first(), last = 0;
  for (const auto& part : parts) {
    if (part->first() > part->last()) throw failed("the metric's horizon is over");
    first = std::min(first, part->first());
    last = std::max(last, part->last());
  }
  const auto begin = std::chrono::steady_clock::now();
  {
    ProgressBar progress("swarm");
    for (Period period = first; period <= last; ++period) {
      for (const auto& part : parts) part->run(period);
      progress.show(static_cast<double>(period - first + 1) / (last - first + 1));
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  bool match = true;
  for (const auto& part : parts) match = part->sums_match() && match;
  print(flags, parts, took.count(), match);
  if (!match) throw failed("the collector's sums are not those of the fleet");
}

void add_share(CLI::App& command, const char* name, double& share, const char* what) {
  command.add_option(name, share, what)->check(CLI::Range(0.0, 1.0))->capture_default_str();
}

}  // namespace

void add_swarm(CLI::App& app) {
  const auto flags = std::make_shared<SwarmFlags>();
  CLI::App* command =
      app.add_subcommand("swarm", "Run simulated devices against a test metric of a collector");
  command
      ->add_option(
          "--to", flags->to,
          "the collector, or several collectors of a cluster; devices are spread over them")
      ->delimiter(',')
      ->default_str("http://127.0.0.1:8080")
      ->type_name("URL,...");
  command
      ->add_option("--metric", flags->metrics,
                   "its metric; or several of one group, of which each device draws one")
      ->required()
      ->delimiter(',')
      ->type_name("NAME,...");
  command->add_flag(
      "--create", flags->create,
      "create the metric first, for tests and with a manual clock; several become a group");
  command
      ->add_option(
          "--admin-token-file", flags->admin_token_file,
          "file with the admin token in its first line, for --create and for moving a manual clock")
      ->type_name("FILE");
  command
      ->add_option("--submit-token-file", flags->submit_token_file,
                   "file with the token of the devices (default: the admin token)")
      ->type_name("FILE");
  command
      ->add_option("--ca-file", flags->ca_file,
                   "CA certificates to trust, as PEM (default: the system's)")
      ->type_name("FILE");
  command->add_option("--devices,--users", flags->fleet.devices, "number of devices")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->capture_default_str()
      ->type_name("N");
  add_flags(*command, {population_option(flags->population)});
  command->add_option(
      "--seed", flags->seed,
      "makes values and faults reproducible; the noise always comes from the system");
  command
      ->add_option("--until", flags->until,
                   "stop after this period; default: the horizon, or one season and rest of a "
                   "metric without an end")
      ->type_name("T");
  command
      ->add_option("--connections", flags->fleet.connections, "number of connections and threads")
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  command->add_option("--batch", flags->fleet.batch_lines, "lines per request")
      ->check(CLI::Range(1U, 100'000U))
      ->capture_default_str();
  add_share(*command, "--dropout", flags->fleet.dropout,
            "share of devices that leave in each period");
  add_share(*command, "--late", flags->fleet.late,
            "share of devices that skip sending in each period");
  add_share(*command, "--duplicate", flags->fleet.duplicate, "share of requests sent twice");
  add_share(*command, "--lost", flags->fleet.lost, "share of answers thrown away");
  add_share(*command, "--join-late", flags->fleet.join_late, "share of devices that join later");
  add_flags(*command, protocol_options(flags->plan));
  add_format(*command, flags->format);
  command->footer(
      "Example: futurerand swarm --metric demo --create --admin-token-file token --devices 10000");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
