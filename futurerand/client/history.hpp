// History: the facts a device may show its user: the exact lines sent and waiting, the cost of each
// metric, the budget left, and the meaning in words. It reads records and changes nothing. It
// contains no value, noise or key.
//
// Thread safety: that of the store and the ledger.
#pragma once

#include <string>
#include <vector>

#include "futurerand/client/ledger.hpp"
#include "futurerand/client/machine_binding.hpp"
#include "futurerand/client/participation.hpp"
#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

enum class Standing : std::uint8_t { kTakesPart, kLeft, kForgotten, kOver, kLost };

struct MetricHistory {
  Ledger::Entry entry;
  // kOver: a season that ended; its lines are erased. kLost: the state is gone for another reason.
  Standing standing = Standing::kLost;
  std::vector<std::string> sent;     // acknowledged by the collector; without newlines
  std::vector<std::string> waiting;  // they may have been sent, too
};

struct DeviceHistory {
  UserDecision participation = UserDecision::kOn;
  MachineBinding machine = MachineBinding::kUnbound;
  Ledger::Limits limits;
  std::int64_t spent_nanos = 0;
  std::vector<MetricHistory> metrics;  // in the order of joining
};

// The meaning of an epsilon for one person: "whatever anyone thought before, 50% cannot become more
// than 73%".
std::string odds_in_words(std::int64_t epsilon_nanos);

// kDamaged if a record cannot be read.
Result<DeviceHistory> read_history(const Ledger& ledger, StateStore& store);

// {"participation":"on","machine":"bound","ceiling":"4","spent":"1","left":"3","meaning":"...",
// "metrics":[{"metric":...,"season":null,"epsilon":"1","client":...,"standing":"takes_part",
// "sent":[...],"waiting":[...],"meaning":"..."}]}
std::string to_json(const DeviceHistory& history);
// The same for people, as lines of text.
std::string to_text(const DeviceHistory& history);

}  // namespace futurerand
