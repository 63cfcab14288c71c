#include "bindings/python/native/errors.hpp"

#include "bindings/c/handles.hpp"

namespace py = pybind11;

namespace futurerand::python {

void raise(fr_code code, const std::string& message, py::object cause) {
  const py::object error =
      py::module_::import("futurerand._errors").attr("of_code")(static_cast<int>(code), message);
  if (cause) PyException_SetCause(error.ptr(), cause.release().ptr());
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

void raise(const Error& error) { raise(c::fail(error, nullptr), error.message); }

}  // namespace futurerand::python
