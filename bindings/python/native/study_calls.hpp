// plan, audit, simulate, compare, randomize and estimate, for futurerand/_study.py, which gives
// arguments of the right types: each returns the document that the command prints as JSON.
#pragma once

#include <pybind11/pybind11.h>

namespace futurerand::python {

void add_study_calls(pybind11::module_& module);

}  // namespace futurerand::python
