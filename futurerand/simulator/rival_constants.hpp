// Constants of the rivals that their authors leave to whoever runs them. Whatever is not given is
// chosen by the rival's own file, which says how.
#pragma once

#include <optional>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

struct RivalConstants {
  std::optional<double> sparse_vector_clip;    // eta
  std::optional<Period> thresh_epoch;          // l: periods of an epoch
  std::optional<double> thresh_vote_cost;      // a: budget that a vote spends
  std::optional<double> thresh_estimate_cost;  // b': budget that an estimate spends
  double thresh_delta = 0.05;                  // probability that its accuracy bound fails
  double rappor_one_if_zero = 0.5;             // p: a memoized 0 leaves as a 1
  double rappor_one_if_one = 0.75;             // q: a memoized 1 leaves as a 1
};

}  // namespace futurerand
