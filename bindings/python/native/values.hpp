// People's values from arrays: one row a user, one column a period.
#pragma once

#include <vector>

#include <pybind11/numpy.h>

#include "futurerand/simulator/populations/values_file.hpp"

namespace futurerand::python {

using ValueMatrix = pybind11::array_t<std::uint8_t, pybind11::array::c_style>;

// Only the changes are kept. Raises ValueError for another shape and for what is neither 0 nor 1,
// which is not quoted. Requires the GIL.
std::vector<UserValues> users_of(const ValueMatrix& values);

}  // namespace futurerand::python
