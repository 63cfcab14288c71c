// Intake: makes API requests durable, and holds the snapshot for readers. It is the writer of an
// embedded collector, or the shards of a cluster.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/collector/writer/write_request.hpp"
#include "futurerand/collector/writer/writer_figures.hpp"

namespace futurerand {

class Intake {
 public:
  virtual ~Intake() = default;

  // `bytes` is roughly the memory held by the request. A refusal means that nothing of the batch
  // counts. For a large batch, or a batch for several shards, it means that not all of it counts.
  // It is safe to send again: duplicates count once.
  virtual void write(Batch batch, std::uint64_t bytes, WhenWritten when) = 0;
  // The change is in the snapshot before the caller is answered.
  virtual void create(MetricDefinition definition, WhenWritten when) = 0;
  virtual void advance(const AdvanceRequest& advance, WhenWritten when) = 0;
  // Erased data leaves the disk with the next checkpoint. That checkpoint begins at once.
  virtual void change(LifecycleChange change, WhenWritten when) = 0;

  // Calls `then`, maybe at once, when the snapshot has every metric that existed at this call.
  // Calls it with false if that cannot be known. An embedded collector's snapshot is always
  // complete.
  virtual void catch_up(const std::function<void(bool)>& then) { then(true); }

  // Returns the newest one.
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
  virtual const WriterFigures& figures() const = 0;
  // Returns how long a call to the disk or the database has been stuck.
  virtual std::chrono::milliseconds stalled() const = 0;
  // The snapshot includes every write accepted by this time. Without a time, it includes every
  // answered write.
  virtual std::optional<Instant> as_of() const { return std::nullopt; }
};

}  // namespace futurerand
