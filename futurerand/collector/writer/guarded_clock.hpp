// GuardedClock: a wall clock, checked against a steady clock. Metrics close by the wall clock, and
// closing erases data for good. So a jump of the wall clock stops the time of all metrics. Time
// continues when the wall clock is right again, when the operator confirms the new time, or when
// the new time has agreed with the steady clock for a while.
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
  // Time since some fixed moment. Nobody can set this clock. It runs on while the machine sleeps.
  using Steady = std::chrono::milliseconds;

  explicit GuardedClock(const GuardedClockOptions& options) : options_(options) {}

  // The last time known to be right, from before this process. The first observed time may be at
  // most a day later, and hardly earlier.
  void begin_after(Instant last);
  // A larger difference is a jump. This is the shortest period length of all metrics.
  void set_tolerance(std::chrono::milliseconds tolerance);

  // Takes a reading of both clocks. Returns the time of metrics.
  Instant observe(Instant wall, Steady steady);
  // Returns the time of metrics by the last reading.
  Instant at(Steady steady) const;
  // Says whether the time of metrics stands still.
  bool is_stopped() const;
  // The operator confirms the wall clock.
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
  std::optional<Pair> trusted_;    // the last reading in agreement
  std::optional<Pair> doubted_;    // since when a new time agrees; while stopped
  std::optional<Pair> newest_;
};

// The system's clock, guarded.
std::function<Instant()> guarded_wall_clock(GuardedClock& guard);

}  // namespace futurerand
