// RequestDeadline: ends the reading of a request in time, and leaves the connection open for the
// answer that says so. The stream's own timeouts close the socket, so that no 408 could be sent.
// Internal to the server: it includes Asio.
//
// Thread safety: that of the connection.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

namespace futurerand {

class RequestDeadline {
 public:
  using Clock = std::chrono::steady_clock;

  // The stream outlives the deadline.
  explicit RequestDeadline(boost::beast::tcp_stream& stream)
      : watch_(std::make_shared<Watch>(stream)) {}
  ~RequestDeadline() { watch_->end(); }
  RequestDeadline(const RequestDeadline&) = delete;
  RequestDeadline& operator=(const RequestDeadline&) = delete;

  // Cancels what the stream is doing at this time, unless it is told another one before.
  void set(Clock::time_point at) { watch_->set(at); }
  void clear() { watch_->at.reset(); }
  // Returns true for good once a deadline was not met.
  bool passed() const { return watch_->passed; }

 private:
  // The timer's handler may run after the connection is gone, so it shares what it looks at. A
  // deadline that is moved to later costs nothing: the timer looks again when it fires.
  struct Watch : std::enable_shared_from_this<Watch> {
    explicit Watch(boost::beast::tcp_stream& of) : stream(&of), timer(of.get_executor()) {}

    void set(Clock::time_point when) {
      at = when;
      stream->expires_never();
      if (!waiting) return wait();
      if (when < timer.expiry()) timer.cancel();
    }
    void wait() {
      waiting = true;
      timer.expires_at(*at);
      timer.async_wait([self = shared_from_this()](boost::system::error_code) {
        self->waiting = false;
        self->look();
      });
    }
    void look() {
      if (stream == nullptr || !at) return;
      if (Clock::now() < *at) return wait();
      passed = true;
      stream->cancel();
    }
    void end() {
      stream = nullptr;
      timer.cancel();
    }

    boost::beast::tcp_stream* stream;  // null once the connection is gone
    boost::asio::steady_timer timer;
    std::optional<Clock::time_point> at;
    bool waiting = false;
    bool passed = false;
  };

  std::shared_ptr<Watch> watch_;
};

}  // namespace futurerand
