// Log: groups of records in the order in which they were made durable, numbered 1, 2, 3, ...
// without a hole. The state of the collector is a fold over it, so another log (a distributed one,
// say) is one more class. Checkpoints: the state after some group, so that replay is short.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

enum class Appended {
  kDurable,
  kNoRoom,  // nothing counts; the log takes nothing until recover() succeeds
  kFailed,  // what is durable is unknown: the process must stop
};

struct AppendResult {
  Appended appended = Appended::kDurable;
  std::string message;  // of a failure
};

class Log {
 public:
  virtual ~Log() = default;

  // Durable when it says so. Requires sequence = the last one + 1.
  virtual AppendResult append(std::uint64_t sequence, std::string_view group) = 0;
  // After kNoRoom: is there room again?
  virtual Status recover() = 0;
  // Calls visit for each group after this one, in order; stops at the first error. An error of the
  // log itself names the place: a missing or damaged group.
  using Visit = std::function<Status(std::uint64_t sequence, std::string_view group)>;
  virtual Status replay(std::uint64_t after, const Visit& visit) = 0;
};

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  // The group after which the newest checkpoint was taken; 0 if there is none.
  virtual std::uint64_t newest() const = 0;
  // Pieces of a checkpoint to come, in any order; they count once commit() is durable. After that
  // older checkpoints are gone and so is the log up to this one, unless it is kept.
  virtual Status put(std::uint64_t sequence, std::uint32_t piece, std::string_view bytes) = 0;
  virtual Status commit(std::uint64_t sequence) = 0;
  using Visit = std::function<Status(std::uint32_t piece, std::string_view bytes)>;
  // The pieces of the newest checkpoint, in order.
  virtual Status read(const Visit& visit) = 0;
};

}  // namespace futurerand
