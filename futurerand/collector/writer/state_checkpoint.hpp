// StateCheckpoint: a checkpoint in progress. The writer cuts it in slices between commits, so no
// slice delays a request for long.
//
// Thread safety: that of the state.
#pragma once

#include <cstdint>

#include "futurerand/collector/log/log.hpp"
#include "futurerand/collector/writer/state.hpp"

namespace futurerand {

class StateCheckpoint {
 public:
  // Begins after this group, the last one. Both outlive it.
  static Result<StateCheckpoint> begin(const State& state, Checkpoints& checkpoints,
                                       std::uint64_t sequence);

  // Cuts some more pieces, after commit `sequence`. Returns true once the checkpoint is durable and
  // counts. After an error the caller must give it up.
  Result<bool> cut_slice(std::uint64_t sequence);
  // Cuts all that is left at once, after this group, and waits until it counts.
  Status cut_rest(std::uint64_t sequence);
  // Counts the bytes of the pieces so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  StateCheckpoint(const State& state, Checkpoints& checkpoints, std::uint32_t num_pieces)
      : state_(&state), checkpoints_(&checkpoints), num_pieces_(num_pieces) {}

  const State* state_;
  Checkpoints* checkpoints_;
  std::uint32_t num_pieces_;  // later metrics are in the log
  std::uint32_t next_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace futurerand
