// GuardedClock: a wall clock that is believed for as long as it agrees with a clock that cannot
// jump. Metrics close by the wall clock, and what closing erases does not come back. So a jump
// stops the time of all metrics. It goes on when the clock is back where it should be, when the
// operator confirms the new time, or when the new time has agreed with the steady clock for a
// while.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include "futurerand/collector/log/event.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct GuardedClockOptions {
  std::chrono::milliseconds patience{600'000};  // how long a new time has to agree
  Say say = say_nothing;
};

class GuardedClock {
 public:
  // Time since some fixed moment, which no one sets. It goes on while the machine sleeps.
  using Steady = std::chrono::milliseconds;

  explicit GuardedClock(const GuardedClockOptions& options) : options_(options) {}

  // The last time that is known to have been right, before this process: the first time that is
  // observed may be a day later at most, and hardly earlier.
  void begin_after(Instant last);
  // A difference beyond this is a jump: a period of the metric that has the shortest ones.
  void set_tolerance(std::chrono::milliseconds tolerance);

  // The wall clock says this, at that steady time. Returns the time of metrics.
  Instant observe(Instant wall, Steady steady);
  // Returns the time of metrics by what was observed last.
  Instant at(Steady steady) const;
  // Says whether the time of metrics stands still.
  bool is_stopped() const;
  // The operator says that the wall clock is right.
  void confirm();

  static Steady steady_now();

 private:
  struct Pair {
    Instant wall;
    Steady steady;
    Instant expected(Steady now) const { return wall + (now - steady); }
  };

  void stop(const Pair& seen, Instant expected);
  void go_on(const Pair& seen, const std::string& why);
  bool agree(Instant a, Instant b) const;

  const GuardedClockOptions options_;
  mutable std::mutex mutex_;
  std::chrono::milliseconds tolerance_{3'600'000};
  std::optional<Instant> before_;  // this process
  std::optional<Pair> trusted_;    // the last that agreed
  std::optional<Pair> doubted_;    // since when a new time agrees; while stopped
  std::optional<Pair> newest_;
};

// The system's clock, guarded.
std::function<Instant()> guarded_wall_clock(GuardedClock& guard);

}  // namespace futurerand
