// Limits: how much of everything a stranger can make grow: connections, headers, bodies, time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace futurerand {

struct Limits {
  std::uint32_t max_connections = 4096;
  std::uint32_t max_header_bytes = 16 << 10;
  std::uint64_t max_body_bytes = std::uint64_t{8} << 20;
  std::uint64_t max_bodies_bytes = std::uint64_t{256} << 20;  // of all requests being read
  std::chrono::milliseconds idle_timeout{60'000};             // between requests
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds write_timeout{30'000};
};

// BodyBudget: the bytes of all bodies that are being read or answered at once.
//
// Thread safety: all of it.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // A share of the budget, given back when the request is answered.
  class Reservation {
   public:
    Reservation(BodyBudget& budget, std::uint64_t bytes)
        : budget_(budget),
          bytes_(bytes),
          granted_(budget.taken_.fetch_add(bytes) + bytes <= budget.max_bytes_) {}
    ~Reservation() { budget_.taken_ -= bytes_; }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    bool granted() const { return granted_; }

   private:
    BodyBudget& budget_;
    std::uint64_t bytes_;
    bool granted_;
  };

 private:
  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> taken_ = 0;
};

}  // namespace futurerand
