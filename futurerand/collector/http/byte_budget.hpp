// ByteBudget: memory shared by all requests. Each takes its actual size, as it grows. A quarter is
// kept for small ones, so large requests cannot keep everyone out.
//
// Thread safety: all of it; a share by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>

namespace futurerand {

class ByteBudget {
 public:
  static constexpr std::uint64_t kSmall = 64 << 10;

  explicit ByteBudget(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  std::uint64_t taken() const { return taken_; }

  // The share of one request; returned at its end.
  class Share {
   public:
    explicit Share(ByteBudget& budget) : budget_(budget) {}
    ~Share() { budget_.taken_ -= bytes_; }
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
      bytes_ = bytes;
      return true;
    }

   private:
    ByteBudget& budget_;
    std::uint64_t bytes_ = 0;
  };

 private:
  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> taken_ = 0;
};

}  // namespace futurerand
