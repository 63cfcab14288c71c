// What a store and an entropy of Python answer to the callbacks of futurerand.h. Whatever they
// raise is kept, and the call that asked fails closed.
#include <string>

#include "bindings/python/native/open_device.hpp"

namespace py = pybind11;

namespace futurerand::python {
namespace {

template <typename Body>
fr_code answer(void* context, fr_code failure, Body&& body) {
  auto& application = *static_cast<Application*>(context);
  const py::gil_scoped_acquire with;
  try {
    return body(application);
  } catch (py::error_already_set& error) {
    if (!application.raised) application.raised = error.value();
  } catch (const std::exception&) {
    // The call says that it failed.
  }
  return failure;
}

std::string_view bytes_of(const py::object& object, const char* what) {
  if (!PyBytes_Check(object.ptr())) {
    PyErr_Format(PyExc_TypeError, "%s gave no bytes; expected bytes", what);
    throw py::error_already_set();
  }
  return {PyBytes_AS_STRING(object.ptr()),
          static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr()))};
}

fr_code load(void* context, const char* record, const uint8_t** bytes, size_t* size) {
  return answer(context, FR_DAMAGED, [&](Application& application) {
    const py::object found = application.store.attr("load")(record);
    if (found.is_none()) return FR_NOT_FOUND;
    application.loaded = bytes_of(found, "load()");
    *bytes = reinterpret_cast<const uint8_t*>(application.loaded.data());
    *size = application.loaded.size();
    return FR_OK;
  });
}

fr_code save(void* context, const char* record, const uint8_t* bytes, size_t size) {
  return answer(context, FR_NO_ROOM, [&](Application& application) {
    application.store.attr("save")(record, py::bytes(reinterpret_cast<const char*>(bytes), size));
    return FR_OK;
  });
}

fr_code names(void* context, void (*each)(void* list, const char* record), void* list) {
  return answer(context, FR_DAMAGED, [&](Application& application) {
    for (const py::handle name : application.store.attr("names")()) {
      each(list, py::cast<std::string>(name).c_str());
    }
    return FR_OK;
  });
}

fr_code fill(void* context, uint8_t* bytes, size_t size) {
  return answer(context, FR_NO_ENTROPY, [&](Application& application) {
    const py::object given = application.entropy(size);
    const std::string_view drawn = bytes_of(given, "entropy()");
    if (drawn.size() != size) return FR_NO_ENTROPY;
    drawn.copy(reinterpret_cast<char*>(bytes), size);
    return FR_OK;
  });
}

}  // namespace

fr_store Application::callbacks() { return {this, load, save, names}; }
fr_entropy Application::entropy_callbacks() { return {this, fill}; }

}  // namespace futurerand::python
