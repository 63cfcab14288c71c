// What may be asked for, whoever asks: flags of the command and arguments of Python have the same
// ranges.
#pragma once

#include <cmath>
#include <cstdint>

#include <fmt/core.h>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/plan/inactive.hpp"

namespace futurerand {

template <typename T>
struct AllowedRange {
  const char* name;
  T low;
  T high;

  // Not a number is in no range.
  Status check(T value) const {
    if (value >= low && value <= high) return {};
    return Error{fmt::format("{} {} is out of range; expected {} to {}", name, value, low, high)};
  }
};

inline constexpr AllowedRange<std::uint64_t> kUsersRange{"users", 1, std::uint64_t{1} << 40};
inline constexpr AllowedRange<Period> kPeriodsRange{"periods", 1, kMaxPeriods};
inline constexpr AllowedRange<std::uint32_t> kChangesRange{"changes", 1, kMaxChanges};
inline constexpr AllowedRange<std::uint64_t> kTrialsRange{"trials", 1, std::uint64_t{1} << 32};
inline constexpr AllowedRange<unsigned> kThreadsRange{"threads", 1, 1024};
inline constexpr AllowedRange<Period> kInactiveAfterRange{"inactive_after", kMinInactiveAfter,
                                                          kMaxInactiveAfter};
inline constexpr AllowedRange<double> kLevelRange{"level", 0.01, 0.9999};
inline constexpr AllowedRange<double> kTargetErrorRange{"target_error", 1e-6, 1};
inline constexpr AllowedRange<double> kDriftRange{"drift", 1e-9, 1};
inline constexpr AllowedRange<double> kDeltaRange{"delta", 1e-300, 0.5};
inline constexpr AllowedRange<double> kLiarsRange{"liars", 0, 1};
inline constexpr AllowedRange<double> kDropoutRange{"dropout", 0, 1};
inline constexpr AllowedRange<double> kDropoutFactorRange{"dropout_factor", 0, 1000};
inline constexpr AllowedRange<double> kOfflineRange{"offline", 0, 1};
inline constexpr AllowedRange<std::uint64_t> kSamplesRange{"samples", 100, std::uint64_t{1} << 30};
inline constexpr AllowedRange<double> kConfidenceRange{"confidence", 0.5, 0.999999999};

// The first that fails, or success.
template <typename... Checks>
Status first_failure(const Checks&... checks) {
  Status found;
  ((found && !checks ? void(found = checks) : void()), ...);
  return found;
}

}  // namespace futurerand
