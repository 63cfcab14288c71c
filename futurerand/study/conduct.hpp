// Conduct: how long work is watched while it runs: who hears of its progress, and what stops it.
//
// Whoever raises `cancel` gets an error from the work, soon, and nothing else. Progress is told on
// the calling thread.
#pragma once

#include <atomic>
#include <functional>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct Conduct {
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(double)> progress = {};  // hears the share done, 0 to 1

  bool stopped() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
  void show(double share) const {
    if (progress) progress(share);
  }
};

inline Error interrupted() { return {"interrupted"}; }

}  // namespace futurerand
