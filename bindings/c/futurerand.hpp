// futurerand.hpp: the device's part of counting, for programs in C++20. It is futurerand.h with
// destructors and Results; that header documents every call.
//
//   Result<fr::Device> device = fr::Device::open_folder("state", "4");
//   Result<fr::Metric> metric = fr::fetch_metric(connection, "dark-mode");      certifies the plan
//   Result<fr::Client> client = fr::Client::open(*device, *metric, *metric->current_period());
//   client->observe(period, value);
//   fr::send(*client, connection);
//
// Public headers: futurerand.h, this one, and in futurerand/ core/base/result.hpp,
// transport/http_connection.hpp, transport/tls_stream.hpp and transport/collector_exchange.hpp.
// Everything else is internal.
//
// Threads: as in futurerand.h. A connection belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <futurerand.h>

#include "futurerand/core/base/result.hpp"
// A build for Windows does not send.
#if __has_include("futurerand/transport/collector_exchange.hpp") && !defined(_WIN32)
#define FUTURERAND_SENDS
#include "futurerand/transport/collector_exchange.hpp"
#endif

namespace futurerand::c {

// fr_send() over a connection and with a clock of the caller's.
Result<std::size_t> send_clients(std::span<fr_client* const> clients, HttpConnection& connection,
                                 const RetryPolicy& policy, const RetryTools& tools);

}  // namespace futurerand::c

namespace fr {

using futurerand::action_of;
using futurerand::Error;
using futurerand::ErrorAction;
using futurerand::ErrorCode;
using futurerand::Result;
using futurerand::Status;

namespace detail {

inline Error error_of(const fr_error& error) {
  switch (error.code) {
    case FR_NOT_FOUND:
      return {error.message, ErrorCode::kNotFound};
    case FR_REFUSED:
      return {error.message, ErrorCode::kRefused};
    case FR_DAMAGED:
      return {error.message, ErrorCode::kDamaged};
    case FR_NO_ENTROPY:
      return {error.message, ErrorCode::kNoEntropy};
    case FR_NO_ROOM:
    case FR_NO_MEMORY:
      return {error.message, ErrorCode::kNoRoom};
    case FR_BUSY:
      return {error.message, ErrorCode::kBusy};
    case FR_UNREACHABLE:
      return {error.message, ErrorCode::kUnreachable};
    case FR_NOT_STARTED:
      return {error.message, ErrorCode::kNotStarted};
    case FR_UNAUTHORIZED:
      return {error.message, ErrorCode::kUnauthorized};
    case FR_UNTRUSTED:
      return {error.message, ErrorCode::kUntrusted};
    default:
      return {error.message, ErrorCode::kInvalid};
  }
}

// Calls a function with an error as its last argument.
template <typename Function, typename... Arguments>
Status call(Function function, Arguments... arguments) {
  fr_error error;
  if (function(arguments..., &error) == FR_OK) return {};
  return error_of(error);
}

// The same for a function that returns one thing through the argument before the error.
template <typename Given, typename Function, typename... Arguments>
Result<Given> given(Function function, Arguments... arguments) {
  Given value{};
  fr_error error;
  if (function(arguments..., &value, &error) == FR_OK) return value;
  return error_of(error);
}

template <typename Function, typename... Arguments>
Result<std::string> text(Function function, Arguments... arguments) {
  const Result<char*> found = given<char*>(function, arguments...);
  if (!found) return found.error();
  std::string copy(*found);
  fr_free(*found);
  return copy;
}

// A handle that closes itself.
template <typename Handle, void (*close)(Handle**)>
class Owned {
 public:
  Owned(Owned&&) = default;
  Owned& operator=(Owned&&) = default;
  Handle* handle() const { return handle_.get(); }

 protected:
  explicit Owned(Handle* handle) : handle_(handle) {}

 private:
  struct Close {
    void operator()(Handle* handle) const { close(&handle); }
  };
  std::unique_ptr<Handle, Close> handle_;
};

}  // namespace detail

// The records of this device, with its ledger.
class Device : public detail::Owned<fr_device, fr_device_close> {
 public:
  // `ceiling`, a decimal, limits the total epsilon of all metrics ever joined; `per_metric`, if it
  // is not empty, limits each of them.
  static Result<Device> open_folder(const std::string& folder, const std::string& ceiling,
                                    const std::string& per_metric = {}) {
    const Result<fr_device*> opened = detail::given<fr_device*>(
        fr_device_open_folder, folder.c_str(), ceiling.c_str(),
        per_metric.empty() ? nullptr : per_metric.c_str(), static_cast<fr_entropy*>(nullptr));
    if (!opened) return opened.error();
    return Device(*opened);
  }
  // The same with other guards against old copies.
  static Result<Device> open_guarded(const std::string& folder, const fr_guards& guards,
                                     const std::string& ceiling,
                                     const std::string& per_metric = {}) {
    const Result<fr_device*> opened = detail::given<fr_device*>(
        fr_device_open_guarded, folder.c_str(), &guards, ceiling.c_str(),
        per_metric.empty() ? nullptr : per_metric.c_str(), static_cast<fr_entropy*>(nullptr));
    if (!opened) return opened.error();
    return Device(*opened);
  }
  // For records elsewhere, and for tests.
  static Result<Device> open(const fr_store& store, const std::string& ceiling,
                             const std::string& per_metric = {},
                             const fr_entropy* entropy = nullptr) {
    const Result<fr_device*> opened =
        detail::given<fr_device*>(fr_device_open, &store, ceiling.c_str(),
                                  per_metric.empty() ? nullptr : per_metric.c_str(), entropy);
    if (!opened) return opened.error();
    return Device(*opened);
  }
  // Binds the records of an application's own store to this machine.
  Status bind(const std::string& machine) {
    return detail::call(fr_device_bind, handle(), machine.c_str());
  }
  // Bounds the spending in any window of this many seconds.
  Status set_window(const std::string& epsilon, std::int64_t seconds) {
    return detail::call(fr_device_set_window, handle(), epsilon.c_str(), seconds);
  }
  // The device's own time, for an application that does not use the system's.
  Status believe(std::int64_t seconds) {
    return detail::call(fr_device_believe, handle(), seconds);
  }
  Result<std::string> ledger() const { return detail::text(fr_device_ledger, handle()); }
  Result<std::string> history() const { return detail::text(fr_device_history, handle()); }
  Status set_participation(const std::string& decision) {
    return detail::call(fr_device_set_participation, handle(), decision.c_str());
  }
  Status ask_first() { return detail::call(fr_device_ask_first, handle()); }

 private:
  using Owned::Owned;
};

// A collector's metric, certified on this device.
class Metric : public detail::Owned<fr_metric, fr_metric_close> {
 public:
  // The document of GET /v1/metrics/NAME.
  static Result<Metric> accept(std::string_view json) {
    const Result<fr_metric*> accepted =
        detail::given<fr_metric*>(fr_metric_accept, json.data(), json.size());
    if (!accepted) return accepted.error();
    return Metric(*accepted);
  }
  // The same for an application with a pinned digest of its expected plan.
  static Result<Metric> accept(std::string_view json, const std::string& digest) {
    const Result<fr_metric*> accepted = detail::given<fr_metric*>(
        fr_metric_accept_pinned, json.data(), json.size(), digest.c_str());
    if (!accepted) return accepted.error();
    return Metric(*accepted);
  }
  Result<std::string> certificate() const { return detail::text(fr_metric_certificate, handle()); }
  Result<std::uint32_t> current_period() const {
    return detail::given<std::uint32_t>(fr_metric_current_period, handle());
  }
  Result<std::uint32_t> period_at(std::int64_t seconds) const {
    return detail::given<std::uint32_t>(fr_metric_period_at, handle(), seconds);
  }

 private:
  using Owned::Owned;
};

// This device's part in a metric.
class Client : public detail::Owned<fr_client, fr_client_close> {
 public:
  // The segment is that of fr_client_open_in; empty for a metric without segments.
  static Result<Client> open(Device& device, const Metric& metric, std::uint32_t period,
                             const std::string& segment = {}) {
    const Result<fr_client*> opened = detail::given<fr_client*>(
        fr_client_open_in, device.handle(), static_cast<const fr_metric*>(metric.handle()), period,
        segment.c_str());
    if (!opened) return opened.error();
    return Client(*opened);
  }
  Status observe(std::uint32_t period, int value) {
    return detail::call(fr_client_observe, handle(), period, value);
  }
  Status observe(std::uint32_t period, double value) {
    return detail::call(fr_client_observe_number, handle(), period, value);
  }
  Status observe(std::uint32_t period, std::string_view value) {
    return detail::call(fr_client_observe_text, handle(), period, value.data(), value.size());
  }
  Status begin_period(std::uint32_t period) {
    return detail::call(fr_client_begin_period, handle(), period);
  }
  Status leave(std::uint32_t period) { return detail::call(fr_client_leave, handle(), period); }
  Status forget(std::uint32_t period) { return detail::call(fr_client_forget, handle(), period); }
  Result<std::string> lines() { return detail::text(fr_client_lines, handle()); }
  // The path for these lines.
  Result<std::string> path(std::string_view lines) {
    return detail::text(fr_client_path, handle(), lines.data(), lines.size());
  }
  Status acknowledge(std::string_view lines, std::string_view answer) {
    return detail::call(fr_client_acknowledge, handle(), lines.data(), lines.size(), answer.data(),
                        answer.size());
  }
  Result<std::string> about() const { return detail::text(fr_client_about, handle()); }

 private:
  using Owned::Owned;
};

#ifdef FUTURERAND_SENDS
// Fetches a metric from a collector and certifies its plan.
inline Result<Metric> fetch_metric(futurerand::HttpConnection& connection,
                                   const std::string& name) {
  const Result<std::string> document = futurerand::get_metric(connection, name);
  if (!document) return document.error();
  Result<Metric> metric = Metric::accept(*document);
  if (metric || metric.error().code != ErrorCode::kInvalid) return metric;
  return Error{"the collector's answer is no metric: " + metric.error().message,
               ErrorCode::kUntrusted};
}

// Sends the due lines of these clients of one device in one request, and applies the answer.
// Returns the number of acknowledged lines. It is fr_send() over a connection that stays open.
inline Result<std::size_t> send(std::span<Client* const> clients,
                                futurerand::HttpConnection& connection,
                                const futurerand::RetryPolicy& policy = {}) {
  std::vector<fr_client*> handles;
  for (const Client* client : clients) handles.push_back(client->handle());
  return futurerand::c::send_clients(handles, connection, policy, futurerand::system_retry_tools());
}
inline Result<std::size_t> send(Client& client, futurerand::HttpConnection& connection,
                                const futurerand::RetryPolicy& policy = {}) {
  Client* const clients[] = {&client};
  return send(clients, connection, policy);
}
#endif

}  // namespace fr
