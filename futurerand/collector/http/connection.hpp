// Connection: one TCP connection and its requests, one after the other. Internal to the server: it
// includes Asio.
//
// Thread safety: one thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "futurerand/collector/api/http_handler.hpp"
#include "futurerand/collector/http/byte_budget.hpp"
#include "futurerand/collector/http/channel.hpp"
#include "futurerand/collector/http/connection_table.hpp"
#include "futurerand/collector/http/counters.hpp"
#include "futurerand/collector/http/deadline.hpp"
#include "futurerand/collector/http/limits.hpp"
#include "futurerand/collector/http/outbox.hpp"
#include "futurerand/collector/http/parsed_request.hpp"
#include "futurerand/collector/http/tls_identity.hpp"

namespace futurerand {

// Shared by all connections of a server.
struct ServerContext {
  const Limits limits;
  HttpHandler& handler;
  const std::vector<AddressRange> trusted_proxies;
  const std::shared_ptr<TlsIdentity> tls;  // null: plain HTTP
  ByteBudget bodies{limits.max_bodies_bytes};
  ByteBudget answers{limits.max_answers_bytes};
  Counters counters{};
  ConnectionTable connections;
  std::atomic<bool> stopping = false;
};

class Connection {
 public:
  // The context and the outbox of its thread outlive the connection. Without a place it can only be
  // refused.
  Connection(ServerContext& server, Outbox& outbox, boost::asio::ip::tcp::socket socket,
             std::unique_ptr<ConnectionTable::Place> place);

  // Answers requests until one side wants no more, and closes.
  boost::asio::awaitable<void> serve();
  // Answers 503 to any request, and closes. With TLS, only closes: the handshake is the expensive
  // part.
  boost::asio::awaitable<void> refuse();
  // Ends a connection waiting for its next request.
  void cancel_if_idle();
  // Ends a connection before the whole head of a request, at once: others need the room.
  void make_room();

 private:
  // Returns false if the other side does not shake hands as it should, or in time.
  boost::asio::awaitable<bool> shake_hands();
  boost::asio::awaitable<void> serve_requests();
  // Serves one request and its response. Returns false if the connection is to end.
  boost::asio::awaitable<bool> exchange();
  // Parses received bytes. Returns need_more if they do not suffice.
  boost::system::error_code parse(RequestParser& parser);
  // Waits for more bytes, and parses them. Returns need_more as parse() does.
  boost::asio::awaitable<boost::system::error_code> receive(RequestParser& parser);
  // Receives the whole body. Otherwise it answers why not, and returns false.
  // `parsed` is the result of parsing what came so far.
  boost::asio::awaitable<bool> receive_body(RequestParser& parser, ByteBudget::Share& held,
                                            boost::system::error_code parsed);
  boost::asio::awaitable<ApiResponse> answer(ApiRequest request);
  boost::asio::awaitable<bool> send(ApiResponse& response, bool keep_alive, bool head);
  // Piece by piece, so that a reader has to take each in time. False if it does not.
  boost::asio::awaitable<bool> write_slowly(std::string_view text);
  boost::asio::awaitable<bool> send_last(ApiResponse response);
  boost::asio::awaitable<bool> refuse_unread(boost::system::error_code failed);
  boost::asio::awaitable<bool> serve_stream(ResponseStream& events, const Address& reader);
  boost::asio::awaitable<void> stream_events(ResponseStream& events);
  boost::asio::awaitable<void> close();

  ServerContext& server_;
  Outbox& outbox_;
  Channel stream_;
  Deadline deadline_{stream_.tcp()};
  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;  // of the current request; too large for a coroutine
  Address peer_;
  const std::unique_ptr<ConnectionTable::Place> place_;
  bool ended_ = false;    // to make room
  bool is_last_ = false;  // the current request, to make room
  bool waiting_ = true;   // for the head of a request
  bool secured_ = false;  // hands were shaken
  bool idle_ = true;      // between requests: may be closed at once
};

}  // namespace futurerand
