// Deadline: ends the waiting of a connection in time, and leaves it open for an answer. The
// stream's own timeouts would close the socket before a 408. They also start and cancel a timer for
// each read and write, a tenth of the time of a small request. Internal to the server: it includes
// Asio.
//
// Thread safety: that of the connection.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

namespace futurerand {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // The stream outlives the deadline.
  explicit Deadline(boost::beast::tcp_stream& stream) : watch_(std::make_shared<Watch>(stream)) {}
  ~Deadline() { watch_->end(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  // Cancels the stream's current operation at this time, unless another time is set before.
  void set(Clock::time_point at) { watch_->set(at); }
  void clear() { watch_->at.reset(); }
  // Returns true for good once a deadline was not met.
  bool passed() const { return watch_->passed; }

 private:
  // The timer's handler may run after the end of the connection, so it shares its state. Moving a
  // deadline costs nothing: the timer looks now and then, and again when it fires.
  static constexpr std::chrono::seconds kLookInterval{5};
  struct Watch : std::enable_shared_from_this<Watch> {
    explicit Watch(boost::beast::tcp_stream& of) : stream(&of), timer(of.get_executor()) {}

    void set(Clock::time_point when) {
      at = when;
      if (!waiting) return wait();
      if (when < timer.expiry()) timer.cancel();
    }
    void wait() {
      waiting = true;
      timer.expires_at(std::min(*at, Clock::now() + kLookInterval));
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

    boost::beast::tcp_stream* stream;  // null after the end of the connection
    boost::asio::steady_timer timer;
    std::optional<Clock::time_point> at;
    bool waiting = false;
    bool passed = false;
  };

  std::shared_ptr<Watch> watch_;
};

}  // namespace futurerand
