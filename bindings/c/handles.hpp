// What the opaque handles of futurerand.h hold, and how its functions end.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/c/futurerand.h"
#include "futurerand/client/client.hpp"
#include "futurerand/client/ledger.hpp"
#include "futurerand/client/metric_terms.hpp"
#include "futurerand/client/participation.hpp"
#include "futurerand/client/rolling_client.hpp"

namespace futurerand::c {

// Declared so that the ledger goes before the store that it leases from.
struct OpenDevice {
  OpenDevice(std::unique_ptr<StateStore> records, Epsilon limit)
      : store(std::move(records)), ceiling(limit) {}

  std::shared_ptr<void> guards;  // what the store counts with; the store goes before it
  std::unique_ptr<StateStore> store;
  std::unique_ptr<RandomSource> entropy;
  Epsilon ceiling;
  std::optional<Ledger> ledger;
  UserDecision participation = UserDecision::kOn;
  std::int64_t seconds = 0;             // as the application says (fr_device_believe), or 0
  std::atomic<bool> running = false;    // a call of this device or of one of its clients
  std::optional<Error> retired = {};    // it is an old copy: every call answers this
  std::vector<fr_client*> closed = {};  // by a callback of the running call, which deletes them
};

fr_code succeed(fr_error* error);
fr_code fail(const Error& why, fr_error* error);

// Any exception ends here: none crosses into C.
template <typename Body>
fr_code guarded(fr_error* error, Body&& body) {
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (...) {
    if (error != nullptr) *error = {FR_NO_MEMORY, "out of memory; nothing was sent"};
    return FR_NO_MEMORY;
  }
#else
  (void)error;
  return body();
#endif
}

// Ends a call, and deletes the clients that were closed meanwhile.
void end_turn(OpenDevice& device);

// Runs one call of a device or of its clients. A second one, from a callback of the first, is
// refused: both would go on from one state and randomize the same index. The device stays until the
// call ends, even if a callback closes its handle.
template <typename Body>
fr_code in_turn(std::shared_ptr<OpenDevice> device, fr_error* error, Body&& body) {
  if (device->running.exchange(true)) {
    return fail(Error{"a call of this device is running; expected one call at a time, and none "
                      "from a callback"},
                error);
  }
  const fr_code code =
      device->retired ? fail(*device->retired, error) : guarded(error, std::forward<Body>(body));
  end_turn(*device);
  return code;
}
// Opens the ledger and hands the device out; `guards` is what the store counts with, or null.
fr_code open_device(std::unique_ptr<StateStore> store, const char* ceiling, const char* per_metric,
                    const fr_entropy* entropy, fr_device** device, fr_error* error,
                    std::shared_ptr<void> guards = nullptr);

// Returns the parts of clients of one device, each given once.
Result<std::vector<Client*>> parts_of(std::span<fr_client* const> clients);
// Drops those that may not send, because the user said no: all but those that leave.
void drop_silent(const OpenDevice& device, std::vector<Client*>& parts);

// Tells the ledger the time, if anything depends on it: a window, or a metric without an end.
void believe_now(OpenDevice& device, bool is_endless);

// The system's time in seconds since 1970; 0 on a platform without a clock.
std::int64_t default_seconds();

// The operating system's, or what takes its place on this platform.
std::unique_ptr<RandomSource> default_entropy();

}  // namespace futurerand::c

struct fr_device {
  std::shared_ptr<futurerand::c::OpenDevice> open;
};

struct fr_metric {
  futurerand::MetricTerms terms;
  futurerand::Period current_period = 0;
};

struct fr_client {
  std::shared_ptr<futurerand::c::OpenDevice> device;  // before the client, so that it goes after
  futurerand::RollingClient client;
};
