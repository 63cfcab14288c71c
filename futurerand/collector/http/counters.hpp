// Counters: statistics of a server, for GET /metrics.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "futurerand/collector/api/address.hpp"
#include "futurerand/collector/http/tls_identity.hpp"

namespace futurerand {

// How many event streams there are, in all and by network.
struct Streams {
  std::atomic<std::uint32_t> all = 0;
  std::mutex mutex = {};
  std::map<Address, std::uint32_t> of_network = {};
};

struct Counters {
  std::atomic<std::uint32_t> connections = 0;  // that are open
  Streams streams;                             // of events, among them

  void answered(int status) {
    ++requests_[static_cast<std::size_t>(status / 100) % requests_.size()];
  }
  void shaken(bool well) { ++handshakes_[well ? 1 : 0]; }
  // `tls` is null for plain HTTP.
  std::string prometheus(const TlsIdentity* tls) const;

 private:
  std::array<std::atomic<std::uint64_t>, 2> handshakes_{};  // failed ones, successful ones
  std::array<std::atomic<std::uint64_t>, 6> requests_{};    // by the first digit of the status
};

// This is one place among the event streams.
class StreamPlace {
 public:
  StreamPlace(Streams& streams, const Address& network)
      : streams_(streams), network_(network), number_(++streams.all) {
    const std::lock_guard lock(streams_.mutex);
    number_of_network_ = ++streams_.of_network[network_];
  }
  ~StreamPlace() {
    --streams_.all;
    const std::lock_guard lock(streams_.mutex);
    if (--streams_.of_network[network_] == 0) streams_.of_network.erase(network_);
  }
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;
  std::uint32_t number() const { return number_; }
  std::uint32_t number_of_network() const { return number_of_network_; }

 private:
  Streams& streams_;
  const Address network_;
  const std::uint32_t number_;
  std::uint32_t number_of_network_ = 0;
};

}  // namespace futurerand
