// Who may do what at a collector: the flags of `serve` for tokens and TLS, and what they name.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "futurerand/collector/http/service.hpp"

namespace futurerand::apps {

struct AccessFlags {
  std::string admin_token_file;
  std::string read_token_file;
  std::string submit_token_file;
  std::string tls_certificate;
  std::string tls_key;

  void add_to(CLI::App& command);
};

// Reads the files into the options, and has SIGHUP read them again: what is wrong then is said, and
// what was read before stays. Throws Failure if something is wrong now.
void read_access(const AccessFlags& flags, const Say& say, ServiceOptions& options);

}  // namespace futurerand::apps
