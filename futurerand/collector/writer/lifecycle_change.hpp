// LifecycleChange: an operator's change to an existing metric, or the import of one counted
// elsewhere. The operator may end a metric early, archive it or delete it. Each change is one
// record of the log, so replay repeats it.
//
// Thread safety: plain functions and values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "futurerand/collector/writer/state.hpp"
#include "futurerand/collector/writer/write_request.hpp"

namespace futurerand {

struct JudgedChange {
  Written written = Written::kDurable;  // if nothing fails
  bool needed = false;                  // false: refused, or done already
};

// Judges whether the change is allowed now. Ending a closed metric or archiving an archived one is
// already done. Only closed metrics can be archived. If the log keeps every record, no metric can
// be deleted. Fills in the period of an end.
JudgedChange judge(LifecycleChange& change, const State& state, Instant now, bool keeps_log);

// Returns the number of the affected metric.
std::uint32_t metric_of(const LifecycleChange& change, const State& state);
// Returns the bytes for the log.
std::string commit_of(const LifecycleChange& change);

}  // namespace futurerand
