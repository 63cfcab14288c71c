#include "futurerand/core/law/erlingsson.hpp"

#include "futurerand/core/law/flip_threshold.hpp"

namespace futurerand {

// The published variant spends epsilon / 2 on its one kept change.
SingleLaw erlingsson(std::uint32_t max_changes, Epsilon epsilon) {
  return {max_changes, flip_threshold(exp_below(epsilon.nanos(), 2))};
}

}  // namespace futurerand
