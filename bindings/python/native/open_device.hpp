// OpenDevice, Metric and OpenClient: the handles of futurerand.h as objects of Python.
//
// Calls run without the GIL. Any thread may call: a device and its clients take one call at a time,
// the others wait. A process that was forked, and a store or entropy that calls back into its own
// device, are refused.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "bindings/c/futurerand.h"

namespace futurerand::python {

// The application's store and entropy: objects of Python behind callbacks of C.
struct Application {
  pybind11::object store;    // load(name), save(name, bytes), names(); none: a folder
  pybind11::object entropy;  // entropy(n) gives n bytes; none: the operating system's
  std::string loaded;        // what load() gave last
  pybind11::object raised;   // the first exception of a callback, during the call that runs

  fr_store callbacks();
  fr_entropy entropy_callbacks();
};

struct OpenDevice {
  fr_device* handle = nullptr;
  Application application;
  std::mutex turn;
  std::atomic<std::thread::id> holder;  // of the turn; nobody's otherwise
  std::int64_t process = 0;

  OpenDevice();
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  // Calls body(error) in turn and without the GIL, and raises what it says. Requires the GIL.
  template <typename Body>
  void call(Body&& body);
  // Closes a client that Python has forgotten: now, or after the call that runs. Never waits.
  void abandon(fr_client* client);

 private:
  void close_abandoned();  // requires the turn

  std::mutex list_;
  std::vector<fr_client*> abandoned_;
};

class Metric {
 public:
  Metric(const std::string& json);
  Metric(const std::string& name, const std::string& plan, std::int64_t start,
         std::int64_t period_seconds);
  ~Metric() { fr_metric_close(&handle_); }
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  const fr_metric* handle() const { return handle_; }
  std::string certificate() const;
  std::uint32_t period_at(std::int64_t seconds) const;
  std::uint32_t current_period() const;

 private:
  fr_metric* handle_ = nullptr;
};

class Device {
 public:
  Device(std::optional<std::string> folder, pybind11::object store, const std::string& ceiling,
         std::optional<std::string> per_metric, pybind11::object entropy,
         std::optional<std::string> machine, std::optional<std::string> tpm,
         std::uint32_t tpm_index);

  void set_window(const std::string& epsilon, std::int64_t seconds);
  void believe(std::int64_t seconds);
  std::string ledger() const;
  std::string history() const;
  void set_participation(const std::string& participation);
  void ask_first();
  void close();
  const std::shared_ptr<OpenDevice>& open() const { return open_; }

 private:
  std::shared_ptr<OpenDevice> open_;
};

class Client;

// One request for the clients of one device, and its answer.
std::string requests_of(const Device& device, const std::vector<Client*>& clients);
std::string apply_answer(const Device& device, const std::vector<Client*>& clients,
                         const std::string& request, const std::string& answer);

class Client {
 public:
  Client(const Device& device, const Metric& metric, std::uint32_t period,
         const std::string& segment);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  using Periods = pybind11::array_t<std::uint32_t, pybind11::array::c_style>;
  using Values = pybind11::array_t<std::uint8_t, pybind11::array::c_style>;

  void observe(std::uint32_t period, int value);
  void observe_number(std::uint32_t period, double value);
  void observe_text(std::uint32_t period, const std::string& value);
  void observe_all(const Periods& periods, const Values& values);
  void begin_period(std::uint32_t period);
  void leave(std::uint32_t period);
  void forget(std::uint32_t period);
  std::string lines();
  std::string path(const std::string& lines);
  void acknowledge(const std::string& lines, const std::optional<std::string>& answer);
  std::string about();
  void close();
  fr_client* handle() const { return handle_; }  // null once it is closed

 private:
  std::shared_ptr<OpenDevice> device_;
  fr_client* handle_ = nullptr;
};

void add_client_calls(pybind11::module_& module);

}  // namespace futurerand::python
