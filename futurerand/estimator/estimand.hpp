// Estimand: the devices an estimate is about. active.md has the assumptions of each.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/estimator/estimate.hpp"

namespace futurerand {

enum class Estimand {
  kActive,    // devices that are there: enrolled, and not gone
  kEnrolled,  // all devices ever enrolled, even if inactive
};

std::string_view name_of(Estimand estimand);  // "active", "enrolled"
std::optional<Estimand> estimand_named(std::string_view name);

// The counted devices, phrased to follow "counted: ". A device is inactive once a due report is
// missing for `inactive_after` periods; this does not matter for kEnrolled.
std::string counted_in_words(Estimand estimand, Period inactive_after);
// The assumption about the population behind estimates and bands.
std::string assumption_of(Estimand estimand, EstimatorKind kind);

}  // namespace futurerand
