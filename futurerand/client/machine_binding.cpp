#include "futurerand/client/machine_binding.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <sodium.h>

#include "futurerand/client/record_lease.hpp"
#include "futurerand/client/sealed.hpp"
#include "futurerand/entropy/checked_entropy.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kMachineRecord = "machine";
constexpr std::string_view kMachineKind = "frmachin";

struct Binding {
  Digest key{};
  Digest hash{};
  bool retired = false;
};

Digest hash_of(const Digest& key, std::string_view identity) {
  Digest hash;
  const auto bytes = bytes_of(identity);
  crypto_generichash(hash.data(), hash.size(), bytes.data(), bytes.size(), key.data(), key.size());
  return hash;
}

Result<std::optional<Binding>> read_binding(const std::optional<Bytes>& bytes) {
  if (!bytes) return std::optional<Binding>();
  Result<SealedReader> reader = SealedReader::open(*bytes, "the machine's record", kMachineKind);
  if (!reader) return reader.error();
  Binding binding;
  reader->raw(binding.key);
  reader->raw(binding.hash);
  const std::uint8_t retired = reader->u8();
  if (!reader->at_end() || retired > 1) {
    return Error{"the machine's record is malformed", ErrorCode::kDamaged};
  }
  binding.retired = retired == 1;
  return std::optional<Binding>(binding);
}

Status save_binding(RecordLease& lease, const Binding& binding) {
  SealedWriter writer(kMachineKind, lease.next_revision());
  writer.raw(binding.key);
  writer.raw(binding.hash);
  writer.u8(binding.retired ? 1 : 0);
  return lease.save(writer.seal());
}

}  // namespace

std::string_view name_of(MachineBinding binding) {
  constexpr std::array<std::string_view, 3> kNames = {"unbound", "bound", "retired"};
  return kNames[static_cast<std::size_t>(binding)];
}

Status bind_to_machine(StateStore& store, std::string_view identity, RandomSource& entropy) {
  Result<RecordLease> lease = store.lease(kMachineRecord);
  if (!lease) return lease.error();
  const Result<std::optional<Bytes>> bytes = lease->load();
  if (!bytes) return bytes.error();
  Result<std::optional<Binding>> saved = read_binding(*bytes);
  if (!saved) return saved.error();
  if (!saved->has_value()) {
    Binding binding;
    std::array<std::uint64_t, sizeof(Digest) / 8> words{};
    CheckedEntropy checked(entropy);
    if (!checked.fill(words)) {
      return Error{"the random source failed; the records are not bound", ErrorCode::kNoEntropy};
    }
    std::copy_n(reinterpret_cast<const std::uint8_t*>(words.data()), sizeof(Digest),
                binding.key.begin());
    binding.hash = hash_of(binding.key, identity);
    return save_binding(*lease, binding);
  }
  Binding& binding = **saved;
  const Digest hash = hash_of(binding.key, identity);
  if (!binding.retired && hash == binding.hash) return {};
  if (!binding.retired) {
    // Refused in any case. If this is not saved, it is refused only while the identity differs.
    binding.retired = true;
    (void)save_binding(*lease, binding);
  }
  return Error{
      "these records were made on another machine: their folder was copied, or an image was "
      "cloned. "
      "This copy has retired, and sends nothing; expected a new device in a new folder",
      ErrorCode::kRefused};
}

Result<MachineBinding> read_machine_binding(StateStore& store) {
  const Result<std::optional<Bytes>> bytes = store.load(kMachineRecord);
  if (!bytes) return bytes.error();
  const Result<std::optional<Binding>> saved = read_binding(*bytes);
  if (!saved) return saved.error();
  if (!saved->has_value()) return MachineBinding::kUnbound;
  return (*saved)->retired ? MachineBinding::kRetired : MachineBinding::kBound;
}

}  // namespace futurerand
