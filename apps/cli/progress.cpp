#include "apps/cli/progress.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

namespace futurerand::apps {

Progress::Progress(std::string label)
    : label_(std::move(label)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(double share) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  constexpr int kWidth = 30;
  const int done = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  fmt::print(stderr, "\r\x1b[K{} [{:#<{}}{:.<{}}] {:.0f}%", label_, "", done, "", kWidth - done,
             100 * share);
  std::fflush(stderr);
}

}  // namespace futurerand::apps
