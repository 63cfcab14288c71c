#include "futurerand/client/record_lease.hpp"

#include <algorithm>
#include <utility>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace futurerand {
namespace {

// WebAssembly has no processes.
std::int64_t this_process() {
#if __has_include(<unistd.h>) && !defined(__wasi__)
  return ::getpid();
#else
  return 0;
#endif
}

}  // namespace

StateStore::StateStore(MonotonicCounter* counter) : counter_(counter), process_(this_process()) {}

Result<RecordLease> StateStore::lease(std::string_view record) {
  if (process_ != this_process()) {
    return Error{"the state was opened before this process was forked; expected to open it again",
                 ErrorCode::kBusy};
  }
  if (!leased_.insert(std::string(record)).second) {
    return Error{"the record '" + std::string(record) +
                     "' is in use; expected one ledger, and one client for each metric, at a time",
                 ErrorCode::kBusy};
  }
  return RecordLease(*this, record);
}

RecordLease::RecordLease(RecordLease&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)),
      record_(std::move(other.record_)),
      seen_(other.seen_),
      attempted_(other.attempted_),
      stopped_(other.stopped_) {}

RecordLease& RecordLease::operator=(RecordLease&& other) noexcept {
  if (this == &other) return *this;
  release();
  store_ = std::exchange(other.store_, nullptr);
  record_ = std::move(other.record_);
  seen_ = other.seen_;
  attempted_ = other.attempted_;
  stopped_ = other.stopped_;
  return *this;
}

void RecordLease::release() {
  if (store_ != nullptr) store_->leased_.erase(record_);
  store_ = nullptr;
}

RecordLease::Identity RecordLease::identity_of(std::span<const std::uint8_t> bytes) {
  Identity identity{revision_of(bytes).generation, {}};
  const std::size_t size = std::min(bytes.size(), identity.checksum.size());
  std::copy_n(bytes.last(size).begin(), size, identity.checksum.begin());
  return identity;
}

Result<std::optional<Bytes>> RecordLease::load() {
  Result<std::optional<Bytes>> bytes = store_->load(record_);
  if (!bytes) return bytes;
  if (const Status current = check_counter(*bytes); !current) {
    if (bytes->has_value()) erase(**bytes);
    return current.error();
  }
  seen_ = bytes->has_value() ? identity_of(**bytes) : Identity{};
  attempted_.reset();
  return bytes;
}

Status RecordLease::check_counter(const std::optional<Bytes>& bytes) {
  // A damaged record says nothing of its age; whoever reads it refuses it.
  if (bytes && !is_sealed(*bytes)) return {};
  const Revision revision = bytes ? revision_of(*bytes) : Revision{};
  if (store_->counter_ == nullptr) {
    if (!revision.counted) return {};
    return Error{"the record '" + record_ + "' is guarded by a counter; expected to be given it",
                 ErrorCode::kDamaged};
  }
  const Result<std::uint64_t> value = store_->counter_->read(record_);
  if (!value) return value.error();
  if (revision.generation < *value) {
    return Error{"the record '" + record_ + "' is of generation " +
                     std::to_string(revision.generation) + ", and this device's counter says " +
                     std::to_string(*value) + "; expected the latest one, not an old copy",
                 ErrorCode::kDamaged};
  }
  if (revision.counted && revision.generation > *value + 1) {
    return Error{"the record '" + record_ + "' is of generation " +
                     std::to_string(revision.generation) + ", and this device's counter says " +
                     std::to_string(*value) + "; expected a record of this device",
                 ErrorCode::kDamaged};
  }
  if (revision.generation == *value) return {};
  return store_->counter_->raise(record_, revision.generation);
}

Revision RecordLease::next_revision(Step step) const {
  const bool counted = store_->counter_ != nullptr;
  // A record without a generation yet has no earlier one to stay at.
  const bool stays = counted && step == Step::kNotCounted && seen_.generation > 0;
  return {seen_.generation + (stays ? 0 : 1), counted};
}

Status RecordLease::save(const Bytes& sealed) {
  if (store_->process_ != this_process()) {
    stopped_ = true;
    return Error{"this process was forked from the one that holds the record '" + record_ +
                     "'; expected only that one to go on",
                 ErrorCode::kBusy};
  }
  Result<std::optional<Bytes>> now = store_->load(record_);
  if (!now) return now.error();
  const Identity current = now->has_value() ? identity_of(**now) : Identity{};
  if (now->has_value()) erase(**now);
  stopped_ |= current != seen_ && !(attempted_ && current == *attempted_);
  if (stopped_) {
    return Error{"the record '" + record_ + "' was changed by somebody else since it was read; " +
                     "expected one holder at a time",
                 ErrorCode::kBusy};
  }
  const Identity saved = identity_of(sealed);
  attempted_ = saved;
  if (const Status kept = store_->save(record_, sealed); !kept) return kept;
  if (store_->counter_ != nullptr && saved.generation != seen_.generation) {
    if (const Status raised = store_->counter_->raise(record_, saved.generation); !raised) {
      return raised;
    }
  }
  seen_ = saved;
  attempted_.reset();
  return {};
}

}  // namespace futurerand
