#include "futurerand/collector/http/server.hpp"

#include <array>
#include <atomic>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

namespace futurerand {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;
using Parser = http::request_parser<http::string_body>;
using boost::system::error_code;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::chrono::milliseconds kEventInterval{200};
constexpr std::chrono::milliseconds kLinger{1000};
constexpr std::size_t kMaxLingerBytes = 16 << 20;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The text of a response. By hand: this is where a collector of small reports spends its time.
std::string serialize(const ApiResponse& response, bool keep_alive, bool head) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  out.append(reason.data(), reason.size());
  out += "\r\nX-Content-Type-Options: nosniff\r\n";
  bool cache = false;
  for (const auto& [name, value] : response.headers) {
    cache = cache || name == "Cache-Control";
    out += name + ": " + value + "\r\n";
  }
  if (!cache) out += "Cache-Control: no-store\r\n";
  if (!keep_alive) out += "Connection: close\r\n";
  if (response.status != 304) {
    out += "Content-Type: " + response.content_type +
           "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  out += "\r\n";
  if (!head && response.status != 304) out += response.body;
  return out;
}

std::string text_of(const Parser& parser, http::field field) {
  const auto value = parser.get()[field];
  return {value.data(), value.size()};
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const ServerOptions& options, HttpHandler& handler)
      : options_(options),
        handler_(handler),
        workers_(options.threads),
        acceptor_(first().context) {}

  Status bind() {
    error_code failed;
    const auto address = net::ip::make_address(options_.address, failed);
    if (failed)
      return Error{"'" + options_.address + "' is not an address; expected such as 127.0.0.1"};
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

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void run(bool signals) {
    net::co_spawn(first().context, accept(), net::detached);
    net::signal_set signal_set(first().context);
    if (signals) {
      signal_set.add(SIGTERM);
      signal_set.add(SIGINT);
      signal_set.async_wait([this, &signal_set](error_code failed, int) {
        if (failed) return;
        signal_set.clear();  // a second signal ends the process at once
        begin_stop();
      });
    }
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

  std::string prometheus() const {
    std::string out =
        "# HELP futurerand_connections Connections open.\n"
        "# TYPE futurerand_connections gauge\n"
        "futurerand_connections " +
        std::to_string(connections_) +
        "\n# HELP futurerand_requests_total Requests answered, by class of status.\n"
        "# TYPE futurerand_requests_total counter\n";
    for (std::size_t i = 1; i < requests_.size(); ++i) {
      out += "futurerand_requests_total{status=\"" + std::to_string(i) + "xx\"} " +
             std::to_string(requests_[i]) + "\n";
    }
    return out;
  }

 private:
  struct Session {
    explicit Session(tcp::socket socket) : stream(std::move(socket)) {}
    beast::tcp_stream stream;
    beast::flat_buffer buffer{kReadBytes};
    bool idle = true;  // between requests: may be closed at once
  };

  // A thread, its connections and nobody else's: nothing is locked.
  struct Worker {
    net::io_context context{1};
    net::executor_work_guard<net::io_context::executor_type> work{context.get_executor()};
    net::steady_timer drain{context};
    std::list<Session*> sessions;
  };

  // Bytes of bodies being read, given back when the request is answered.
  class Reservation {
   public:
    Reservation(std::atomic<std::uint64_t>& total, std::uint64_t bytes, std::uint64_t limit)
        : total_(total), bytes_(bytes), granted_(total.fetch_add(bytes) + bytes <= limit) {}
    ~Reservation() { total_ -= bytes_; }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    bool granted() const { return granted_; }

   private:
    std::atomic<std::uint64_t>& total_;
    std::uint64_t bytes_;
    bool granted_;
  };

  Worker& first() { return workers_.front(); }

  net::awaitable<void> accept() {
    for (std::size_t next = 0; !stopping_; next = (next + 1) % workers_.size()) {
      Worker& worker = workers_[next];
      error_code failed;
      tcp::socket socket = co_await acceptor_.async_accept(
          worker.context, net::redirect_error(net::use_awaitable, failed));
      if (stopping_) break;
      if (failed) {
        // Out of descriptors, most likely: let some connections end first.
        net::steady_timer pause(co_await net::this_coro::executor, std::chrono::milliseconds(50));
        co_await pause.async_wait(net::redirect_error(net::use_awaitable, failed));
        continue;
      }
      const bool refused = connections_.fetch_add(1) >= options_.max_connections;
      net::co_spawn(worker.context, session(worker, std::move(socket), refused), net::detached);
    }
  }

  // In a coroutine of its own so that whatever ends it, the connection is counted out.
  net::awaitable<void> session(Worker& worker, tcp::socket socket, bool refused) {
    Session session(std::move(socket));
    const auto place = worker.sessions.insert(worker.sessions.end(), &session);
    error_code ignored;
    session.stream.socket().set_option(tcp::no_delay(true), ignored);
    if (refused) {
      co_await send(session,
                    retry_response(503, "connections", "too many connections; try again", 1), false,
                    false);
    } else {
      try {
        co_await serve(session);
      } catch (const std::exception&) {
        // Out of memory for this request: its connection ends, the others go on.
      }
    }
    co_await linger(session);
    session.stream.close();
    worker.sessions.erase(place);
    --connections_;
    if (stopping_ && worker.sessions.empty()) worker.context.stop();
  }

  // Closing with unread bytes resets the connection, and the other side would never see the answer.
  net::awaitable<void> linger(Session& session) {
    error_code failed;
    session.stream.socket().shutdown(tcp::socket::shutdown_send, failed);
    session.stream.expires_after(kLinger);
    session.buffer.clear();
    for (std::size_t total = 0; !failed && total < kMaxLingerBytes;) {
      total += co_await session.stream.async_read_some(
          session.buffer.prepare(kReadBytes), net::redirect_error(net::use_awaitable, failed));
    }
  }

  net::awaitable<void> serve(Session& session) {
    while (!stopping_) {
      if (session.buffer.size() == 0) {
        session.idle = true;
        error_code failed;
        session.stream.expires_after(options_.idle_timeout);
        const std::size_t size = co_await session.stream.async_read_some(
            session.buffer.prepare(kReadBytes), net::redirect_error(net::use_awaitable, failed));
        if (failed) co_return;
        session.buffer.commit(size);
      }
      session.idle = false;
      if (!co_await exchange(session)) co_return;
    }
  }

  // One request and its response. False if the connection is to end.
  net::awaitable<bool> exchange(Session& session) {
    Parser parser;
    parser.header_limit(options_.max_header_bytes);
    parser.body_limit(options_.max_body_bytes);
    error_code failed;
    session.stream.expires_after(options_.header_timeout);
    co_await http::async_read_header(session.stream, session.buffer, parser,
                                     net::redirect_error(net::use_awaitable, failed));
    if (failed == http::error::body_limit)
      co_return co_await send(session, too_large(), false, false);
    if (failed) co_return co_await refuse_unread(session, failed);

    const bool has_body = parser.chunked() || parser.content_length_remaining().value_or(0) > 0;
    const std::uint64_t length =
        !has_body ? 0 : parser.content_length_remaining().value_or(options_.max_body_bytes);
    const Reservation reservation(bodies_bytes_, length, options_.max_bodies_bytes);
    if (has_body) {
      if (!reservation.granted()) {
        co_return co_await send(
            session, retry_response(429, "busy", "too many bodies at once; send this again", 1),
            false, false);
      }
      session.stream.expires_after(options_.body_timeout);
      if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
        co_await net::async_write(session.stream, net::buffer(kContinue),
                                  net::redirect_error(net::use_awaitable, failed));
        if (failed) co_return false;
      }
      co_await http::async_read(session.stream, session.buffer, parser,
                                net::redirect_error(net::use_awaitable, failed));
      if (failed == http::error::body_limit) {
        co_return co_await send(session, too_large(), false, false);
      }
      if (failed) co_return co_await refuse_unread(session, failed);
    }

    const bool keep_alive = parser.keep_alive();
    const auto method = parser.get().method_string();
    const auto target = parser.get().target();
    ApiRequest request{{method.data(), method.size()},
                       {target.data(), target.size()},
                       std::move(parser.get().body()),
                       text_of(parser, http::field::authorization),
                       text_of(parser, http::field::accept),
                       text_of(parser, http::field::content_encoding),
                       text_of(parser, http::field::accept_encoding),
                       text_of(parser, http::field::if_none_match)};
    const bool head = request.method == "HEAD";
    if (const std::unique_ptr<ResponseStream> events = handler_.open_events(request)) {
      co_await stream_events(session, *events);
      co_return false;
    }
    const ApiResponse response = co_await answer(std::move(request));
    co_return co_await send(session, response, keep_alive && !stopping_, head);
  }

  // The API may answer from the writer's thread: comes back to this connection's.
  net::awaitable<ApiResponse> answer(ApiRequest request) {
    return net::async_initiate<const net::use_awaitable_t<>&, void(ApiResponse)>(
        [this](auto handler, ApiRequest asked) {
          auto shared = std::make_shared<decltype(handler)>(std::move(handler));
          handler_.handle(std::move(asked), [shared](ApiResponse response) {
            net::post(net::get_associated_executor(*shared),
                      [shared, response = std::move(response)]() mutable {
                        (*shared)(std::move(response));
                      });
          });
        },
        net::use_awaitable, std::move(request));
  }

  net::awaitable<bool> send(Session& session, const ApiResponse& response, bool keep_alive,
                            bool head) {
    const std::string text = serialize(response, keep_alive, head);
    ++requests_[static_cast<std::size_t>(response.status / 100) % requests_.size()];
    error_code failed;
    session.stream.expires_after(options_.write_timeout);
    co_await net::async_write(session.stream, net::buffer(text),
                              net::redirect_error(net::use_awaitable, failed));
    co_return !failed && keep_alive;
  }

  net::awaitable<bool> refuse_unread(Session& session, error_code failed) {
    if (failed == http::error::header_limit) {
      co_return co_await send(session, error_response(431, "header_too_large", "headers too large"),
                              false, false);
    }
    if (failed == beast::error::timeout) {
      co_return co_await send(session, error_response(408, "timeout", "the request took too long"),
                              false, false);
    }
    if (failed == http::error::end_of_stream || failed == http::error::partial_message ||
        failed.category() != make_error_code(http::error::bad_target).category()) {
      co_return false;  // the other side is gone
    }
    co_return co_await send(session, error_response(400, "bad_request", failed.message()), false,
                            false);
  }

  ApiResponse too_large() const {
    return error_response(
        413, "too_large",
        "the body is more than " + std::to_string(options_.max_body_bytes) + " bytes");
  }

  net::awaitable<void> stream_events(Session& session, ResponseStream& events) {
    std::string text =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        ": futurerand\n\n";
    ++requests_[2];
    net::steady_timer timer(co_await net::this_coro::executor);
    error_code failed;
    while (!stopping_) {
      text += events.next();
      if (!text.empty()) {
        session.stream.expires_after(options_.write_timeout);
        co_await net::async_write(session.stream, net::buffer(text),
                                  net::redirect_error(net::use_awaitable, failed));
        if (failed) co_return;
        text.clear();
      }
      timer.expires_after(kEventInterval);
      co_await timer.async_wait(net::redirect_error(net::use_awaitable, failed));
    }
  }

  void begin_stop() {
    if (stopping_.exchange(true)) return;
    error_code ignored;
    acceptor_.close(ignored);
    for (Worker& worker : workers_) {
      net::post(worker.context, [this, &worker] {
        for (Session* session : worker.sessions) {
          if (session->idle) session->stream.cancel();
        }
        if (worker.sessions.empty()) worker.context.stop();
        worker.drain.expires_after(options_.drain_timeout);
        worker.drain.async_wait([&worker](error_code) { worker.context.stop(); });
      });
    }
  }

  const ServerOptions options_;
  HttpHandler& handler_;
  std::vector<Worker> workers_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint32_t> connections_ = 0;
  std::atomic<std::uint64_t> bodies_bytes_ = 0;
  std::array<std::atomic<std::uint64_t>, 6> requests_{};
  tcp::acceptor acceptor_;
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
void HttpServer::run(bool signals) { impl_->run(signals); }
void HttpServer::stop() { impl_->stop(); }
std::string HttpServer::prometheus() const { return impl_->prometheus(); }

}  // namespace futurerand
