#include <utility>

#include <pybind11/stl.h>
#include <unistd.h>

#include "bindings/python/native/errors.hpp"
#include "bindings/python/native/open_device.hpp"

namespace py = pybind11;

namespace futurerand::python {
namespace {

// A text that the library gave, freed when it goes.
struct GivenText {
  char* text = nullptr;
  ~GivenText() { fr_free(text); }
  std::string str() const { return text; }
};

template <typename Body>
void call_metric(Body&& body) {
  fr_error error;
  const fr_code code = [&] {
    const py::gil_scoped_release without;
    return body(&error);
  }();
  if (code != FR_OK) raise(code, error.message);
}

// A client may be closed while an answer is awaited. To be called in the device's turn.
std::vector<fr_client*> open_ones(const std::vector<Client*>& clients) {
  std::vector<fr_client*> handles;
  for (const Client* client : clients) {
    if (client->handle() != nullptr) handles.push_back(client->handle());
  }
  return handles;
}

const char* or_null(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

}  // namespace

OpenDevice::OpenDevice() : process(::getpid()) {}

// A forked child leaves the records alone: they are its parent's.
OpenDevice::~OpenDevice() {
  if (process != ::getpid()) return;
  close_abandoned();
  fr_device_close(&handle);
}

void OpenDevice::abandon(fr_client* client) {
  {
    const std::lock_guard lock(list_);
    abandoned_.push_back(client);
  }
  if (!turn.try_lock()) return;
  close_abandoned();
  turn.unlock();
}

void OpenDevice::close_abandoned() {
  const std::lock_guard lock(list_);
  for (fr_client*& client : abandoned_) fr_client_close(&client);
  abandoned_.clear();
}

template <typename Body>
void OpenDevice::call(Body&& body) {
  if (process != ::getpid()) {
    raise(FR_BUSY,
          "the device was opened by the process that forked this one; expected it to be "
          "opened here, after the other closed it");
  }
  if (holder == std::this_thread::get_id()) {
    raise(FR_INVALID, "the store or the entropy called its own device; expected it not to");
  }
  fr_error error;
  py::object cause;
  fr_code code = FR_OK;
  {
    const py::gil_scoped_release without;
    const std::lock_guard lock(turn);
    holder = std::this_thread::get_id();
    close_abandoned();
    code = body(&error);
    close_abandoned();
    holder = std::thread::id();
    const py::gil_scoped_acquire with;
    cause = std::exchange(application.raised, py::object());
  }
  if (code == FR_OK) return;
  // Ctrl-C in a callback is no failure of the store.
  if (cause && !PyErr_GivenExceptionMatches(cause.ptr(), PyExc_Exception)) {
    PyErr_SetObject(py::type::handle_of(cause).ptr(), cause.ptr());
    throw py::error_already_set();
  }
  raise(code, error.message, std::move(cause));
}

Metric::Metric(const std::string& json) {
  call_metric(
      [&](fr_error* error) { return fr_metric_accept(json.data(), json.size(), &handle_, error); });
}

Metric::Metric(const std::string& name, const std::string& plan, std::int64_t start,
               std::int64_t period_seconds) {
  call_metric([&](fr_error* error) {
    return fr_metric_create(name.c_str(), plan.data(), plan.size(), start, period_seconds, &handle_,
                            error);
  });
}

std::string Metric::certificate() const {
  GivenText given;
  call_metric([&](fr_error* error) { return fr_metric_certificate(handle_, &given.text, error); });
  return given.str();
}

std::uint32_t Metric::period_at(std::int64_t seconds) const {
  std::uint32_t period = 0;
  call_metric(
      [&](fr_error* error) { return fr_metric_period_at(handle_, seconds, &period, error); });
  return period;
}

std::uint32_t Metric::current_period() const {
  std::uint32_t period = 0;
  call_metric([&](fr_error* error) { return fr_metric_current_period(handle_, &period, error); });
  return period;
}

Device::Device(std::optional<std::string> folder, py::object store, const std::string& ceiling,
               std::optional<std::string> per_metric, py::object entropy,
               std::optional<std::string> machine, std::optional<std::string> tpm,
               std::uint32_t tpm_index)
    : open_(std::make_shared<OpenDevice>()) {
  OpenDevice& open = *open_;
  open.application.store = std::move(store);
  open.application.entropy = std::move(entropy);
  const fr_store callbacks = open.application.callbacks();
  const fr_entropy fill = open.application.entropy_callbacks();
  const fr_entropy* source = open.application.entropy.is_none() ? nullptr : &fill;
  const fr_guards guards{or_null(machine), or_null(tpm), tpm_index};
  open.call([&](fr_error* error) {
    if (folder) {
      return fr_device_open_guarded(folder->c_str(), &guards, ceiling.c_str(), or_null(per_metric),
                                    source, &open.handle, error);
    }
    const fr_code code = fr_device_open(&callbacks, ceiling.c_str(), or_null(per_metric), source,
                                        &open.handle, error);
    if (code != FR_OK || !machine || machine->empty()) return code;
    return fr_device_bind(open.handle, machine->c_str(), error);
  });
}

std::string requests_of(const Device& device, const std::vector<Client*>& clients) {
  GivenText given;
  device.open()->call([&](fr_error* error) {
    const std::vector<fr_client*> handles = open_ones(clients);
    return fr_clients_requests(handles.data(), handles.size(), &given.text, error);
  });
  return given.str();
}

std::string apply_answer(const Device& device, const std::vector<Client*>& clients,
                         const std::string& request, const std::string& answer) {
  GivenText given;
  device.open()->call([&](fr_error* error) {
    const std::vector<fr_client*> handles = open_ones(clients);
    return fr_clients_answer(handles.data(), handles.size(), request.data(), request.size(),
                             answer.data(), answer.size(), &given.text, error);
  });
  return given.str();
}

void Device::set_window(const std::string& epsilon, std::int64_t seconds) {
  open_->call([&](fr_error* error) {
    return fr_device_set_window(open_->handle, epsilon.c_str(), seconds, error);
  });
}

void Device::believe(std::int64_t seconds) {
  open_->call([&](fr_error* error) { return fr_device_believe(open_->handle, seconds, error); });
}

std::string Device::ledger() const {
  GivenText given;
  open_->call([&](fr_error* error) { return fr_device_ledger(open_->handle, &given.text, error); });
  return given.str();
}

std::string Device::history() const {
  GivenText given;
  open_->call(
      [&](fr_error* error) { return fr_device_history(open_->handle, &given.text, error); });
  return given.str();
}

void Device::set_participation(const std::string& participation) {
  open_->call([&](fr_error* error) {
    return fr_device_set_participation(open_->handle, participation.c_str(), error);
  });
}

void Device::ask_first() {
  open_->call([&](fr_error* error) { return fr_device_ask_first(open_->handle, error); });
}

void Device::close() {
  open_->call([&](fr_error*) {
    fr_device_close(&open_->handle);
    return FR_OK;
  });
}

Client::Client(const Device& device, const Metric& metric, std::uint32_t period,
               const std::string& segment)
    : device_(device.open()) {
  device_->call([&](fr_error* error) {
    return fr_client_open_in(device_->handle, metric.handle(), period, segment.c_str(), &handle_,
                             error);
  });
}

// A forked child does not touch what its parent holds.
Client::~Client() {
  if (handle_ != nullptr && device_->process == ::getpid()) device_->abandon(handle_);
}

void Client::observe(std::uint32_t period, int value) {
  device_->call([&](fr_error* error) { return fr_client_observe(handle_, period, value, error); });
}

void Client::observe_number(std::uint32_t period, double value) {
  device_->call(
      [&](fr_error* error) { return fr_client_observe_number(handle_, period, value, error); });
}

void Client::observe_text(std::uint32_t period, const std::string& value) {
  device_->call([&](fr_error* error) {
    return fr_client_observe_text(handle_, period, value.data(), value.size(), error);
  });
}

void Client::observe_all(const Periods& periods, const Values& values) {
  if (periods.ndim() != 1 || values.ndim() != 1 || periods.size() != values.size()) {
    raise(FR_INVALID, "periods and values differ in shape; expected two arrays of one length");
  }
  const std::uint32_t* first_period = periods.data();
  const std::uint8_t* first_value = values.data();
  const auto count = static_cast<std::size_t>(periods.size());
  device_->call([&](fr_error* error) {
    return fr_client_observe_all(handle_, first_period, first_value, count, error);
  });
}

void Client::begin_period(std::uint32_t period) {
  device_->call([&](fr_error* error) { return fr_client_begin_period(handle_, period, error); });
}

void Client::leave(std::uint32_t period) {
  device_->call([&](fr_error* error) { return fr_client_leave(handle_, period, error); });
}

void Client::forget(std::uint32_t period) {
  device_->call([&](fr_error* error) { return fr_client_forget(handle_, period, error); });
}

std::string Client::lines() {
  GivenText given;
  device_->call([&](fr_error* error) { return fr_client_lines(handle_, &given.text, error); });
  return given.str();
}

std::string Client::path(const std::string& lines) {
  GivenText given;
  device_->call([&](fr_error* error) {
    return fr_client_path(handle_, lines.data(), lines.size(), &given.text, error);
  });
  return given.str();
}

void Client::acknowledge(const std::string& lines, const std::optional<std::string>& answer) {
  device_->call([&](fr_error* error) {
    return fr_client_acknowledge(handle_, lines.data(), lines.size(), or_null(answer),
                                 answer ? answer->size() : 0, error);
  });
}

std::string Client::about() {
  GivenText given;
  device_->call([&](fr_error* error) { return fr_client_about(handle_, &given.text, error); });
  return given.str();
}

void Client::close() {
  device_->call([&](fr_error*) {
    fr_client_close(&handle_);
    return FR_OK;
  });
}

void add_client_calls(py::module_& module) {
  py::class_<Metric>(module, "Metric")
      .def(py::init<const std::string&>())
      .def(py::init<const std::string&, const std::string&, std::int64_t, std::int64_t>())
      .def("certificate", &Metric::certificate)
      .def("period_at", &Metric::period_at)
      .def("current_period", &Metric::current_period);
  py::class_<Device>(module, "Device")
      .def(py::init<std::optional<std::string>, py::object, const std::string&,
                    std::optional<std::string>, py::object, std::optional<std::string>,
                    std::optional<std::string>, std::uint32_t>())
      .def("set_window", &Device::set_window)
      .def("believe", &Device::believe)
      .def("ledger", &Device::ledger)
      .def("history", &Device::history)
      .def("set_participation", &Device::set_participation)
      .def("ask_first", &Device::ask_first)
      .def("close", &Device::close);
  py::class_<Client>(module, "Client")
      .def(py::init<const Device&, const Metric&, std::uint32_t, const std::string&>())
      .def("observe", &Client::observe)
      .def("observe_number", &Client::observe_number)
      .def("observe_text", &Client::observe_text)
      .def("observe_all", &Client::observe_all)
      .def("begin_period", &Client::begin_period)
      .def("leave", &Client::leave)
      .def("forget", &Client::forget)
      .def("lines", &Client::lines)
      .def("path", &Client::path)
      .def("acknowledge", &Client::acknowledge)
      .def("about", &Client::about)
      .def("close", &Client::close);
  module.def("requests_of", &requests_of);
  module.def("apply_answer", &apply_answer);
}

}  // namespace futurerand::python
