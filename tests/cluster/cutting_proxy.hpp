// CuttingProxy: a TCP connection to a server, cut on demand at the worst moment.
//
// Thread safety: all of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace futurerand {

class CuttingProxy {
 public:
  enum class Cut {
    kNever,
    kBeforeRequest,  // the client's next bytes do not arrive
    kBeforeReply,    // it arrives, and the server's reply to it does not
    kAfterRequest,   // it arrives, and nobody waits for the reply
  };

  // Listens on a free port of the loopback; leads to this port there.
  explicit CuttingProxy(std::uint16_t server);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::uint16_t port() const { return port_; }
  // The next exchange is cut like this, once.
  void cut(Cut cut) { cut_ = cut; }

 private:
  void serve();
  void relay(int client);

  const std::uint16_t server_;
  std::uint16_t port_ = 0;
  int listening_ = -1;
  std::atomic<Cut> cut_ = Cut::kNever;
  std::atomic<bool> stopping_ = false;
  std::thread serving_;
};

}  // namespace futurerand
