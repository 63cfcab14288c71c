// What an operating system gives by default: files for the records, and its own entropy. A platform
// without them brings another file in place of this one (bindings/js/wasm).
#include <ctime>

#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/entropy/system_entropy.hpp"

namespace futurerand::c {

std::unique_ptr<RandomSource> default_entropy() { return std::make_unique<SystemEntropy>(); }

std::int64_t default_seconds() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace futurerand::c

using namespace futurerand;
using namespace futurerand::c;

fr_code fr_device_open_folder(const char* folder, const char* ceiling, const char* per_metric,
                              const fr_entropy* entropy, fr_device** device, fr_error* error) {
  if (const fr_code code = clear_out(device, error)) return code;
  if (folder == nullptr || *folder == '\0') {
    return fail(Error{"no folder; expected the path of one"}, error);
  }
  return guarded(error, [&] {
    Result<FileStateStore> store = FileStateStore::open(folder);
    if (!store) return fail(store.error(), error);
    return open_device(std::make_unique<FileStateStore>(*std::move(store)), ceiling, per_metric,
                       entropy, device, error);
  });
}
