// What the opaque handles of futurerand.h hold, and how its functions end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/c/futurerand.h"
#include "futurerand/client/client.hpp"
#include "futurerand/client/ledger.hpp"
#include "futurerand/client/metric_terms.hpp"

namespace futurerand::c {

// Declared so that the ledger goes before the store that it leases from.
struct OpenDevice {
  std::unique_ptr<StateStore> store;
  std::unique_ptr<RandomSource> entropy;
  Epsilon ceiling;
  std::optional<Ledger> ledger;
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

// Opens the ledger and hands the device out; `store` null means that it could not be opened.
fr_code open_device(std::unique_ptr<StateStore> store, const char* ceiling, const char* per_metric,
                    const fr_entropy* entropy, fr_device** device, fr_error* error);

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
  futurerand::Client client;
  futurerand::Outbox given = {};  // the lines that were given last
  bool has_given = false;
};
