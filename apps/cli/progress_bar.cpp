#include "apps/cli/progress_bar.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {

namespace {

// Nothing is said at first, because a guess from too little work is worse than none.
std::string time_left(double share, std::chrono::duration<double> spent) {
  if (share <= 0 || share >= 1 || spent.count() < 1) return "";
  return ", about " + duration_text(spent.count() * (1 - share) / share) + " left";
}

}  // namespace

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(double share) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  constexpr int kWidth = 30;
  const int done = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  fmt::print(stderr, "\r\x1b[K{} [{:#<{}}{:.<{}}] {:.0f}%{}", label_, "", done, "", kWidth - done,
             100 * share, time_left(share, now - start_));
  std::fflush(stderr);
}

}  // namespace futurerand::apps
