#include "futurerand/collector/http/server.hpp"

#include <list>
#include <thread>
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

#include "futurerand/collector/http/connection.hpp"

namespace futurerand {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using boost::system::error_code;

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const ServerOptions& options, HttpHandler& handler)
      : options_(options),
        context_{options.limits, handler, options.trusted_proxies, options.tls},
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

  // A socket that somebody else made to listen.
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
    net::executor_work_guard<net::io_context::executor_type> work{context.get_executor()};
    net::steady_timer drain{context};
    std::list<Connection*> connections;
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
      tcp::socket socket = co_await acceptor_.async_accept(
          worker.context, net::redirect_error(net::use_awaitable, failed));
      if (context_.stopping) break;
      if (failed) {
        // Out of descriptors, most likely: let some connections end first.
        net::steady_timer pause(co_await net::this_coro::executor, std::chrono::milliseconds(50));
        co_await pause.async_wait(net::redirect_error(net::use_awaitable, failed));
        continue;
      }
      const bool refused =
          context_.counters.connections.fetch_add(1) >= options_.limits.max_connections;
      net::co_spawn(worker.context, live(worker, std::move(socket), refused), net::detached);
    }
  }

  // The life of one connection: whatever ends it, it is counted out.
  net::awaitable<void> live(Worker& worker, tcp::socket socket, bool refused) {
    Connection connection(context_, std::move(socket));
    const auto place = worker.connections.insert(worker.connections.end(), &connection);
    try {
      // Not one co_await of a conditional expression: g++ 12 compiles that wrongly.
      if (refused) {
        co_await connection.refuse();
      } else {
        co_await connection.serve();
      }
    } catch (const std::exception&) {
      // Out of memory even for a short answer: this connection ends, the others go on.
    }
    worker.connections.erase(place);
    --context_.counters.connections;
    if (context_.stopping && worker.connections.empty()) worker.context.stop();
  }

  void begin_stop() {
    if (context_.stopping.exchange(true)) return;
    error_code ignored;
    acceptor_.close(ignored);
    for (Worker& worker : workers_) {
      net::post(worker.context, [this, &worker] {
        for (Connection* connection : worker.connections) connection->cancel_if_idle();
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
  net::signal_set signals_;  // from the beginning: one that comes before run() is not lost
  net::signal_set hangups_;
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
