#include "apps/commands/metric_call.hpp"

#include <chrono>

#include <fmt/core.h>

#include "apps/cli/admin_token.hpp"
#include "apps/cli/failure.hpp"
#include "futurerand/transport/http_connection.hpp"
#include "futurerand/wire/error_answer.hpp"

namespace futurerand::apps {

void add_collector_flags(CLI::App& command, CollectorFlags& flags) {
  command.add_option("--to", flags.to, "the collector")->capture_default_str()->type_name("URL");
  command
      .add_option("--admin-token-file", flags.admin_token_file,
                  "file with the admin token in its first line")
      ->type_name("FILE");
  command
      .add_option("--ca-file", flags.ca_file,
                  "CA certificates to trust, as PEM (default: the system's)")
      ->type_name("FILE");
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string metric_path(const std::string& name, const char* call) {
  return "/v1/metrics/" + escaped(name) + call;
}

std::string call(const CollectorFlags& flags, const char* method, const std::string& path,
                 const std::string& body) {
  ServerAddress server = or_bad_input(ServerAddress::parse(flags.to));
  server.ca_file = flags.ca_file;
  server.token = read_admin_token(flags.admin_token_file);
  HttpConnection connection(server, std::chrono::seconds(60));
  const Result<HttpReply> reply = connection.exchange(method, path, body);
  if (!reply) throw failed(reply.error().message);
  if (reply->status < 300) return reply->body;
  const Result<ErrorAnswer> error = parse_error_answer(reply->body);
  const bool lacks_token = reply->status == 401 && flags.admin_token_file.empty();
  throw failed(fmt::format("the collector answered {}: {}{}", reply->status,
                           error ? error->message : reply->body,
                           lacks_token ? "; expected --admin-token-file" : ""));
}

}  // namespace futurerand::apps
