#include "apps/commands/serve_cluster.hpp"

#include <atomic>
#include <csignal>
#include <future>
#include <memory>
#include <random>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>

#include "apps/cli/failure.hpp"
#include "apps/commands/cluster_file.hpp"
#include "futurerand/collector/cluster/cluster.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/transport/http_connection.hpp"

namespace futurerand::apps {
namespace {

constexpr std::chrono::milliseconds kPeerTimeout{10'000};

// Answers 503 until the collector has joined its cluster. The other collectors come first, with
// their news. Devices and readers follow once this news is applied.
class JoiningHandler final : public HttpHandler {
 public:
  void handle(ApiRequest request, Respond respond) override {
    HttpHandler* const joined = joined_;
    if (joined != nullptr && (open_ || request.target.starts_with("/cluster/"))) {
      return joined->handle(std::move(request), std::move(respond));
    }
    respond(retry_response(503, "joining", "the collector waits for its cluster", 1));
  }
  void joined(HttpHandler& handler) { joined_ = &handler; }
  void open() { open_ = true; }

 private:
  std::atomic<HttpHandler*> joined_ = nullptr;
  std::atomic<bool> open_ = false;
};

PeerConnection connect_peer(const std::string& address, const ClusterFile& file, bool tls) {
  Result<ServerAddress> server = ServerAddress::parse((tls ? "https://" : "http://") + address);
  if (!server) {
    return [error = server.error()](const std::string&, const std::string&) -> Result<PeerReply> {
      return error;
    };
  }
  server->ca_file = file.ca_file;
  server->token = file.secret;
  const auto connection = std::make_shared<HttpConnection>(*server, kPeerTimeout);

  return [connection](const std::string& path, const std::string& body) -> Result<PeerReply> {
    const auto begin = std::chrono::steady_clock::now();
    Result<HttpReply> reply = connection->exchange("POST", path, body);
    // A kept connection, closed by now.
    if (!reply && std::chrono::steady_clock::now() - begin < kPeerTimeout / 4) {
      reply = connection->exchange("POST", path, body);
    }
    if (!reply) return reply.error();
    return PeerReply{reply->status, std::move(reply->body)};
  };
}

std::string random_name() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

// Handles SIGTERM and SIGINT, blocked in all threads. It hands over the shards first, so others
// serve them while the last answers are sent.
void obey_signals(const std::shared_ptr<std::atomic<Cluster*>>& cluster, HttpServer& server,
                  const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  Cluster* const joined = *cluster;
  if (joined == nullptr) _exit(0);  // nobody was promised anything
  joined->leave();
  server.stop();
  sigwait(&signals, &signal);
  _exit(1);
}

}  // namespace

sigset_t hold_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void serve_cluster(const ServeClusterFlags& flags, const ServiceOptions& options) {
  const ClusterFile file = read_cluster_file(flags.file);
  const sigset_t signals = hold_signals();

  ServerOptions server_options = options.server;
  server_options.signals = false;
  JoiningHandler handler;
  Result<std::unique_ptr<HttpServer>> listening = HttpServer::listen(server_options, handler);
  if (!listening) throw failed(listening.error().message);
  const std::unique_ptr<HttpServer> server = *std::move(listening);
  const auto joined = std::make_shared<std::atomic<Cluster*>>(nullptr);
  std::thread([joined, &server = *server, signals] {
    obey_signals(joined, server, signals);
  }).detach();
  std::thread serving([&server] { server->run(); });
  const auto give_up = [&](const std::string& message) {
    server->stop();
    serving.join();
    return failed(message);
  };

  const std::string& address = server_options.address;
  const bool is_ipv6 = address.find(':') != std::string::npos;
  const std::string listens =
      (is_ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(server->port());
  ClusterOptions cluster_options{
      file,
      random_name(),
      flags.advertise.empty() ? listens : flags.advertise,
      options.writer,
      options.hash_key,
      options.clock_patience,
      [file, tls = server_options.tls != nullptr](const std::string& peer) {
        return connect_peer(peer, file, tls);
      },
      server_options.limits.max_body_bytes,
      options.api.say};
  Result<std::unique_ptr<Cluster>> cluster = Cluster::join(cluster_options);
  if (!cluster) throw give_up(cluster.error().message);
  ApiOptions api_options = options.api;
  api_options.now = [self = cluster->get()] { return self->now(); };
  api_options.confirm_clock = [self = cluster->get()] { return self->confirm_clock(); };
  api_options.is_clock_stopped = [self = cluster->get()] { return self->is_clock_stopped(); };
  for (Route& route : (*cluster)->routes()) api_options.routes.push_back(std::move(route));
  if (!api_options.gate.hosts.empty()) {
    const std::string& advertised = cluster_options.address;
    api_options.gate.hosts.push_back(advertised.substr(0, advertised.rfind(':')));
  }
  api_options.extra_metrics = [&server] { return server->prometheus(); };
  Api api(api_options, **cluster);
  *joined = cluster->get();
  handler.joined(api);
  std::promise<void> caught_up;
  (*cluster)->catch_up([&caught_up](bool) { caught_up.set_value(); });
  caught_up.get_future().wait();
  handler.open();
  options.api.say(Event::kListening,
                  fmt::format("listening on {}://{}/ as one of the collectors of a cluster of {}",
                              server_options.tls == nullptr ? "http" : "https", listens,
                              counted((*cluster)->terms().shards, "shard")));
  serving.join();
  options.when_stopping();
  api.stop();
  (*cluster)->stop();
  options.api.say(Event::kStopped, "stopped; everything is in the databases");
}

}  // namespace futurerand::apps
