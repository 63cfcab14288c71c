// A progress bar on stderr with the remaining time, on a terminal only, erased at the end.
#pragma once

#include <chrono>
#include <string>

namespace futurerand::apps {

// Thread safety: one call at a time.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `share` of the work is done, 0 to 1. Cheap: the line is redrawn ten times a second at most.
  void show(double share);

 private:
  std::string label_;
  bool on_terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace futurerand::apps
