// futurerand._native: what the package futurerand is made of. Its functions take arguments of the
// right types only; the package checks and explains them.
#include <pybind11/pybind11.h>

#include "bindings/python/native/open_device.hpp"
#include "bindings/python/native/study_calls.hpp"

PYBIND11_MODULE(_native, module) {
  module.attr("VERSION") = FUTURERAND_VERSION;
  futurerand::python::add_study_calls(module);
  futurerand::python::add_client_calls(module);
}
