#include "apps/commands/serve_flags.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <unistd.h>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

// A duration, in units of its type.
template <typename Duration>
CLI::Option* add_duration(CLI::App& command, const char* flag, Duration& member, const char* help) {
  return command
      .add_option_function<std::uint32_t>(
          flag, [&member](std::uint32_t count) { member = Duration(count); }, help)
      ->default_str(std::to_string(member.count()));
}

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
      throw bad_input(
          "--advertise '" + flags.advertise +
          "' is wrong; expected an address for the other collectors, such as 10.0.0.7:8080");
    }
  } else if (!flags.cluster.empty() && (server.address == "0.0.0.0" || server.address == "::")) {
    throw bad_input(
        "--listen '" + flags.listen +
        "' is not an address for the other collectors; expected --advertise HOST:PORT too");
  }
}

// Returns half of the memory of this machine or container.
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

// Listening address, storage, and kind of operation.
void add_places(CLI::App& command, ServeFlags& flags) {
  command.add_option("--data", flags.data, "the data folder; see --create")->type_name("DIR");
  command
      .add_option("--cluster", flags.cluster,
                  "instead of --data: join the cluster described in this file")
      ->type_name("FILE");
  command
      .add_option(
          "--advertise", flags.advertise,
          "this collector's address for the others in its cluster (default: that of --listen)")
      ->type_name("HOST:PORT");
  command.add_option("--listen", flags.listen, "address and port; port 0 picks a free one")
      ->capture_default_str()
      ->type_name("ADDRESS:PORT");
  flags.access.add_to(command);
  command
      .add_option(
          "--config", flags.config,
          "TOML file with any of these flags; the command line and the environment override it")
      ->type_name("FILE");
  command.add_flag("--check-config", flags.check_config,
                   "report every configuration error and exit");
  command.add_option("--log-format", flags.log_format, "format of the log, one line per event")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, LogFormat>{{"text", LogFormat::kText}, {"json", LogFormat::kJson}}))
      ->type_name("text|json");
  command.add_flag("--demo", flags.options.api.demo,
                   "accept seeded reports and run simulated fleets; never for real data");
  command.add_flag("--create", flags.create, "create the data folder if it is empty or missing");
  command.add_flag("--keep-log", flags.options.store.keep_log,
                   "keep the log after checkpoints, as an audit trail");
  command.add_flag("--repair", flags.options.store.repair,
                   "start from a damaged log: keep a copy, and the part before the damage");
}

// Limits for one client and for all of them.
void add_limits(CLI::App& command, ServerOptions& server, RateLimits& rates) {
  Limits& limits = server.limits;
  command.add_option("--threads", server.threads, "number of HTTP threads")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  command
      .add_option("--max-connections", limits.max_connections,
                  "maximum number of connections; above it, the longest-idle one is closed")
      ->check(CLI::Range(1U, 1U << 20))
      ->capture_default_str();
  command
      .add_option("--max-connections-of-address", limits.max_connections_of_address,
                  "maximum number of connections per address, except trusted proxies")
      ->check(CLI::Range(1U, 1U << 20))
      ->capture_default_str();
  command
      .add_option("--max-body-bytes", limits.max_body_bytes,
                  "maximum size of a body; larger ones get 413")
      ->check(CLI::Range(std::uint64_t{1024}, std::uint64_t{1} << 30))
      ->capture_default_str();
  command
      .add_option_function<std::uint64_t>(
          "--max-bodies-mib", [&limits](std::uint64_t mib) { limits.max_bodies_bytes = mib << 20; },
          "memory for all bodies in transit; above it, requests get 429")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->default_str(std::to_string(limits.max_bodies_bytes >> 20));
  add_duration(command, "--header-timeout-ms", limits.header_timeout,
               "time limit for receiving headers; above it, requests get 408")
      ->check(CLI::Range(10U, 3'600'000U));
  add_duration(command, "--body-timeout-ms", limits.body_timeout,
               "time limit for receiving a body; above it, requests get 408")
      ->check(CLI::Range(10U, 3'600'000U));
  command
      .add_option("--max-streams", limits.max_streams,
                  "maximum number of event streams; further ones get 503")
      ->capture_default_str();
  command
      .add_option("--lines-per-second", rates.lines_per_second,
                  "mean rate of lines per address; 0: no limit")
      ->check(CLI::Range(0.0, 1e12))
      ->capture_default_str();
  command
      .add_option("--enrolments-per-hour", rates.enrolments_per_hour,
                  "mean rate of enrolments per address; 0: no limit")
      ->check(CLI::Range(0.0, 1e12))
      ->capture_default_str();
}

}  // namespace

void ServeFlags::add_to(CLI::App& command) {
  add_places(command, *this);
  add_limits(command, options.server, options.api.rates);
  command
      .add_option("--checkpoint-bytes", options.writer.checkpoint_bytes,
                  "size of the log that triggers a checkpoint; more if the state is larger")
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 40))
      ->capture_default_str();
  command
      .add_option("--max-state-mib", max_state_mib,
                  "memory for devices and sums; above it, new devices get 429; 0: half of the "
                  "machine's memory")
      ->capture_default_str();
  command
      .add_option_function<std::uint64_t>(
          "--max-metric-mib",
          [this](std::uint64_t mib) { options.api.max_metric_bytes = mib << 20; },
          "memory for the sums of one metric; a larger metric is rejected")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->default_str(std::to_string(options.api.max_metric_bytes >> 20));
  command
      .add_option_function<std::uint32_t>(
          "--clock-patience",
          [this](std::uint32_t seconds) { options.clock_patience = std::chrono::seconds(seconds); },
          "seconds of even running after which a clock that jumped is trusted again")
      ->default_str(std::to_string(options.clock_patience / std::chrono::seconds(1)));
  add_duration(command, "--erase-after", options.writer.erase_after,
               "seconds from the end of a metric to the erasure of its device records");
  add_duration(command, "--stall-ms", options.api.stall_limit,
               "/readyz fails if one write takes longer than this")
      ->check(CLI::Range(10U, 3'600'000U));
  command
      .add_option("--trusted-proxy", trusted_proxies,
                  "proxies with a trusted X-Forwarded-For; may be repeated")
      ->type_name("CIDR");
  command
      .add_option("--host", options.api.gate.hosts,
                  "an accepted host name; may be repeated; default: any")
      ->type_name("NAME");
  command
      .add_option("--allow-origin", options.api.gate.origins,
                  "a web origin allowed by CORS; may be repeated")
      ->type_name("ORIGIN");
  command
      .add_option("--frame-ancestor", options.api.frame_ancestors,
                  "a web origin allowed to show the page in a frame; may be repeated")
      ->type_name("ORIGIN");
}

ServiceOptions ServeFlags::read_options() const {
  if (data.empty() == cluster.empty()) throw bad_input("expected either --data or --cluster");
  if (!cluster.empty() && (options.api.demo || options.store.repair || options.store.keep_log)) {
    throw bad_input("--demo, --repair and --keep-log are for a collector with --data");
  }
  ServiceOptions read = options;
  std::tie(read.server.address, read.server.port) = read_place("--listen", listen);
  check_advertised(*this, read.server);
  for (const std::string& text : trusted_proxies) {
    const std::optional<AddressRange> range = AddressRange::parse(text);
    if (!range) {
      throw bad_input("--trusted-proxy '" + text +
                      "' is wrong; expected an address or a range such as 10.0.0.0/8");
    }
    read.server.trusted_proxies.push_back(*range);
  }
  for (const std::string& origin : options.api.gate.origins) {
    if (!is_origin(origin)) {
      throw bad_input("--allow-origin '" + origin +
                      "' is wrong; expected one such as https://example.org");
    }
  }
  for (const std::string& origin : options.api.frame_ancestors) {
    if (!is_origin(origin)) {
      throw bad_input("--frame-ancestor '" + origin +
                      "' is wrong; expected one such as https://example.org");
    }
  }
  Limits& limits = read.server.limits;
  limits.stall_timeout = std::min(limits.stall_timeout, limits.body_timeout);
  read.api.max_body_bytes = limits.max_body_bytes;
  read.store.folder = data;
  read.writer.max_state_bytes = max_state_mib > 0 ? max_state_mib << 20 : half_of_memory();
  return read;
}

}  // namespace futurerand::apps
