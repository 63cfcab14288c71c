// How failures of the library become exceptions of Python: futurerand._errors has a class for each
// code, and each is one of Python's own kinds too.
#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "bindings/c/futurerand.h"
#include "futurerand/core/base/result.hpp"

namespace futurerand::python {

// Sets the exception of this code and throws it. Requires the GIL. `cause`, if any, is what the
// application's own store or entropy raised.
[[noreturn]] void raise(fr_code code, const std::string& message,
                        pybind11::object cause = pybind11::object());
[[noreturn]] void raise(const Error& error);

template <typename T>
T or_raise(Result<T> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}

}  // namespace futurerand::python
