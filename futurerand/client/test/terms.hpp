// Terms of small metrics for tests.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/client/metric_terms.hpp"

namespace futurerand::test {

inline MetricTerms terms_of(std::string name = "dark-mode", Protocol protocol = Protocol::kOptimal,
                            Period periods = 200, std::string_view epsilon = "1") {
  return {std::move(name),
          *CertifiedPlan::create(*make_plan(protocol, periods, 4, *Epsilon::parse(epsilon))),
          {std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000)), std::chrono::hours(1)}};
}

}  // namespace futurerand::test
