// Access to a collector: the flags of `serve` for tokens and TLS, and their files.
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

// Reads the files into the options. SIGHUP reads them again: an invalid file is logged, and the old
// content stays in use.
void read_access(const AccessFlags& flags, const Say& say, ServiceOptions& options);

}  // namespace futurerand::apps
