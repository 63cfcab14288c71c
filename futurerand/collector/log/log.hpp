// Log: commits of records in the order in which they were made durable, numbered 1, 2, 3, ...
// without a hole. The state of the collector is a fold over it, so another log (a distributed one,
// say) is one more class. Checkpoints: the state after some commit, so that replay is short.
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
  kFailed,  // what is durable is unknown: the process must stop
  // Of a log that several processes may own, one after the other: the process goes on, but not with
  // this log.
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
  // Is the log still ours? What a state says of a log that somebody else owns by now may be stale.
  // Returns kDurable, or of a log that several processes may own kLost or kUnknown.
  virtual AppendResult confirm() { return {}; }
  // After kNoRoom: is there room again?
  virtual Status recover() = 0;
  // Nothing waits to be written: the moment for what only helps a later start.
  virtual void rest() {}
};

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  // The commits after which checkpoints were begun, newest first. Two are kept, so that damage to
  // one is survived: the log reaches back to the older one, or to its own beginning.
  virtual std::vector<std::uint64_t> sequences() const = 0;
  // The pieces of one of them.
  virtual Status read(std::uint64_t sequence, const VisitPiece& visit) = 0;

  // A new one, from the last commit on; one that was not committed is forgotten. It counts once
  // commit() is durable; then what is older than the two newest is gone.
  virtual Status begin(std::uint64_t sequence) = 0;
  virtual Status put(const CheckpointPiece& piece) = 0;
  // Returns true once it counts, and false if it is to be asked again: another thread is at it.
  virtual Result<bool> commit() = 0;
  // Says whether another thread has so much to do for it that put() and commit() are better called
  // later.
  virtual bool is_busy() const { return false; }
  // Only the newest checkpoint and the log after it stay: what was erased from the state before it
  // was begun is on the disk no more. Until the next one is made, damage to it is not survived.
  virtual Status forget_older() = 0;
};

}  // namespace futurerand
