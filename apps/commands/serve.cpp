#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <unistd.h>

#include "apps/cli/event_log.hpp"
#include "apps/cli/failure.hpp"
#include "apps/cli/service_manager.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/serve_access.hpp"
#include "apps/commands/serve_cluster.hpp"
#include "apps/fleet/playground.hpp"
#include "apps/report/plan_call.hpp"
#include "futurerand/collector/http/page.hpp"
#include "futurerand/collector/http/service.hpp"
#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
namespace {

struct ServeFlags {
  std::string data;
  std::string cluster;
  std::string advertise;
  std::string listen = "127.0.0.1:8080";
  std::string config;  // read before the others, which it may have
  bool check_config = false;
  LogFormat log_format = LogFormat::kText;
  AccessFlags access;
  bool demo = false;
  bool create = false;
  std::uint32_t clock_patience = 600;
  std::uint32_t erase_after = 7 * 86'400;
  bool keep_log = false;
  bool repair = false;
  unsigned threads = 2;
  std::uint32_t max_connections = 4096;
  std::uint32_t max_connections_of_address = 1024;
  std::uint64_t max_body_bytes = std::uint64_t{8} << 20;
  std::uint64_t max_bodies_mib = 256;
  std::uint32_t header_timeout_ms = 10'000;
  std::uint32_t body_timeout_ms = 30'000;
  std::uint64_t checkpoint_bytes = std::uint64_t{64} << 20;
  std::uint64_t max_state_mib = 0;
  std::uint32_t max_streams = 256;
  std::uint32_t stall_ms = 10'000;
  double lines_per_second = RateLimits{}.lines_per_second;
  double enrolments_per_hour = RateLimits{}.enrolments_per_hour;
  std::vector<std::string> trusted_proxies;
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
};

// Reads what a flag has: ADDRESS:PORT, with [ADDRESS]:PORT for IPv6.
std::pair<std::string, std::uint16_t> read_place(const std::string& flag, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool number = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string::npos;
  if (!number || std::stoi(port) > 65535) {
    throw bad_input(flag + " '" + text +
                    "' is wrong; expected an address and a port such as 127.0.0.1:8080");
  }
  std::string address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  return {address, static_cast<std::uint16_t>(std::stoi(port))};
}

// The other collectors of a cluster must be able to reach this one.
void check_advertised(const ServeFlags& flags, const ServerOptions& server) {
  if (!flags.advertise.empty()) {
    if (flags.cluster.empty()) throw bad_input("--advertise is for a collector with --cluster");
    const auto [address, port] = read_place("--advertise", flags.advertise);
    if (address.empty() || port == 0) {
      throw bad_input("--advertise '" + flags.advertise +
                      "' is wrong; expected where others reach this collector, such as "
                      "10.0.0.7:8080");
    }
  } else if (!flags.cluster.empty() && (server.address == "0.0.0.0" || server.address == "::")) {
    throw bad_input("--listen '" + flags.listen +
                    "' does not say where the other collectors reach this one; expected "
                    "--advertise HOST:PORT too");
  }
}

// Returns half of the memory that this machine, or the container that it is, has.
std::uint64_t half_of_memory() {
  std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const char* limit :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t container = 0;
    if (std::ifstream(limit) >> container && container > 0) bytes = std::min(bytes, container);
  }
  return bytes / 2;
}

void read_strangers(const ServeFlags& flags, ServiceOptions& options) {
  for (const std::string& text : flags.trusted_proxies) {
    const std::optional<AddressRange> range = AddressRange::parse(text);
    if (!range) {
      throw bad_input("--trusted-proxy '" + text +
                      "' is wrong; expected an address or a range such as 10.0.0.0/8");
    }
    options.server.trusted_proxies.push_back(*range);
  }
  for (const std::string& origin : flags.origins) {
    if (!is_origin(origin)) {
      throw bad_input("--allow-origin '" + origin +
                      "' is wrong; expected one such as https://example.org");
    }
  }
  options.api.gate = {flags.hosts, flags.origins};
  options.api.rates = {flags.lines_per_second, flags.enrolments_per_hour};
}

// What a start would find wrong, without one: nothing is opened and nobody is listened to.
void check_config(const ServeFlags& flags, const ServiceOptions& options) {
  unsigned char bytes[16];
  const char* address = options.server.address.c_str();
  if (inet_pton(AF_INET, address, bytes) != 1 && inet_pton(AF_INET6, address, bytes) != 1) {
    throw bad_input("--listen has '" + options.server.address +
                    "'; expected an address such as 127.0.0.1");
  }
  if (std::filesystem::exists(flags.data) && !std::filesystem::is_directory(flags.data)) {
    throw bad_input("--data '" + flags.data + "' is not a folder");
  }
  if (options.server.tls != nullptr && options.server.tls->expires() <= std::time(nullptr)) {
    throw bad_input("the TLS certificate has expired");
  }
  fmt::print("the configuration is in order\n");
}

// A volume that is not mounted looks like a first start, and must not become one.
void check_data(const ServeFlags& flags) {
  namespace fs = std::filesystem;
  if (flags.create || flags.demo) return;
  std::error_code failed;
  const bool is_empty =
      !fs::exists(flags.data, failed) ||
      (fs::is_directory(flags.data, failed) && fs::is_empty(flags.data, failed) && !failed);
  if (!is_empty) return;
  throw apps::failed("the data folder '" + flags.data +
                     "' is empty or missing; expected one that a collector made, or --create for "
                     "a first start");
}

void run(const ServeFlags& flags) {
  const EventLog log("serve", flags.log_format);
  const Say say = [&log](Event event, const std::string& line) {
    log.put(kind_of(event).level, kind_of(event).name, line);
  };
  if (flags.data.empty() == flags.cluster.empty()) {
    throw bad_input("expected either --data or --cluster");
  }
  if (!flags.cluster.empty() && (flags.demo || flags.repair || flags.keep_log)) {
    throw bad_input("--demo, --repair and --keep-log are for a collector with --data");
  }
#ifdef FUTURERAND_WITH_CLUSTER
  // A collector of a cluster takes signals in one thread. The others inherit that they are held.
  if (!flags.cluster.empty()) hold_signals();
#endif
  PlanCalls plans(say);
  ServiceOptions options;
  std::tie(options.server.address, options.server.port) = read_place("--listen", flags.listen);
  check_advertised(flags, options.server);
  options.server.threads = flags.threads;
  Limits& limits = options.server.limits;
  limits.max_connections = flags.max_connections;
  limits.max_connections_of_address = flags.max_connections_of_address;
  limits.max_body_bytes = flags.max_body_bytes;
  limits.max_bodies_bytes = flags.max_bodies_mib << 20;
  limits.header_timeout = std::chrono::milliseconds(flags.header_timeout_ms);
  limits.body_timeout = std::chrono::milliseconds(flags.body_timeout_ms);
  limits.max_streams = flags.max_streams;
  limits.stall_timeout = std::min(limits.stall_timeout, limits.body_timeout);
  options.server.signals = true;
  read_strangers(flags, options);
  options.api.stall_limit = std::chrono::milliseconds(flags.stall_ms);
  read_access(flags.access, say, options);
  GuardedClock clock({std::chrono::seconds(flags.clock_patience), say});
  options.api.now = guarded_wall_clock(clock);
  options.api.confirm_clock = [&clock] {
    clock.confirm();
    return true;
  };
  options.api.demo = flags.demo;
  options.api.say = say;
  options.api.max_body_bytes = flags.max_body_bytes;
  options.api.routes.push_back(
      {"GET", "/v1/plan", Access::kRead,
       [&plans](const Call& call, const Respond& respond) { plans.take(call, respond); }});
  options.api.assets = page_assets();
  options.store.folder = flags.data;
  options.store.keep_log = flags.keep_log;
  options.store.repair = flags.repair;
  options.store.say = say;
  options.writer.now = options.api.now;
  options.writer.clock = &clock;
  options.clock_patience = std::chrono::seconds(flags.clock_patience);
  options.writer.erase_after = std::chrono::seconds(flags.erase_after);
  options.writer.say = say;
  options.writer.die = [say](const std::string& line) {
    say(Event::kLogFailed, line + "; stopped, so that nothing is promised that is not kept");
    _exit(1);
  };
  options.writer.checkpoint_bytes = flags.checkpoint_bytes;
  options.writer.max_state_bytes =
      flags.max_state_mib > 0 ? flags.max_state_mib << 20 : half_of_memory();
  options.hash_key = HashKey::random();
  if (flags.check_config) return check_config(flags, options);
  options.server.passed_socket = passed_socket();
  // The last checkpoint may take a while.
  options.when_stopping = [&plans] {
    notify_manager("STOPPING=1");
    plans.stop();
  };

  if (!flags.cluster.empty()) {
#ifdef FUTURERAND_WITH_CLUSTER
    return serve_cluster({flags.cluster, flags.advertise}, options);
#else
    throw bad_input("this build has no cluster; build with -DFUTURERAND_CLUSTER=ON");
#endif
  }

  options.api.routes.push_back({"GET", "/v1/cluster", Access::kAdmin, at_once([](const Call&) {
                                  return error_response(404, "no_cluster",
                                                        "this collector is the only one");
                                })});
  Playground playground;
  if (flags.demo) {
    options.api.routes.push_back(
        {"POST", "/v1/playground", Access::kRead,
         at_once([&playground](const Call& call) { return playground.call(call); })});
  }

  check_data(flags);
  Result<std::unique_ptr<Service>> started = Service::start(options);
  if (!started) throw failed(started.error().message);
  const std::unique_ptr<Service> service = *std::move(started);
  std::uint64_t devices = 0;
  const std::shared_ptr<const Snapshot> snapshot = service->writer().snapshot();
  for (const auto& [name, number] : *snapshot->numbers) {
    devices += snapshot->metrics[number]->devices;
  }
  say(Event::kListening,
      fmt::format("listening on {}://{}:{}/ with {} and {}",
                  options.server.tls == nullptr ? "http" : "https", options.server.address,
                  service->port(), counted(snapshot->numbers->size(), "metric"),
                  counted(devices, "device")));
  if (flags.access.admin_token_file.empty()) {
    say(Event::kNoAdminToken, "without --admin-token-file nobody can create metrics");
  }
  playground.attach(service->writer());
  notify_manager("READY=1");
  service->run();
  playground.detach();
  say(Event::kStopped, "stopped; everything is on disk");
}

}  // namespace

void add_serve(CLI::App& app) {
  const auto flags = std::make_shared<ServeFlags>();
  CLI::App* command = app.add_subcommand("serve", "The collector: devices report, anyone reads");
  command->add_option("--data", flags->data, "folder of the log; see --create")->type_name("DIR");
  command
      ->add_option("--cluster", flags->cluster,
                   "instead of --data: one of the collectors of the cluster in this file")
      ->type_name("FILE");
  command
      ->add_option("--advertise", flags->advertise,
                   "where the cluster's other collectors reach this one; without it --listen")
      ->type_name("HOST:PORT");
  command->add_option("--listen", flags->listen, "address and port; port 0 takes a free one")
      ->capture_default_str()
      ->type_name("ADDRESS:PORT");
  flags->access.add_to(*command);
  command
      ->add_option(
          "--config", flags->config,
          "TOML with any of these flags; the command line and the environment are stronger")
      ->type_name("FILE");
  command->add_flag("--check-config", flags->check_config, "say what is wrong, and do not start");
  command->add_option("--log-format", flags->log_format, "text or json, one line an event")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, LogFormat>{{"text", LogFormat::kText}, {"json", LogFormat::kJson}}))
      ->type_name("text|json");
  command->add_flag("--demo", flags->demo,
                    "take seeded reports, run simulated fleets: never for real data");
  command->add_flag("--create", flags->create, "make the data folder if it is empty or missing");
  command->add_flag("--keep-log", flags->keep_log, "keep the log after checkpoints");
  command->add_flag("--repair", flags->repair, "keep only what comes before damage in the log");
  command->add_option("--threads", flags->threads, "threads that speak HTTP")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  command
      ->add_option("--max-connections", flags->max_connections,
                   "how many connections; beyond it the one that waits longest is closed")
      ->check(CLI::Range(1U, 1U << 20))
      ->capture_default_str();
  command
      ->add_option("--max-connections-of-address", flags->max_connections_of_address,
                   "how many connections one address may have, unless it is a trusted proxy")
      ->check(CLI::Range(1U, 1U << 20))
      ->capture_default_str();
  command->add_option("--max-body-bytes", flags->max_body_bytes, "larger bodies are answered 413")
      ->check(CLI::Range(std::uint64_t{1024}, std::uint64_t{1} << 30))
      ->capture_default_str();
  command
      ->add_option("--max-bodies-mib", flags->max_bodies_mib,
                   "memory for all bodies being received; what does not fit is answered 429")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->capture_default_str();
  command
      ->add_option("--header-timeout-ms", flags->header_timeout_ms,
                   "how long receiving headers may take; longer is answered 408")
      ->check(CLI::Range(10U, 3'600'000U))
      ->capture_default_str();
  command
      ->add_option("--body-timeout-ms", flags->body_timeout_ms,
                   "how long receiving a body may take; longer is answered 408")
      ->check(CLI::Range(10U, 3'600'000U))
      ->capture_default_str();
  command
      ->add_option("--checkpoint-bytes", flags->checkpoint_bytes,
                   "take a checkpoint after so much log (more if the state is larger)")
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 40))
      ->capture_default_str();
  command
      ->add_option("--max-state-mib", flags->max_state_mib,
                   "memory of devices and sums beyond which nobody enrols (429); 0: half of what "
                   "there is")
      ->capture_default_str();
  command
      ->add_option("--max-streams", flags->max_streams,
                   "how many event streams; more are answered 503")
      ->capture_default_str();
  command
      ->add_option("--clock-patience", flags->clock_patience,
                   "seconds that a clock has to go on evenly after a jump before it is believed")
      ->capture_default_str();
  command
      ->add_option("--erase-after", flags->erase_after,
                   "seconds from the end of a metric until what is known of its devices is erased")
      ->capture_default_str();
  command
      ->add_option("--stall-ms", flags->stall_ms,
                   "a write that the disk does not finish for so long makes /readyz fail")
      ->check(CLI::Range(10U, 3'600'000U))
      ->capture_default_str();
  command
      ->add_option("--lines-per-second", flags->lines_per_second,
                   "how many lines one address may send, on average; 0: no limit")
      ->check(CLI::Range(0.0, 1e12))
      ->capture_default_str();
  command
      ->add_option("--enrolments-per-hour", flags->enrolments_per_hour,
                   "how many devices one address may enrol, on average; 0: no limit")
      ->check(CLI::Range(0.0, 1e12))
      ->capture_default_str();
  command
      ->add_option("--trusted-proxy", flags->trusted_proxies,
                   "whose X-Forwarded-For says who sends; may be repeated")
      ->type_name("CIDR");
  command
      ->add_option("--host", flags->hosts,
                   "a host name that it answers to; may be repeated; any if not given")
      ->type_name("NAME");
  command
      ->add_option("--allow-origin", flags->origins,
                   "a web page's origin that may use it from browsers; may be repeated")
      ->type_name("ORIGIN");
  command->footer("Example: futurerand serve --data data --create --admin-token-file token");
  command->callback([flags] {
    try {
      run(*flags);
    } catch (const Failure& failure) {
      if (flags->log_format != LogFormat::kJson) throw;
      // Whoever reads JSON gets nothing else.
      const EventKind& kind = kind_of(Event::kStartFailed);
      EventLog("serve", LogFormat::kJson).put(kind.level, kind.name, failure.what());
      std::exit(failure.status());
    }
  });
}

}  // namespace futurerand::apps
