// What the writer is asked to do, and what it answers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "futurerand/collector/writer/commit_batch.hpp"
#include "futurerand/wire/metric.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

enum class Written {
  kDurable,
  kNoRoom,      // the disk is full: try later
  kBusy,        // too much is waiting: try later
  kNoMemory,    // no room in memory for more devices: try later
  kClock,       // the clock has jumped, and nobody knows which period it is: try later
  kStopping,    // try later, or elsewhere
  kMoved,       // another collector is taking over: try later
  kConflict,    // a metric of this name exists and is another one; a clock that cannot be advanced;
                // a lifecycle that cannot be changed like this
  kUnexpected,  // another period is running than the one that was expected
  kGone,        // the metric was deleted meanwhile
};

struct WriteAnswer {
  Written written = Written::kDurable;
  ReportAnswer batch = {};  // of a batch
  bool created = false;     // of a creation: it is new
  Period period = 0;        // of an advance: the period that runs now
  BatchPart returned = {};  // of kStopping and kMoved: what was not taken
};

// It is called on the writer's thread, or at once on the caller's: it must be quick.
using WhenWritten = std::function<void(WriteAnswer)>;

struct AdvanceRequest {
  std::uint32_t metric = 0;
  std::optional<Period> expected = {};  // the period that is to be over; nothing: whichever runs
};

// A change of a metric's lifecycle, as the log stores it. The writer fills in the period of an end.
using LifecycleChange = std::variant<MetricEnded, MetricReopened, MetricArchived, MetricDeleted,
                                     MetricImported, CandidatesAdded>;

}  // namespace futurerand
