// Progress: reports how far long work has come, and lets its caller cancel it.
//
// Once `cancel` is true the work soon returns an error. `report` runs on the calling thread.
#pragma once

#include <atomic>
#include <functional>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct Progress {
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(double)> report = {};  // gets the finished share, 0 to 1

  bool stopped() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
  void show(double share) const {
    if (report) report(share);
  }
};

inline Error interrupted() { return {"interrupted"}; }

}  // namespace futurerand
