// Log: commits of records in the order of their durability, numbered 1, 2, 3, ... without a gap.
// The collector's state is a fold over it. To support another log, for example a distributed one,
// add one more class. Checkpoints: the state after some commit, to keep replay short.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/collector/log/checkpoint_file.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

enum class Appended {
  kDurable,
  kNoRoom,  // nothing counts; the log takes nothing until recover() succeeds
  kFailed,  // the durable state is unknown: the process must stop
  // For a log with changing owners: the process continues, but without this log.
  kLost,     // somebody else owns it now: nothing was written
  kUnknown,  // the commit may be there or not: only owning the log anew tells
};

struct AppendResult {
  Appended appended = Appended::kDurable;
  std::string message = {};  // of a failure
};

class Log {
 public:
  virtual ~Log() = default;

  // Calls visit for each commit after this one, in order; stops at the first error. An error of the
  // log itself names the place: a missing or damaged commit. The first replay comes before anything
  // else.
  using Visit = std::function<Status(std::uint64_t sequence, std::string_view group)>;
  virtual Status replay(std::uint64_t after, const Visit& visit) = 0;
  // Durable when it says so. Requires sequence = the last one + 1.
  virtual AppendResult append(std::uint64_t sequence, std::string_view group) = 0;
  // Asks whether the log is still ours. If it has another owner by now, our state may be stale.
  // Returns kDurable. For a log with changing owners it may return kLost or kUnknown.
  virtual AppendResult confirm() { return {}; }
  // After kNoRoom: is there room again?
  virtual Status recover() = 0;
  // Nothing waits to be written. The right time for work in favour of a later start.
  virtual void rest() {}
};

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  // The last commit inside each checkpoint, newest first. Two are kept, to survive damage to one.
  // The log reaches back to the older one, or to its own beginning.
  virtual std::vector<std::uint64_t> sequences() const = 0;
  // The pieces of one of them.
  virtual Status read(std::uint64_t sequence, const VisitPiece& visit) = 0;

  // Begins a new checkpoint at the last commit. An uncommitted one is dropped. The new one counts
  // once commit() is durable. Then all but the two newest are removed.
  virtual Status begin(std::uint64_t sequence) = 0;
  virtual Status put(const CheckpointPiece& piece) = 0;
  // Returns true once it counts, and false if it is to be asked again: another thread is at it.
  virtual Result<bool> commit() = 0;
  // True if put() and commit() should wait because another thread is busy with the checkpoint.
  virtual bool is_busy() const { return false; }
  // Keeps only the newest checkpoint and the log after it. Data erased before that checkpoint began
  // is then off the disk. Until the next checkpoint, damage to this one is fatal.
  virtual Status forget_older() = 0;
};

}  // namespace futurerand
