#include "apps/cli/interrupt.hpp"

#include <cerrno>
#include <csignal>

#include <poll.h>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

// A signal handler takes no arguments, so its flag has to be a global.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) { interrupted.store(true); }

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal ends the process
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

void stop_if_interrupted() {
  if (interrupted.load(std::memory_order_relaxed)) throw Failure(130, "interrupted");
}

void wait_readable(int fd) {
  // Signals are held back from the look at the flag until ppoll lets them in again.
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGINT);
  sigaddset(&held, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  pollfd waited{fd, POLLIN, 0};
  while (!interrupted.load(std::memory_order_relaxed) &&
         ::ppoll(&waited, 1, nullptr, &before) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  stop_if_interrupted();
}

}  // namespace futurerand::apps
