// Calls of an operator to a collector, for the commands `metric ...`.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace futurerand::apps {

// Which collector, and with which token.
struct CollectorFlags {
  std::string to = "http://127.0.0.1:8080";
  std::string admin_token_file;
  std::string ca_file;
};

void add_collector_flags(CLI::App& command, CollectorFlags& flags);

// Returns the path of a metric and one of its calls, such as "/close".
std::string metric_path(const std::string& name, const char* call = "");
// Escapes what a path or a query cannot have.
std::string escaped(const std::string& text);

// Returns the body of a successful answer. Throws Failure with the collector's message otherwise.
std::string call(const CollectorFlags& flags, const char* method, const std::string& path,
                 const std::string& body = {});

}  // namespace futurerand::apps
