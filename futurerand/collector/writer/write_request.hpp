// Requests to the writer, and its answers.
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
  kClock,       // the clock has jumped and the current period is unknown: try later
  kStopping,    // try later, or elsewhere
  kMoved,       // another collector is taking over: try later
  kConflict,    // a different metric of this name exists; the clock cannot be advanced;
                // the lifecycle does not allow this change
  kUnexpected,  // the current period is not the expected one
  kGone,        // the metric was deleted meanwhile
};

struct WriteAnswer {
  Written written = Written::kDurable;
  ReportAnswer batch = {};  // of a batch
  bool created = false;     // of a creation: it is new
  Period period = 0;        // of an advance: the new current period
  BatchPart returned = {};  // of kStopping and kMoved: the part not written
};

// It is called on the writer's thread, or at once on the caller's: it must be quick.
using WhenWritten = std::function<void(WriteAnswer)>;

struct AdvanceRequest {
  std::uint32_t metric = 0;
  std::optional<Period> expected = {};  // the period to end; nothing: the current one
};

// A change of a metric's lifecycle, as the log stores it. The writer fills in the period of an end.
using LifecycleChange = std::variant<MetricEnded, MetricReopened, MetricArchived, MetricDeleted,
                                     MetricImported, CandidatesAdded, MetricAnnotated>;

}  // namespace futurerand
