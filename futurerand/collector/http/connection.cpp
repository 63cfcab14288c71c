#include "futurerand/collector/http/connection.hpp"

#include <memory>
#include <string>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
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
constexpr std::string_view kEventsBegin =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "X-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";

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

ApiRequest request_of(Parser& parser) {
  const auto text = [](auto value) { return std::string(value.data(), value.size()); };
  const auto field = [&](http::field name) { return text(parser.get()[name]); };
  return {text(parser.get().method_string()),  text(parser.get().target()),
          std::move(parser.get().body()),      field(http::field::authorization),
          field(http::field::accept),          field(http::field::content_encoding),
          field(http::field::accept_encoding), field(http::field::if_none_match)};
}

ApiResponse too_large(const Limits& limits) {
  return error_response(
      413, "too_large",
      "the body is more than " + std::to_string(limits.max_body_bytes) + " bytes");
}

}  // namespace

Connection::Connection(ServerContext& server, tcp::socket socket)
    : server_(server), stream_(std::move(socket)), buffer_(kReadBytes) {
  error_code ignored;
  stream_.socket().set_option(tcp::no_delay(true), ignored);
}

void Connection::cancel_if_idle() {
  if (idle_) stream_.cancel();
}

net::awaitable<void> Connection::serve() {
  try {
    co_await serve_requests();
  } catch (const std::exception&) {
    // Out of memory for this request: the connection ends in order.
  }
  co_await close();
}

net::awaitable<void> Connection::refuse() {
  co_await send_last(retry_response(503, "connections", "too many connections; try again", 1));
  co_await close();
}

// Closing with unread bytes resets the connection, and the other side would never see the answer.
net::awaitable<void> Connection::close() {
  error_code failed;
  stream_.socket().shutdown(tcp::socket::shutdown_send, failed);
  stream_.expires_after(kLinger);
  buffer_.clear();
  for (std::size_t total = 0; !failed && total < kMaxLingerBytes;) {
    total += co_await stream_.async_read_some(buffer_.prepare(kReadBytes),
                                              net::redirect_error(net::use_awaitable, failed));
  }
  stream_.close();
}

net::awaitable<void> Connection::serve_requests() {
  while (!server_.stopping) {
    if (buffer_.size() == 0) {
      idle_ = true;
      error_code failed;
      stream_.expires_after(server_.limits.idle_timeout);
      const std::size_t size = co_await stream_.async_read_some(
          buffer_.prepare(kReadBytes), net::redirect_error(net::use_awaitable, failed));
      if (failed) co_return;
      buffer_.commit(size);
    }
    idle_ = false;
    if (!co_await exchange()) co_return;
  }
}

net::awaitable<bool> Connection::exchange() {
  const Limits& limits = server_.limits;
  Parser parser;
  parser.header_limit(limits.max_header_bytes);
  parser.body_limit(limits.max_body_bytes);
  error_code failed;
  stream_.expires_after(limits.header_timeout);
  co_await http::async_read_header(stream_, buffer_, parser,
                                   net::redirect_error(net::use_awaitable, failed));
  if (failed) co_return co_await refuse_unread(failed);

  const bool has_body = parser.chunked() || parser.content_length_remaining().value_or(0) > 0;
  const std::uint64_t length =
      !has_body ? 0 : parser.content_length_remaining().value_or(limits.max_body_bytes);
  const BodyBudget::Reservation reservation(server_.bodies, length);
  if (has_body) {
    if (!reservation.granted()) {
      co_return co_await send_last(
          retry_response(429, "busy", "too many bodies at once; send this again", 1));
    }
    stream_.expires_after(limits.body_timeout);
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      co_await net::async_write(stream_, net::buffer(kContinue),
                                net::redirect_error(net::use_awaitable, failed));
      if (failed) co_return false;
    }
    co_await http::async_read(stream_, buffer_, parser,
                              net::redirect_error(net::use_awaitable, failed));
    if (failed) co_return co_await refuse_unread(failed);
  }

  const bool keep_alive = parser.keep_alive();
  ApiRequest request = request_of(parser);
  const bool head = request.method == "HEAD";
  const ApiResponse response = co_await answer(std::move(request));
  if (response.stream != nullptr && !head) {
    co_await stream_events(*response.stream);
    co_return false;
  }
  co_return co_await send(response, keep_alive && !server_.stopping, head);
}

// The handler may answer from another thread: comes back to this connection's.
net::awaitable<ApiResponse> Connection::answer(ApiRequest request) {
  return net::async_initiate<const net::use_awaitable_t<>&, void(ApiResponse)>(
      [this](auto handler, ApiRequest asked) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        server_.handler.handle(std::move(asked), [shared](ApiResponse response) {
          net::post(net::get_associated_executor(*shared),
                    [shared, response = std::move(response)]() mutable {
                      (*shared)(std::move(response));
                    });
        });
      },
      net::use_awaitable, std::move(request));
}

net::awaitable<bool> Connection::send(const ApiResponse& response, bool keep_alive, bool head) {
  const std::string text = serialize(response, keep_alive, head);
  server_.counters.answered(response.status);
  error_code failed;
  stream_.expires_after(server_.limits.write_timeout);
  co_await net::async_write(stream_, net::buffer(text),
                            net::redirect_error(net::use_awaitable, failed));
  co_return !failed && keep_alive;
}

net::awaitable<bool> Connection::send_last(const ApiResponse& response) {
  co_return co_await send(response, false, false);
}

// A request that could not be read to its end.
net::awaitable<bool> Connection::refuse_unread(error_code failed) {
  if (failed == http::error::body_limit) co_return co_await send_last(too_large(server_.limits));
  if (failed == http::error::header_limit) {
    co_return co_await send_last(error_response(431, "header_too_large", "headers too large"));
  }
  if (failed == beast::error::timeout) {
    co_return co_await send_last(error_response(408, "timeout", "the request took too long"));
  }
  if (failed == http::error::end_of_stream || failed == http::error::partial_message ||
      failed.category() != make_error_code(http::error::bad_target).category()) {
    co_return false;  // the other side is gone
  }
  co_return co_await send_last(error_response(400, "bad_request", failed.message()));
}

net::awaitable<void> Connection::stream_events(ResponseStream& events) {
  std::string text(kEventsBegin);
  text += ": futurerand\n\n";
  server_.counters.answered(200);
  net::steady_timer timer(co_await net::this_coro::executor);
  error_code failed;
  while (!server_.stopping) {
    text += events.next();
    if (!text.empty()) {
      stream_.expires_after(server_.limits.write_timeout);
      co_await net::async_write(stream_, net::buffer(text),
                                net::redirect_error(net::use_awaitable, failed));
      if (failed) co_return;
      text.clear();
    }
    timer.expires_after(kEventInterval);
    co_await timer.async_wait(net::redirect_error(net::use_awaitable, failed));
  }
}

}  // namespace futurerand
