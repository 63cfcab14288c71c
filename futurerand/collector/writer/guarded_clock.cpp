#include "futurerand/collector/writer/guarded_clock.hpp"

#include <algorithm>
#include <ctime>
#include <string>

#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastTolerance{2'000};
constexpr milliseconds kMostTolerance{3'600'000};
// A collector may be down this long without raising a suspicion.
constexpr milliseconds kMostAway{86'400'000};

std::string text_of(Instant time) {
  return utc_text(std::chrono::floor<std::chrono::seconds>(time));
}

}  // namespace

void GuardedClock::begin_after(Instant last) {
  const std::lock_guard lock(mutex_);
  before_ = last;
}

void GuardedClock::set_tolerance(milliseconds tolerance) {
  const std::lock_guard lock(mutex_);
  tolerance_ = std::clamp(tolerance, kLeastTolerance, kMostTolerance);
}

GuardedClock::Steady GuardedClock::steady_now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::duration_cast<milliseconds>(std::chrono::seconds(time.tv_sec) +
                                                  std::chrono::nanoseconds(time.tv_nsec));
}

bool GuardedClock::agree(Instant a, Instant b) const {
  return std::chrono::abs(a - b) <= tolerance_;
}

Instant GuardedClock::observe(Instant wall, Steady steady) {
  const std::lock_guard lock(mutex_);
  const Pair seen{wall, steady};
  newest_ = seen;
  if (!trusted_) {
    const bool plausible =
        !before_ || (wall >= *before_ - kMostTolerance && wall <= *before_ + kMostAway);
    trusted_ = plausible ? seen : Pair{*before_, steady};
    if (!plausible) stop(seen, *before_);
    return trusted_->wall;
  }
  const Instant expected = trusted_->expected(steady);
  if (agree(wall, expected)) {
    if (doubted_) go_on(seen, "the clock is right again");
    trusted_ = seen;
    return wall;
  }
  if (!doubted_ || !agree(wall, doubted_->expected(steady))) {
    stop(seen, expected);
  } else if (steady - doubted_->steady >= options_.patience) {
    go_on(seen, "the clock has run evenly for long enough");
    return wall;
  }
  return trusted_->wall;
}

void GuardedClock::stop(const Pair& seen, Instant expected) {
  doubted_ = seen;
  options_.say(Event::kClockStopped,
               "the clock says " + text_of(seen.wall) + "; expected " + text_of(expected) +
                   ". Metrics stand still and reports are answered 503 until the clock is right "
                   "again, POST /v1/clock/confirm confirms it, or it has run evenly for " +
                   std::to_string(options_.patience.count() / 1000) + " s");
}

void GuardedClock::go_on(const Pair& seen, const std::string& why) {
  trusted_ = seen;
  doubted_.reset();
  options_.say(Event::kClockGoesOn, why + ": it is " + text_of(seen.wall));
}

Instant GuardedClock::at(Steady steady) const {
  const std::lock_guard lock(mutex_);
  if (!trusted_) return {};
  return doubted_ ? trusted_->wall : trusted_->expected(steady);
}

bool GuardedClock::is_stopped() const {
  const std::lock_guard lock(mutex_);
  return doubted_.has_value();
}

void GuardedClock::confirm() {
  const std::lock_guard lock(mutex_);
  if (doubted_ && newest_) go_on(*newest_, "the operator has confirmed the clock");
}

std::function<Instant()> guarded_wall_clock(GuardedClock& guard) {
  return [&guard] {
    // A thread paused between the two readings would see a jump.
    for (;;) {
      const GuardedClock::Steady before = GuardedClock::steady_now();
      const Instant wall =
          std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now());
      const GuardedClock::Steady after = GuardedClock::steady_now();
      if (after - before < milliseconds(200)) return guard.observe(wall, after);
    }
  };
}

}  // namespace futurerand
