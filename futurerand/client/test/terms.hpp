// Terms of small metrics for tests.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/client/metric_terms.hpp"
#include "futurerand/core/plan/test/changes_for.hpp"

namespace futurerand::test {

inline MetricTerms terms_of(std::string name = "dark-mode", Protocol protocol = Protocol::kOptimal,
                            Period periods = 200, std::string_view epsilon = "1") {
  return {std::move(name),
          *CertifiedPlan::create(*make_plan(protocol, periods, changes_for(protocol, 4),
                                            *Epsilon::parse(epsilon), initial_for(protocol))),
          {1'700'000'000, 3600}};
}

// Values of any kind, after an unknown start.
inline MetricTerms terms_of_values(const CodingSettings& coding, Period periods = 90,
                                   std::string_view epsilon = "1") {
  return {
      "values",
      *CertifiedPlan::create(*make_plan(Protocol::kInnovation, periods, 3, *Epsilon::parse(epsilon),
                                        Initial::kUnknown, *Coding::create(coding))),
      {1'700'000'000, 3600}};
}

}  // namespace futurerand::test
