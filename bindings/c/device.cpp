// The device's part of futurerand.h, and how all its functions end.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "bindings/c/callbacks.hpp"
#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/client/history.hpp"
#include "futurerand/client/machine_binding.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::c {
namespace {

fr_code code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return FR_INVALID;
    case ErrorCode::kNotFound:
      return FR_NOT_FOUND;
    case ErrorCode::kRefused:
      return FR_REFUSED;
    case ErrorCode::kDamaged:
      return FR_DAMAGED;
    case ErrorCode::kNoEntropy:
      return FR_NO_ENTROPY;
    case ErrorCode::kNoRoom:
      return FR_NO_ROOM;
    case ErrorCode::kBusy:
      return FR_BUSY;
    case ErrorCode::kUnreachable:
      return FR_UNREACHABLE;
    case ErrorCode::kNotStarted:
      return FR_NOT_STARTED;
    case ErrorCode::kUnauthorized:
      return FR_UNAUTHORIZED;
    case ErrorCode::kUntrusted:
      return FR_UNTRUSTED;
  }
  return FR_INVALID;
}

Result<Ledger::Limits> read_limits(const char* ceiling, const char* per_metric) {
  if (ceiling == nullptr) return Error{"no ceiling; expected an epsilon such as \"4\""};
  const Result<Epsilon> all = Epsilon::parse(ceiling);
  if (!all) return Error{"the ceiling: " + all.error().message};
  Ledger::Limits limits{*all};
  if (per_metric == nullptr) return limits;
  const Result<Epsilon> each = Epsilon::parse(per_metric);
  if (!each) return Error{"the bound per metric: " + each.error().message};
  limits.per_metric = *each;
  return limits;
}

}  // namespace

fr_code succeed(fr_error* error) {
  if (error != nullptr) *error = {FR_OK, ""};
  return FR_OK;
}

fr_code fail(const Error& why, fr_error* error) {
  const fr_code code = code_of(why.code);
  if (error == nullptr) return code;
  error->code = code;
  const std::size_t size = std::min(why.message.size(), sizeof error->message - 1);
  std::memcpy(error->message, why.message.data(), size);
  error->message[size] = '\0';
  return code;
}

fr_code give_text(const std::string& text, char** out, fr_error* error) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) {
    if (error != nullptr) *error = {FR_NO_MEMORY, "out of memory; nothing was sent"};
    return FR_NO_MEMORY;
  }
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *out = copy;
  return succeed(error);
}

void believe_now(OpenDevice& device, bool is_endless) {
  if (!is_endless && !device.ledger->limits().window) return;
  device.ledger->believe(device.seconds != 0 ? device.seconds : default_seconds());
}

void end_turn(OpenDevice& device) {
  for (fr_client* client : std::exchange(device.closed, {})) delete client;
  device.running = false;
}

fr_code open_device(std::unique_ptr<StateStore> store, const char* ceiling, const char* per_metric,
                    const fr_entropy* entropy, fr_device** device, fr_error* error,
                    std::shared_ptr<void> guards) {
  const Result<Ledger::Limits> limits = read_limits(ceiling, per_metric);
  if (!limits) return fail(limits.error(), error);
  if (entropy != nullptr && entropy->fill == nullptr) {
    return fail(Error{"the entropy has no fill(); expected a function, or no entropy"}, error);
  }
  auto open = std::make_shared<OpenDevice>(std::move(store), limits->ceiling);
  open->guards = std::move(guards);
  open->entropy = entropy == nullptr
                      ? default_entropy()
                      : std::unique_ptr<RandomSource>(std::make_unique<CallbackEntropy>(*entropy));
  Result<Ledger> ledger = Ledger::open(*open->store, *limits);
  if (!ledger) return fail(ledger.error(), error);
  open->ledger.emplace(*std::move(ledger));
  const Result<UserDecision> decided = read_participation(*open->store);
  if (!decided) return fail(decided.error(), error);
  open->participation = *decided;
  *device = new fr_device{std::move(open)};
  return succeed(error);
}

}  // namespace futurerand::c

using namespace futurerand;
using namespace futurerand::c;

const char* fr_version(void) { return FUTURERAND_VERSION; }

void fr_free(char* text) { std::free(text); }

fr_action fr_action_of(fr_code code) {
  if (code == FR_OK) return FR_NOTHING;
  switch (action_of(error_code(code))) {
    case ErrorAction::kRetryLater:
      return FR_RETRY_LATER;
    case ErrorAction::kTellOperator:
      return FR_TELL_OPERATOR;
    case ErrorAction::kFixCall:
      return FR_FIX_CALL;
    case ErrorAction::kGiveUp:
      return FR_GIVE_UP;
  }
  return FR_FIX_CALL;
}

fr_code fr_device_open(const fr_store* store, const char* ceiling, const char* per_metric,
                       const fr_entropy* entropy, fr_device** device, fr_error* error) {
  if (const fr_code code = clear_out(device, error)) return code;
  if (store == nullptr || store->load == nullptr || store->save == nullptr ||
      store->names == nullptr) {
    return fail(Error{"the store lacks a function; expected load, save and names"}, error);
  }
  return guarded(error, [&] {
    return open_device(std::make_unique<CallbackStore>(*store), ceiling, per_metric, entropy,
                       device, error);
  });
}

fr_code fr_device_bind(fr_device* device, const char* machine, fr_error* error) {
  if (device == nullptr) return closed("device", error);
  if (machine == nullptr || *machine == '\0') {
    return fail(Error{"no identity of a machine; expected a text that differs between machines"},
                error);
  }
  return in_turn(device->open, error, [&] {
    OpenDevice& open = *device->open;
    const Status bound = bind_to_machine(*open.store, machine, *default_entropy());
    if (bound) return succeed(error);
    if (bound.error().code == ErrorCode::kRefused) open.retired = bound.error();
    return fail(bound.error(), error);
  });
}

fr_code fr_device_set_window(fr_device* device, const char* epsilon, int64_t seconds,
                             fr_error* error) {
  if (device == nullptr) return closed("device", error);
  if (epsilon == nullptr) return fail(Error{"no epsilon; expected one such as \"1\""}, error);
  return in_turn(device->open, error, [&] {
    const Result<Epsilon> budget = Epsilon::parse(epsilon);
    if (!budget) return fail(Error{"the window: " + budget.error().message}, error);
    const Status set = device->open->ledger->set_window({*budget, seconds});
    return set ? succeed(error) : fail(set.error(), error);
  });
}

fr_code fr_device_believe(fr_device* device, int64_t seconds, fr_error* error) {
  if (device == nullptr) return closed("device", error);
  if (seconds < 1) {
    return fail(Error{"the time is " + std::to_string(seconds) +
                      " seconds after 1970; expected a positive number"},
                error);
  }
  return in_turn(device->open, error, [&] {
    device->open->seconds = seconds;
    return succeed(error);
  });
}

fr_code fr_device_ledger(const fr_device* device, char** json, fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  if (device == nullptr) return closed("device", error);
  return in_turn(device->open, error, [&] {
    const Ledger& ledger = *device->open->ledger;
    JsonWriter out;
    out.begin_object().member("ceiling", device->open->ceiling.text());
    out.member("spent", budget_text(ledger.spent_nanos())).key("window");
    if (const auto& window = ledger.limits().window) {
      out.begin_object().member("epsilon", window->epsilon.text());
      out.member("seconds", window->seconds);
      out.member("spent", budget_text(ledger.window_nanos(ledger.believed()))).end_object();
    } else {
      out.value(nullptr);
    }
    out.key("metrics").begin_array();
    for (const Ledger::Entry& entry : ledger.entries()) {
      out.begin_object().member("metric", entry.metric).member("epsilon", entry.epsilon.text());
      out.member("client", to_hex(entry.client)).key("season");
      out.value(entry.season == 0 ? std::nullopt : std::optional(entry.season)).end_object();
    }
    out.end_array().key("groups").begin_array();
    for (const Ledger::Draw& draw : ledger.draws()) {
      out.begin_object().member("group", draw.group.name()).member("metric", draw.metric);
      out.end_object();
    }
    return give_text(std::move(out.end_array().end_object()).take(), json, error);
  });
}

fr_code fr_device_history(const fr_device* device, char** json, fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  if (device == nullptr) return closed("device", error);
  return in_turn(device->open, error, [&] {
    const Result<DeviceHistory> history = read_history(*device->open->ledger, *device->open->store);
    if (!history) return fail(history.error(), error);
    return give_text(to_json(*history), json, error);
  });
}

fr_code fr_device_set_participation(fr_device* device, const char* participation, fr_error* error) {
  if (device == nullptr) return closed("device", error);
  const std::optional<UserDecision> decided =
      participation == nullptr ? std::nullopt : participation_named(participation);
  if (!decided) {
    return fail(Error{"no such participation; expected \"on\", \"off\" or \"local_only\""}, error);
  }
  return in_turn(device->open, error, [&] {
    if (const Status saved = save_participation(*device->open->store, *decided); !saved) {
      return fail(saved.error(), error);
    }
    device->open->participation = *decided;
    return succeed(error);
  });
}

fr_code fr_device_ask_first(fr_device* device, fr_error* error) {
  if (device == nullptr) return closed("device", error);
  bool remembered = false;
  const fr_code read = in_turn(device->open, error, [&] {
    const Result<bool> known = remembers_participation(*device->open->store);
    if (!known) return fail(known.error(), error);
    remembered = *known;
    return succeed(error);
  });
  if (read != FR_OK || remembered) return read;
  return fr_device_set_participation(device, "local_only", error);
}

void fr_device_close(fr_device** device) {
  if (device == nullptr) return;
  delete std::exchange(*device, nullptr);
}
