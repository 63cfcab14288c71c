#include "futurerand/client/record_counters.hpp"

#include "futurerand/client/sealed.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kCounterRecord = "counter";
constexpr std::string_view kCounterKind = "frcountr";
constexpr std::size_t kMaxNameBytes = 64;

Error old_copy(const std::string& message) {
  return {message + "; expected the latest records of this device, not an old copy",
          ErrorCode::kDamaged};
}

}  // namespace

Status RecordCounters::open(StateStore& store, HardwareCounter& hardware) {
  const Result<std::optional<std::uint64_t>> counted = hardware.read();
  if (!counted) return counted.error();
  const Result<std::optional<Bytes>> bytes = store.load(kCounterRecord);
  if (!bytes) return bytes.error();
  hardware_ = &hardware;
  store_ = &store;
  const auto fail = [&](Error error) -> Status {
    store_ = nullptr;
    return error;
  };
  if (!bytes->has_value()) {
    if (*counted) return fail(old_copy("the counter " + hardware.name() + " has no record"));
    const Result<std::uint64_t> first = hardware.increment();
    if (!first) return fail(first.error());
    if (const Status saved = save(*first); !saved) return fail(saved.error());
    value_ = *first;
    return {};
  }
  Result<SealedReader> reader = SealedReader::open(**bytes, "the counter's record", kCounterKind);
  if (!reader) return fail(reader.error());
  const std::string name = reader->text(kMaxNameBytes);
  value_ = reader->u64();
  const std::uint32_t size = reader->u32();
  for (std::uint32_t i = 0; i < size && !reader->failed(); ++i) {
    std::string record = reader->text(kMaxNameBytes);
    generations_[std::move(record)] = reader->u64();
  }
  if (!reader->at_end()) {
    return fail(Error{"the counter's record is malformed", ErrorCode::kDamaged});
  }
  if (name != hardware.name()) {
    return fail(old_copy("these records count with " + name + ", and not with " + hardware.name()));
  }
  const std::string said = *counted ? std::to_string(**counted) : "nothing";
  // One ahead: the power was cut between the record and the hardware.
  if (*counted && value_ == **counted + 1) {
    if (const Status stepped = step(value_); !stepped) return fail(stepped.error());
    return {};
  }
  if (*counted && value_ == **counted) return {};
  return fail(old_copy("the records count to " + std::to_string(value_) + ", and the counter " +
                       name + " to " + said));
}

Status RecordCounters::save(std::uint64_t value) {
  SealedWriter writer(kCounterKind, {value, false});
  writer.text(hardware_->name());
  writer.u64(value);
  writer.u32(static_cast<std::uint32_t>(generations_.size()));
  for (const auto& [record, generation] : generations_) {
    writer.text(record);
    writer.u64(generation);
  }
  return store_->save(kCounterRecord, writer.seal());
}

Status RecordCounters::step(std::uint64_t value) {
  const Result<std::uint64_t> stepped = hardware_->increment();
  if (!stepped) return stepped.error();
  if (*stepped == value) return {};
  return old_copy("the counter " + hardware_->name() + " went to " + std::to_string(*stepped) +
                  " where " + std::to_string(value) + " was next");
}

Result<std::uint64_t> RecordCounters::read(std::string_view record) {
  if (store_ == nullptr) {
    return Error{"the counter failed; expected to open the device again", ErrorCode::kNotFound};
  }
  const auto found = generations_.find(record);
  return found == generations_.end() ? 0 : found->second;
}

Status RecordCounters::raise(std::string_view record, std::uint64_t value) {
  const Result<std::uint64_t> now = read(record);
  if (!now) return now.error();
  if (*now == value) return {};
  generations_[std::string(record)] = value;
  Status raised = save(value_ + 1);
  if (raised) raised = step(value_ + 1);
  if (raised) {
    ++value_;
    return {};
  }
  // The saved records may be one step ahead. Opening them again decides it.
  store_ = nullptr;
  return raised;
}

}  // namespace futurerand
