// The rest of a change after clipping in sparse_vector; sparse_vector.cpp describes the protocol.
#pragma once

#include <cstdint>

namespace futurerand::sparse_vector {

// Returns E[clip(T) T] / m for a sum T of m fair signs: the share of a change that is left on
// average. Requires m >= 1.
double share_after_clipping(std::uint32_t m, double clip);

}  // namespace futurerand::sparse_vector
