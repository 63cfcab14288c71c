// Calendar: the seasons of a metric without an end. Pure arithmetic that devices and servers share.
//
// One clock counts periods 1, 2, 3, ... for ever. A season is `season` periods in a row in which a
// device takes part with one plan. Then the device rests for `rest` periods. A new season begins
// every `every` periods, so season / every seasons are live in each period. A device draws one of
// num_phases() phases, once, and takes part in the seasons of its phase only.
//
//   season s = 1, 2, ...   runs from first(s) = (s - season / every) * every + 1 to last(s)
//   phase of s             s mod num_phases()
//
// Seasons below season / every began before period 1: their devices join late.
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

class Calendar {
 public:
  static constexpr std::int64_t kMaxLive = 32;
  static constexpr std::int64_t kMaxCycle = 1 << 20;

  // kInvalid unless season and season + rest are multiples of `every` and season / every is 1 to
  // kMaxLive.
  static Result<Calendar> create(std::int64_t season, std::int64_t every, std::int64_t rest) {
    if (season < 1 || every < 1 || rest < 0 || season > kMaxCycle || rest > kMaxCycle - season) {
      return Error{
          "seasons of " + std::to_string(season) + " periods every " + std::to_string(every) +
          " with a rest of " + std::to_string(rest) +
          " are not possible; expected at least 1, 1 and 0, and a season and its rest of at "
          "most " +
          std::to_string(kMaxCycle) + " periods"};
    }
    if (season % every != 0 || rest % every != 0) {
      return Error{"a season begins every " + std::to_string(every) +
                   " periods; expected a divisor of the season, " + std::to_string(season) +
                   ", and of the rest, " + std::to_string(rest)};
    }
    if (season / every > kMaxLive) {
      return Error{std::to_string(season / every) +
                   " seasons would be live at a time; expected 1 to " + std::to_string(kMaxLive)};
    }
    return Calendar(season, every, rest);
  }

  std::int64_t season() const { return season_; }
  std::int64_t every() const { return every_; }
  std::int64_t rest() const { return rest_; }
  std::int64_t cycle() const { return season_ + rest_; }
  std::int64_t num_live() const { return season_ / every_; }
  std::int64_t num_phases() const { return cycle() / every_; }

  // These require a season of 1 or more. first() is 1 - season + every or more.
  std::int64_t first(std::int64_t s) const { return (s - num_live()) * every_ + 1; }
  std::int64_t last(std::int64_t s) const { return first(s) + season_ - 1; }
  std::int64_t phase(std::int64_t s) const { return s % num_phases(); }

  // The seasons first_live(t) .. first_live(t) + num_live() - 1 are live in period t >= 1.
  std::int64_t first_live(std::int64_t t) const { return (t - 1) / every_ + 1; }

  // Returns the live season of this phase in period t >= 1, or nothing if the phase rests.
  std::optional<std::int64_t> season_of(std::int64_t phase, std::int64_t t) const {
    const std::int64_t s = next_season(phase, first_live(t));
    if (s >= first_live(t) + num_live()) return std::nullopt;
    return s;
  }
  // Returns the first season of this phase that is not before season s.
  std::int64_t next_season(std::int64_t phase, std::int64_t s) const {
    return s + (phase - s % num_phases() + num_phases()) % num_phases();
  }

  // Returns J, the most seasons of one device that any `window` >= 1 periods in a row meet. What
  // happens inside the window costs at most J times epsilon.
  std::int64_t seasons_in(std::int64_t window) const {
    return 1 + (window + season_ - 2) / cycle();
  }

  friend bool operator==(const Calendar&, const Calendar&) = default;

 private:
  Calendar(std::int64_t season, std::int64_t every, std::int64_t rest)
      : season_(season), every_(every), rest_(rest) {}

  std::int64_t season_;
  std::int64_t every_;
  std::int64_t rest_;
};

}  // namespace futurerand
