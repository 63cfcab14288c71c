#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <unistd.h>

#include "apps/cli/event_log.hpp"
#include "apps/cli/failure.hpp"
#include "apps/cli/service_manager.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/serve_cluster.hpp"
#include "apps/commands/serve_flags.hpp"
#include "apps/fleet/playground.hpp"
#include "apps/report/plan_call.hpp"
#include "futurerand/collector/http/page.hpp"
#include "futurerand/collector/http/service.hpp"
#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
namespace {

// Reports the configuration errors of a start. It opens nothing and listens to nobody.
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
  fmt::print("the configuration is valid\n");
}

// A volume that is not mounted looks like a first start, and must not become one.
void check_data(const ServeFlags& flags) {
  namespace fs = std::filesystem;
  if (flags.create || flags.options.api.demo) return;
  std::error_code failed;
  const bool is_empty =
      !fs::exists(flags.data, failed) ||
      (fs::is_directory(flags.data, failed) && fs::is_empty(flags.data, failed) && !failed);
  if (!is_empty) return;
  throw apps::failed(
      "the data folder '" + flags.data +
      "' is empty or missing; expected the folder of a collector, or --create for a first start");
}

void run(const ServeFlags& flags) {
  const EventLog log("serve", flags.log_format);
  const Say say = [&log](Event event, const std::string& line) {
    log.put(kind_of(event).level, kind_of(event).name, line);
  };
  ServiceOptions options = flags.read_options();
#ifdef FUTURERAND_WITH_CLUSTER
  // A collector of a cluster handles signals in one thread. The other threads inherit the blocked
  // signals.
  if (!flags.cluster.empty()) hold_signals();
#endif
  PlanCalls plans(say);
  options.server.signals = true;
  read_access(flags.access, say, options);
  GuardedClock clock({options.clock_patience, say});
  options.api.now = guarded_wall_clock(clock);
  options.api.confirm_clock = [&clock] {
    clock.confirm();
    return true;
  };
  options.api.say = say;
  options.api.routes.push_back(
      {"GET", "/v1/plan", Access::kRead,
       [&plans](const Call& call, const Respond& respond) { plans.take(call, respond); }});
  options.api.assets = page_assets();
  options.store.say = say;
  options.api.is_clock_stopped = [&clock] { return clock.is_stopped(); };
  options.writer.now = options.api.now;
  options.writer.clock = &clock;
  options.writer.say = say;
  options.writer.die = [say](const std::string& line) {
    say(Event::kLogFailed, line + "; stopped, because the durable state is unknown");
    _exit(1);
  };
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
  if (options.api.demo) {
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
  CLI::App* command =
      app.add_subcommand("serve", "Run a collector: devices report, readers get estimates");
  flags->add_to(*command);
  command->footer("Example: futurerand serve --data data --create --admin-token-file token");
  command->callback([flags] {
    try {
      run(*flags);
    } catch (const Failure& failure) {
      if (flags->log_format != LogFormat::kJson) throw;
      // Readers of JSON get no other lines.
      const EventKind& kind = kind_of(Event::kStartFailed);
      EventLog("serve", LogFormat::kJson).put(kind.level, kind.name, failure.what());
      std::exit(failure.status());
    }
  });
}

}  // namespace futurerand::apps
