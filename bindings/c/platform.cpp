// What an operating system gives by default: files for the records, and its own entropy. A platform
// without them brings another file in place of this one (bindings/js/wasm).
#include <ctime>

#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/client/machine_binding.hpp"
#include "futurerand/client/record_counters.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/tpm/tpm_counter.hpp"

namespace futurerand::c {

std::unique_ptr<RandomSource> default_entropy() { return std::make_unique<SystemEntropy>(); }

std::int64_t default_seconds() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace futurerand::c

using namespace futurerand;
using namespace futurerand::c;

namespace {

// What counts for a folder's records, if the application asked for a TPM.
struct FolderGuards {
  std::unique_ptr<HardwareCounter> hardware;
  std::unique_ptr<RecordCounters> counters;
};

Status check_machine(StateStore& store, const char* given) {
  if (given != nullptr && *given == '\0') return {};
  const std::string identity = given == nullptr ? system_machine_identity() : std::string(given);
  if (!identity.empty()) return bind_to_machine(store, identity, *default_entropy());
  const Result<MachineBinding> binding = read_machine_binding(store);
  if (!binding) return binding.error();
  if (*binding == MachineBinding::kUnbound) return {};  // fr_device_history() says so
  return Error{
      "this machine's identity cannot be read; expected the one to which these records are "
      "bound",
      ErrorCode::kNotFound};
}

}  // namespace

fr_code fr_device_open_guarded(const char* folder, const fr_guards* guards, const char* ceiling,
                               const char* per_metric, const fr_entropy* entropy,
                               fr_device** device, fr_error* error) {
  if (const fr_code code = clear_out(device, error)) return code;
  if (folder == nullptr || *folder == '\0') {
    return fail(Error{"no folder; expected the path of one"}, error);
  }
  const fr_guards chosen = guards == nullptr ? fr_guards{nullptr, nullptr, 0} : *guards;
  return guarded(error, [&] {
    const auto kept = std::make_shared<FolderGuards>();
    if (chosen.tpm != nullptr) kept->counters = std::make_unique<RecordCounters>();
    Result<FileStateStore> opened = FileStateStore::open(folder, kept->counters.get());
    if (!opened) return fail(opened.error(), error);
    auto store = std::make_unique<FileStateStore>(*std::move(opened));
    if (chosen.tpm != nullptr) {
      Result<std::unique_ptr<HardwareCounter>> tpm =
          open_tpm_counter(chosen.tpm, chosen.tpm_index, folder);
      if (!tpm) return fail(tpm.error(), error);
      kept->hardware = *std::move(tpm);
      const Status counts = kept->counters->open(*store, *kept->hardware);
      if (!counts) return fail(counts.error(), error);
    }
    if (const Status same = check_machine(*store, chosen.machine); !same) {
      return fail(same.error(), error);
    }
    return open_device(std::move(store), ceiling, per_metric, entropy, device, error, kept);
  });
}

fr_code fr_device_open_folder(const char* folder, const char* ceiling, const char* per_metric,
                              const fr_entropy* entropy, fr_device** device, fr_error* error) {
  return fr_device_open_guarded(folder, nullptr, ceiling, per_metric, entropy, device, error);
}
