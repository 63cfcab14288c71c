#include "futurerand/core/law/warner.hpp"

#include "futurerand/core/law/flip_threshold.hpp"

namespace futurerand {

// [OWW22] example 4.2: randomized response with epsilon / k on every change.
ProductLaw warner(std::uint32_t max_changes, Epsilon epsilon) {
  return {max_changes, flip_threshold(exp_below(epsilon.nanos(), max_changes))};
}

}  // namespace futurerand
