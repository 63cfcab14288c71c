#include "futurerand/collector/http/connection.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <netinet/tcp.h>

namespace futurerand {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;
using Parser = RequestParser;
using boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;

using UserTimeout = net::detail::socket_option::integer<IPPROTO_TCP, TCP_USER_TIMEOUT>;

constexpr std::size_t kReadBytes = 64 << 10;
// Least amount for a reader within the stall timeout.
constexpr std::size_t kWriteBytes = 256 << 10;
constexpr int kPeerTimeoutMs = 60'000;
constexpr int kStreamBufferBytes = 16 << 10;
constexpr std::chrono::milliseconds kEventInterval{200};
constexpr std::chrono::milliseconds kLinger{1000};
constexpr std::size_t kMaxLingerBytes = 16 << 20;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kEventsBegin =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "X-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";

// The head of a response. Written by hand: a collector of small reports spends its time here.
std::string head_of(const ApiResponse& response, bool keep_alive) {
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
  if (response.status != 304 && response.status != 204) {
    out += "Content-Type: " + response.content_type +
           "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  return out + "\r\n";
}

// A coroutine that waits for an answer.
template <typename Handler>
class Waiting final : public Outbox::Asker {
 public:
  explicit Waiting(Handler handler) : handler_(std::move(handler)) {}
  void receive(ApiResponse response) override { handler_(std::move(response)); }

 private:
  Handler handler_;
};

ApiResponse too_large(const Limits& limits) {
  return error_response(
      413, "too_large",
      "the body is more than " + std::to_string(limits.max_body_bytes) + " bytes");
}

}  // namespace

Connection::Connection(ServerContext& server, Outbox& outbox, tcp::socket socket,
                       std::unique_ptr<ConnectionTable::Place> place)
    : server_(server),
      outbox_(outbox),
      stream_(std::move(socket), server.tls == nullptr ? nullptr : server.tls->context()),
      buffer_(kReadBytes),
      place_(std::move(place)) {
  error_code ignored;
  stream_.tcp().socket().set_option(tcp::no_delay(true), ignored);
  // A dead peer is noticed although little is ever sent to it.
  stream_.tcp().socket().set_option(UserTimeout(kPeerTimeoutMs), ignored);
  stream_.tcp().socket().non_blocking(true, ignored);
  const auto endpoint = stream_.tcp().socket().remote_endpoint(ignored);
  if (!ignored) peer_ = Address::parse(endpoint.address().to_string()).value_or(Address{});
}

void Connection::cancel_if_idle() {
  if (idle_) stream_.tcp().cancel();
}

void Connection::make_room() {
  is_last_ = true;
  if (!waiting_) return;  // it ends after its answer
  ended_ = true;
  stream_.tcp().cancel();
}

net::awaitable<void> Connection::serve() {
  try {
    if (co_await shake_hands()) co_await serve_requests();
  } catch (const std::exception&) {
    // Out of memory for this request: the connection ends in order.
  }
  co_await close();
}

net::awaitable<bool> Connection::shake_hands() {
  if (!stream_.has_tls()) co_return true;
  error_code failed;
  deadline_.set(SteadyClock::now() + server_.limits.header_timeout);
  co_await stream_.async_handshake(net::redirect_error(net::use_awaitable, failed));
  deadline_.clear();
  server_.counters.shaken(!failed);
  secured_ = !failed;
  co_return secured_;
}

net::awaitable<void> Connection::refuse() {
  if (stream_.has_tls()) co_return stream_.tcp().close();
  co_await send_last(retry_response(503, "connections", "too many connections; try again", 1));
  co_await close();
}

// Closing with unread bytes resets the connection, and the other side would never see the answer.
net::awaitable<void> Connection::close() {
  error_code failed;
  if (ended_) co_return stream_.tcp().close();  // nobody waits for an answer
  stream_.tcp().expires_after(kLinger);
  if (secured_) {
    co_await stream_.async_shutdown(net::redirect_error(net::use_awaitable, failed));
    failed = {};
  }
  stream_.tcp().socket().shutdown(tcp::socket::shutdown_send, failed);
  buffer_.clear();
  for (std::size_t total = 0; !failed && total < kMaxLingerBytes;) {
    total += co_await stream_.tcp().async_read_some(
        buffer_.prepare(kReadBytes), net::redirect_error(net::use_awaitable, failed));
  }
  stream_.tcp().close();
}

net::awaitable<void> Connection::serve_requests() {
  while (!server_.stopping && !is_last_) {
    waiting_ = true;
    place_->waits();
    if (buffer_.size() == 0) {
      idle_ = true;
      error_code failed;
      deadline_.set(SteadyClock::now() + server_.limits.idle_timeout);
      const std::size_t size = co_await stream_.async_read_some(
          buffer_.prepare(kReadBytes), net::redirect_error(net::use_awaitable, failed));
      if (failed) co_return;
      buffer_.commit(size);
    }
    idle_ = false;
    const bool goes_on = co_await exchange();
    parser_.reset();
    if (!goes_on) co_return;
  }
}

// Beast's own functions take a turn of the event loop even for bytes that are here.
error_code Connection::parse(Parser& parser) {
  error_code failed = http::error::need_more;
  if (buffer_.size() > 0) buffer_.consume(parser.put(buffer_.data(), failed));
  return failed;
}

net::awaitable<error_code> Connection::receive(Parser& parser) {
  error_code failed;
  const std::size_t room = std::min(kReadBytes, buffer_.max_size() - buffer_.size());
  if (room == 0) co_return http::error::buffer_overflow;  // a line of a chunk, far too long
  buffer_.commit(co_await stream_.async_read_some(buffer_.prepare(room),
                                                  net::redirect_error(net::use_awaitable, failed)));
  if (!failed) co_return parse(parser);
  if (failed == net::error::eof) {
    failed = parser.got_some() ? http::error::partial_message : http::error::end_of_stream;
  }
  co_return failed;
}

net::awaitable<bool> Connection::exchange() {
  const Limits& limits = server_.limits;
  Parser& parser = parser_.emplace();
  parser.header_limit(limits.max_header_bytes);
  parser.body_limit(limits.max_body_bytes);
  error_code failed = parse(parser);
  if (failed == http::error::need_more) {
    deadline_.set(SteadyClock::now() + limits.header_timeout);
    while (failed == http::error::need_more) failed = co_await receive(parser);
  }
  if (failed || deadline_.passed()) co_return co_await refuse_unread(failed);
  deadline_.clear();
  waiting_ = false;
  place_->works();

  if (const auto ambiguity = ambiguity_of(parser)) {
    co_return co_await send_last(
        error_response(400, "bad_request", "the request has " + *ambiguity));
  }
  const auto& proxies = server_.trusted_proxies;
  const Address reader = proxies.empty() ? peer_ : sender_of(peer_, forwarded_for(parser), proxies);
  ByteBudget::Share held(server_.bodies, reader.network());
  if (parser.chunked() || parser.content_length_remaining().value_or(0) > 0) {
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      if (!co_await write_slowly(kContinue)) co_return false;
    }
    parser.eager(true);
    failed = parse(parser);
    // A small body that came with its head needs no deadline.
    const bool is_here = parser.is_done() && held.grow_to(parser.get().body().size());
    if (!is_here && !co_await receive_body(parser, held, failed)) co_return false;
  }

  const bool keep_alive = parser.keep_alive();
  const bool head = parser.get().method() == http::verb::head;
  ApiResponse response = co_await answer(request_of(parser, reader));
  if (response.stream != nullptr && !head) {
    co_return co_await serve_stream(*response.stream, reader);
  }
  co_return co_await send(response, keep_alive && !server_.stopping && !is_last_, head);
}

net::awaitable<bool> Connection::receive_body(Parser& parser, ByteBudget::Share& held,
                                              error_code failed) {
  const Limits& limits = server_.limits;
  const SteadyClock::time_point begin = SteadyClock::now();
  while (true) {
    if (failed && failed != http::error::need_more) co_return co_await refuse_unread(failed);
    // Only received bytes count, not announced ones.
    const std::uint64_t received = parser.get().body().size();
    if (!held.grow_to(received)) {
      co_return co_await send_last(
          retry_response(429, "busy", "too many bodies at once; send this again", 1));
    }
    const SteadyClock::duration elapsed = SteadyClock::now() - begin;
    const double due = std::chrono::duration<double>(elapsed).count() *
                       static_cast<double>(limits.min_body_bytes_per_second);
    if (deadline_.passed() ||
        (elapsed > limits.stall_timeout && static_cast<double>(received) < due)) {
      co_return co_await refuse_unread(beast::error::timeout);
    }
    if (parser.is_done()) break;
    deadline_.set(std::min(begin + limits.body_timeout, SteadyClock::now() + limits.stall_timeout));
    failed = co_await receive(parser);
  }
  deadline_.clear();
  co_return true;
}

// The handler may answer from another thread: comes back to this connection's.
net::awaitable<ApiResponse> Connection::answer(ApiRequest request) {
  return net::async_initiate<const net::use_awaitable_t<>&, void(ApiResponse)>(
      [this](auto handler, ApiRequest asked) {
        auto asker = std::make_shared<Waiting<decltype(handler)>>(std::move(handler));
        server_.handler.handle(std::move(asked), [&outbox = outbox_, asker](ApiResponse response) {
          outbox.push(asker, std::move(response));
        });
      },
      net::use_awaitable, std::move(request));
}

net::awaitable<bool> Connection::send(ApiResponse& response, bool keep_alive, bool head) {
  if (response.delay.count() > 0) {
    error_code ended;
    net::steady_timer timer(co_await net::this_coro::executor, response.delay);
    co_await timer.async_wait(net::redirect_error(net::use_awaitable, ended));
  }
  response.finish();
  ByteBudget::Share held(server_.answers);
  if (response.body.size() > ByteBudget::kSmall && !held.grow_to(response.body.size())) {
    response = retry_response(503, "busy", "too many large answers at once; ask again", 5);
  }
  std::string text = head_of(response, keep_alive);
  server_.counters.answered(response.status);
  const bool has_body = !head && response.status != 304 && response.status != 204;
  const bool together = has_body && response.body.size() <= kWriteBytes;
  if (together) text += response.body;
  bool sent = co_await write_slowly(text);
  if (sent && has_body && !together) sent = co_await write_slowly(response.body);
  co_return sent&& keep_alive;
}

net::awaitable<bool> Connection::write_slowly(std::string_view text) {
  error_code failed;
  if (!stream_.has_tls()) {
    // Most answers fit into the kernel's buffer: then no turn of the event loop is needed.
    const std::string_view piece = text.substr(0, kWriteBytes);
    text.remove_prefix(
        stream_.tcp().socket().write_some(net::buffer(piece.data(), piece.size()), failed));
    if (failed == net::error::would_block) failed = {};
  }
  while (!text.empty() && !failed) {
    const std::string_view piece = text.substr(0, kWriteBytes);
    deadline_.set(SteadyClock::now() + server_.limits.stall_timeout);
    co_await net::async_write(stream_, net::buffer(piece.data(), piece.size()),
                              net::redirect_error(net::use_awaitable, failed));
    text.remove_prefix(piece.size());
  }
  deadline_.clear();
  co_return !failed;
}

net::awaitable<bool> Connection::send_last(ApiResponse response) {
  co_return co_await send(response, false, false);
}

// Answers an incomplete request.
net::awaitable<bool> Connection::refuse_unread(error_code failed) {
  if (ended_) co_return false;
  if (deadline_.passed()) failed = beast::error::timeout;
  deadline_.clear();
  if (failed == http::error::body_limit) co_return co_await send_last(too_large(server_.limits));
  if (failed == http::error::header_limit) {
    co_return co_await send_last(error_response(431, "header_too_large", "headers too large"));
  }
  if (failed == beast::error::timeout) {
    co_return co_await send_last(error_response(408, "timeout", "the request took too long"));
  }
  if (failed == http::error::end_of_stream || failed == http::error::partial_message ||
      failed.category() != make_error_code(http::error::bad_target).category()) {
    co_return false;  // the other side has closed
  }
  co_return co_await send_last(error_response(400, "bad_request", failed.message()));
}

net::awaitable<bool> Connection::serve_stream(ResponseStream& events, const Address& reader) {
  const StreamPlace place(server_.counters.streams, reader.network());
  if (place.number() > server_.limits.max_streams ||
      place.number_of_network() > server_.limits.max_streams_of_address) {
    co_return co_await send_last(
        retry_response(503, "streams", "too many event streams; try again later", 30));
  }
  error_code ignored;
  // One that is not read is noticed soon, and holds little.
  stream_.tcp().socket().set_option(net::socket_base::send_buffer_size(kStreamBufferBytes),
                                    ignored);
  co_await stream_events(events);
  co_return false;
}

net::awaitable<void> Connection::stream_events(ResponseStream& events) {
  std::string text(kEventsBegin);
  text += ": futurerand\n\n";
  server_.counters.answered(200);
  net::steady_timer timer(co_await net::this_coro::executor);
  error_code failed;
  const SteadyClock::time_point end = SteadyClock::now() + server_.limits.stream_lifetime;
  while (!server_.stopping && SteadyClock::now() < end) {
    text += events.next();
    if (!co_await write_slowly(text)) co_return;
    text.clear();
    timer.expires_after(kEventInterval);
    co_await timer.async_wait(net::redirect_error(net::use_awaitable, failed));
  }
}

}  // namespace futurerand
