// Counters: what a server has done, for GET /metrics.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace futurerand {

struct Counters {
  std::atomic<std::uint32_t> connections = 0;  // that are open

  void answered(int status) {
    ++requests_[static_cast<std::size_t>(status / 100) % requests_.size()];
  }
  std::string prometheus() const;

 private:
  std::array<std::atomic<std::uint64_t>, 6> requests_{};  // by the first digit of the status
};

}  // namespace futurerand
