// Watch: long work without the GIL that Ctrl-C stops: now and then it takes the GIL and lets Python
// handle its signals; what a handler raises stops the work and is raised when it has ended.
//
// Thread safety: made, asked and finished on one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include <pybind11/pybind11.h>

#include "futurerand/study/progress.hpp"

namespace futurerand::python {

class Watch {
 public:
  Progress progress() {
    return {&stopped_, [this](double) { look(); }};
  }

  // Runs the work without the GIL and gives what it gives, or raises what a signal brought.
  template <typename Work>
  auto run(Work&& work) {
    auto result = [&] {
      const pybind11::gil_scoped_release without;
      return work(progress());
    }();
    if (raised_) throw *raised_;
    return result;
  }

 private:
  void look() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ || stopped_) return;
    next_ = now + std::chrono::milliseconds(50);
    const pybind11::gil_scoped_acquire with;
    if (PyErr_CheckSignals() == 0) return;
    raised_.emplace();
    stopped_ = true;
  }

  std::atomic<bool> stopped_{false};
  std::optional<pybind11::error_already_set> raised_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace futurerand::python
