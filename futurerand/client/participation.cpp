#include "futurerand/client/participation.hpp"

#include <array>
#include <utility>

#include "futurerand/client/sealed.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kDecisionRecord = "participation";
constexpr std::string_view kDecisionKind = "frpartic";

constexpr std::array<std::pair<UserDecision, std::string_view>, 3> kDecisionNames = {
    {{UserDecision::kOn, "on"},
     {UserDecision::kLocalOnly, "local_only"},
     {UserDecision::kOff, "off"}}};

}  // namespace

std::string_view name_of(UserDecision participation) {
  return kDecisionNames[static_cast<std::size_t>(participation)].second;
}

std::optional<UserDecision> participation_named(std::string_view name) {
  for (const auto& [participation, known] : kDecisionNames) {
    if (known == name) return participation;
  }
  return std::nullopt;
}

Result<bool> remembers_participation(StateStore& store) {
  const Result<std::optional<Bytes>> bytes = store.load(kDecisionRecord);
  if (!bytes) return bytes.error();
  return bytes->has_value();
}

Result<UserDecision> read_participation(StateStore& store) {
  const Result<std::optional<Bytes>> bytes = store.load(kDecisionRecord);
  if (!bytes) return bytes.error();
  if (!bytes->has_value()) return UserDecision::kOn;
  Result<SealedReader> reader = SealedReader::open(**bytes, "the user's decision", kDecisionKind);
  if (!reader) return reader.error();
  const std::uint8_t number = reader->u8();
  if (!reader->at_end() || number >= kDecisionNames.size()) {
    return Error{"the user's decision is malformed", ErrorCode::kDamaged};
  }
  return kDecisionNames[number].first;
}

Status save_participation(StateStore& store, UserDecision participation) {
  Result<RecordLease> lease = store.lease(kDecisionRecord);
  if (!lease) return lease.error();
  if (const auto loaded = lease->load(); !loaded) return loaded.error();
  SealedWriter writer(kDecisionKind, lease->next_revision());
  writer.u8(static_cast<std::uint8_t>(participation));
  return lease->save(writer.seal());
}

}  // namespace futurerand
