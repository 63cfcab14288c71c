// Counters: what a server has done, for GET /metrics.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "futurerand/collector/http/tls_identity.hpp"

namespace futurerand {

struct Counters {
  std::atomic<std::uint32_t> connections = 0;  // that are open
  std::atomic<std::uint32_t> streams = 0;      // of events, among them

  void answered(int status) {
    ++requests_[static_cast<std::size_t>(status / 100) % requests_.size()];
  }
  void shaken(bool well) { ++handshakes_[well ? 1 : 0]; }
  // `tls` is null where plain HTTP is spoken.
  std::string prometheus(const TlsIdentity* tls) const;

 private:
  std::array<std::atomic<std::uint64_t>, 2> handshakes_{};  // that failed, that did not
  std::array<std::atomic<std::uint64_t>, 6> requests_{};    // by the first digit of the status
};

// This is one place among the event streams.
class StreamPlace {
 public:
  explicit StreamPlace(std::atomic<std::uint32_t>& streams)
      : streams_(streams), number_(++streams) {}
  ~StreamPlace() { --streams_; }
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;
  std::uint32_t number() const { return number_; }

 private:
  std::atomic<std::uint32_t>& streams_;
  const std::uint32_t number_;
};

}  // namespace futurerand
