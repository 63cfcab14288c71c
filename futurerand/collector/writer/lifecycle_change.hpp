// LifecycleChange: what an operator may do to a metric besides creating it: end it before its time,
// put it out of sight, delete it, or bring one that was counted elsewhere. Each is one record of
// the log, so that replay does the same.
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

// Says whether it may be made now. Ending one that is closed and archiving one that is archived are
// done already. Only closed metrics are archived, and where the log keeps every record none is
// deleted. Fills in the period of an end.
JudgedChange judge(LifecycleChange& change, const State& state, Instant now, bool keeps_log);

// Returns the number of the metric that it concerns.
std::uint32_t metric_of(const LifecycleChange& change, const State& state);
// Returns what the log is to hold.
std::string commit_of(const LifecycleChange& change);

}  // namespace futurerand
