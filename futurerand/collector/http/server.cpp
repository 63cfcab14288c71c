#include "futurerand/collector/http/server.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/resource.h>

#include "futurerand/collector/http/connection.hpp"

namespace futurerand {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using boost::system::error_code;

// Descriptors reserved for the log, checkpoints and databases.
constexpr rlim_t kReservedDescriptors = 256;
constexpr std::size_t kReservedForOperator = 16;
// Limit of connections with a 503 for lack of room. More of them are closed without an answer.
constexpr std::uint32_t kMaxRefusing = 32;
// While many connections end, a new one waits for them: at most so many pauses of this length.
constexpr int kMaxPauses = 200;
constexpr std::chrono::milliseconds kPause{5};

// Takes all descriptors of the process, and returns the connections' share.
ConnectionLimits connection_limits(const Limits& limits) {
  rlimit descriptors{};
  std::size_t all = limits.max_connections;
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    descriptors.rlim_cur = descriptors.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &descriptors);
    (void)getrlimit(RLIMIT_NOFILE, &descriptors);
    const rlim_t most = descriptors.rlim_cur;
    all = std::min<std::size_t>(all, most - std::min(kReservedDescriptors, most / 4));
  }
  return {all, limits.max_connections_of_address, std::min(kReservedForOperator, all / 8)};
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const ServerOptions& options, HttpHandler& handler)
      : options_(options),
        context_{.limits = options.limits,
                 .handler = handler,
                 .trusted_proxies = options.trusted_proxies,
                 .tls = options.tls,
                 .connections = ConnectionTable(connection_limits(options.limits))},
        workers_(options.threads),
        acceptor_(first().context),
        signals_(first().context),
        hangups_(first().context) {
    if (options.reload) hangups_.add(SIGHUP);
    if (!options.signals) return;
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
  }

  Status bind() {
    error_code failed;
    if (options_.passed_socket) return adopt(*options_.passed_socket);
    const auto address = net::ip::make_address(options_.address, failed);
    if (failed) {
      return Error{"'" + options_.address +
                   "' is not an address; expected an address such as 127.0.0.1"};
    }
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), failed);
    if (!failed) acceptor_.set_option(net::socket_base::reuse_address(true), failed);
    if (!failed) acceptor_.bind(endpoint, failed);
    if (!failed) acceptor_.listen(net::socket_base::max_listen_connections, failed);
    if (failed) {
      return Error{"cannot listen on " + options_.address + ":" + std::to_string(options_.port) +
                   ": " + failed.message()};
    }
    return {};
  }

  // A listening socket from another process.
  Status adopt(int descriptor) {
    error_code failed;
    acceptor_.assign(tcp::v6(), descriptor, failed);
    if (!failed) (void)acceptor_.local_endpoint(failed);
    if (failed) return Error{"cannot use the socket that was passed: " + failed.message()};
    return {};
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void run() {
    net::co_spawn(first().context, accept(), net::detached);
    if (options_.signals) {
      signals_.async_wait([this](error_code failed, int) {
        if (failed) return;
        signals_.clear();  // a second signal ends the process at once
        begin_stop();
      });
    }
    if (options_.reload) await_hangup();
    std::vector<std::thread> threads;
    for (Worker& worker : workers_) {
      if (&worker != &first()) threads.emplace_back([&worker] { worker.context.run(); });
    }
    first().context.run();
    for (std::thread& thread : threads) thread.join();
  }

  void stop() {
    net::post(first().context, [this] { begin_stop(); });
  }

  std::string prometheus() const { return context_.counters.prometheus(context_.tls.get()); }

 private:
  // A thread, its connections and nobody else's: nothing is locked.
  struct Worker {
    net::io_context context{1};
    Outbox outbox{context};
    net::executor_work_guard<net::io_context::executor_type> work{context.get_executor()};
    net::steady_timer drain{context};
    std::unordered_map<std::uint64_t, Connection*> connections;  // by their numbers
  };

  Worker& first() { return workers_.front(); }

  void await_hangup() {
    hangups_.async_wait([this](error_code failed, int) {
      if (failed) return;
      options_.reload();
      await_hangup();
    });
  }

  net::awaitable<void> accept() {
    for (std::size_t next = 0; !context_.stopping; next = (next + 1) % workers_.size()) {
      Worker& worker = workers_[next];
      error_code failed;
      // The other threads may be slower than this one: nobody is refused for that.
      for (int pauses = 0; pauses < kMaxPauses && context_.connections.is_congested(); ++pauses) {
        net::steady_timer pause(co_await net::this_coro::executor, kPause);
        co_await pause.async_wait(net::redirect_error(net::use_awaitable, failed));
      }
      tcp::socket socket = co_await acceptor_.async_accept(
          worker.context, net::redirect_error(net::use_awaitable, failed));
      if (context_.stopping) break;
      if (failed) {
        // Out of descriptors, most likely: let some connections end first.
        (void)context_.connections.end_longest();
        net::steady_timer pause(co_await net::this_coro::executor, std::chrono::milliseconds(50));
        co_await pause.async_wait(net::redirect_error(net::use_awaitable, failed));
        continue;
      }
      std::unique_ptr<ConnectionTable::Place> place = admit(socket);
      const std::uint64_t number = ++connected_;
      if (place == nullptr && refusing_ >= kMaxRefusing) continue;  // closes it
      if (place != nullptr) {
        place->when_ended([&worker, number] {
          net::post(worker.context, [&worker, number] {
            const auto found = worker.connections.find(number);
            if (found != worker.connections.end()) found->second->make_room();
          });
        });
      }
      ++context_.counters.connections;
      net::co_spawn(worker.context, live(worker, number, std::move(socket), std::move(place)),
                    net::detached);
    }
  }

  std::unique_ptr<ConnectionTable::Place> admit(const tcp::socket& socket) {
    error_code failed;
    const auto endpoint = socket.remote_endpoint(failed);
    const Address peer =
        failed ? Address{} : Address::parse(endpoint.address().to_string()).value_or(Address{});
    const auto& proxies = options_.trusted_proxies;
    const bool is_proxy = std::any_of(proxies.begin(), proxies.end(),
                                      [&](const AddressRange& of) { return of.contains(peer); });
    return context_.connections.admit(peer, !is_proxy);
  }

  // One connection from beginning to end. Any end is counted.
  net::awaitable<void> live(Worker& worker, std::uint64_t number, tcp::socket socket,
                            std::unique_ptr<ConnectionTable::Place> place) {
    const bool refused = place == nullptr;
    Connection connection(context_, worker.outbox, std::move(socket), std::move(place));
    worker.connections.emplace(number, &connection);
    try {
      // Not one co_await of a conditional expression: g++ 12 compiles it wrongly.
      if (refused) {
        ++refusing_;
        co_await connection.refuse();
      } else {
        co_await connection.serve();
      }
    } catch (const std::exception&) {
      // Out of memory even for a short answer: this connection ends, the others go on.
    }
    if (refused) --refusing_;
    worker.connections.erase(number);
    --context_.counters.connections;
    if (context_.stopping && worker.connections.empty()) worker.context.stop();
  }

  void begin_stop() {
    if (context_.stopping.exchange(true)) return;
    error_code ignored;
    acceptor_.close(ignored);
    for (Worker& worker : workers_) {
      net::post(worker.context, [this, &worker] {
        for (const auto& [number, connection] : worker.connections) connection->cancel_if_idle();
        if (worker.connections.empty()) worker.context.stop();
        worker.drain.expires_after(options_.drain_timeout);
        worker.drain.async_wait([&worker](error_code) { worker.context.stop(); });
      });
    }
  }

  const ServerOptions options_;
  ServerContext context_;
  std::vector<Worker> workers_;
  tcp::acceptor acceptor_;
  net::signal_set signals_;  // from the beginning: a signal before run() is not lost
  net::signal_set hangups_;
  std::uint64_t connected_ = 0;  // connections so far
  std::atomic<std::uint32_t> refusing_ = 0;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const ServerOptions& options,
                                                       HttpHandler& handler) {
  auto impl = std::make_unique<Impl>(options, handler);
  if (const Status bound = impl->bind(); !bound) return bound.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const { return impl_->port(); }
void HttpServer::run() { impl_->run(); }
void HttpServer::stop() { impl_->stop(); }
std::string HttpServer::prometheus() const { return impl_->prometheus(); }

}  // namespace futurerand
