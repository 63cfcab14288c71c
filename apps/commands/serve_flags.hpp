// The flags of `serve`. Each writes straight into the options of the service; those that need
// reading are texts here, which `read_options` reads.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/cli/event_log.hpp"
#include "apps/commands/serve_access.hpp"
#include "futurerand/collector/http/service.hpp"

namespace futurerand::apps {

struct ServeFlags {
  ServiceOptions options;
  std::string data;
  std::string cluster;
  std::string advertise;
  std::string listen = "127.0.0.1:8080";
  std::string config;  // read before the others, which it may have
  bool check_config = false;
  bool create = false;
  LogFormat log_format = LogFormat::kText;
  AccessFlags access;
  std::uint64_t max_state_mib = 0;  // 0: half of the memory
  std::vector<std::string> trusted_proxies;

  void add_to(CLI::App& command);

  // Returns the options with all that is still text. Throws Failure if flags contradict each other
  // or a text is wrong. Opens and reads nothing.
  ServiceOptions read_options() const;
};

}  // namespace futurerand::apps
