// Estimand: of whom an estimate speaks. active.md says what each of them assumes.
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
  kEnrolled,  // all that ever enrolled, also if nothing is heard of them any more
};

std::string_view name_of(Estimand estimand);  // "active", "enrolled"
std::optional<Estimand> estimand_named(std::string_view name);

// Whom the figures count, as words that follow "counted: ". A device is inactive once a due report
// is missing for `inactive_after` periods; this does not matter for kEnrolled.
std::string counted_in_words(Estimand estimand, Period inactive_after);
// What must be true of the population for estimates and bands to hold.
std::string assumption_of(Estimand estimand, EstimatorKind kind);

}  // namespace futurerand
