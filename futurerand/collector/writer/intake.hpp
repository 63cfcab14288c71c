// Intake: where what the API was asked becomes durable, and what its readers see: the writer of an
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

  // `bytes` is roughly the memory that the request holds. A refusal means that nothing of it
  // counts, or, of a large batch or one for several shards, that not all of it does: what is sent
  // again counts once.
  virtual void write(Batch batch, std::uint64_t bytes, WhenWritten when) = 0;
  // Whoever is answered that it is done finds it in the snapshot.
  virtual void create(MetricDefinition definition, WhenWritten when) = 0;
  virtual void advance(const AdvanceRequest& advance, WhenWritten when) = 0;
  // What it erases is gone from the disk with the next checkpoint, which is begun at once.
  virtual void change(LifecycleChange change, WhenWritten when) = 0;

  // Calls `then`, maybe at once, when the snapshot has all metrics that there were when this was
  // asked, or with false if nobody can tell. An embedded collector's always has.
  virtual void catch_up(const std::function<void(bool)>& then) { then(true); }

  // Returns the newest one.
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
  virtual const WriterFigures& figures() const = 0;
  // Returns how long the disk, or the database, has not come back.
  virtual std::chrono::milliseconds stalled() const = 0;
  // Returns a time: all that was taken by then is in the snapshot. Without one, whatever was
  // answered is.
  virtual std::optional<Instant> as_of() const { return std::nullopt; }
};

}  // namespace futurerand
