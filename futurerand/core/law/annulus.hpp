// Turns the real parameters of an annulus law into its integers, in 100-digit arithmetic. Privacy
// does not rest on these digits, because the certificate checks the resulting integers.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/shapes/annulus_law.hpp"

namespace futurerand {

using LongFloat = boost::multiprecision::cpp_bin_float_100;

LongFloat to_long_float(Epsilon epsilon);

// The flip probability 1/(e^basic_epsilon + 1) is rounded up; the bounds are rounded inward and
// clipped to 0..k.
AnnulusLaw annulus(std::uint32_t max_changes, const LongFloat& basic_epsilon,
                   const LongFloat& lower_bound, const LongFloat& upper_bound);

}  // namespace futurerand
