// ByteBudget: memory shared by all requests. Each takes its actual size, as it grows. A quarter is
// kept for small ones, so large requests cannot keep everyone out. The large ones of one network
// may take at most another quarter, so one sender cannot keep the others' large requests out.
//
// Thread safety: all of it; a share by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "futurerand/collector/api/address.hpp"

namespace futurerand {

class ByteBudget {
 public:
  static constexpr std::uint64_t kSmall = 64 << 10;

  explicit ByteBudget(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  std::uint64_t taken() const { return taken_; }

  // The share of one request; returned at its end.
  class Share {
   public:
    // The limit of one network applies if its address is given.
    explicit Share(ByteBudget& budget, const std::optional<Address>& network = {})
        : budget_(budget), network_(network) {}
    ~Share() {
      budget_.taken_ -= bytes_;
      if (large_bytes_ > 0) budget_.give_back(*network_, large_bytes_);
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // To this many bytes in all. False if there is no room: then the share stays as it is.
    bool grow_to(std::uint64_t bytes) {
      if (bytes <= bytes_) return true;
      const std::uint64_t more = bytes - bytes_;
      const std::uint64_t most =
          bytes <= kSmall ? budget_.max_bytes_ : budget_.max_bytes_ - budget_.max_bytes_ / 4;
      if (budget_.taken_.fetch_add(more) + more > most) {
        budget_.taken_ -= more;
        return false;
      }
      if (bytes > kSmall && network_) {
        if (!budget_.take_large(*network_, large_bytes_, bytes)) {
          budget_.taken_ -= more;
          return false;
        }
        large_bytes_ = bytes;
      }
      bytes_ = bytes;
      return true;
    }

   private:
    ByteBudget& budget_;
    const std::optional<Address> network_;
    std::uint64_t bytes_ = 0;
    std::uint64_t large_bytes_ = 0;  // of them: counted for the network
  };

 private:
  // Grows one large request of a network. A network's only large request may have any size.
  bool take_large(const Address& network, std::uint64_t before, std::uint64_t after) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& all = large_[network];
    const std::uint64_t others = all - before;
    if (others > 0 && others + after > max_bytes_ / 4) return false;
    all = others + after;
    return true;
  }
  void give_back(const Address& network, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto at = large_.find(network);
    at->second -= bytes;
    if (at->second == 0) large_.erase(at);
  }

  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> taken_ = 0;
  std::mutex mutex_;
  std::map<Address, std::uint64_t> large_;  // bytes of large requests by network
};

}  // namespace futurerand
