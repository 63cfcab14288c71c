#include "futurerand/collector/writer/state_checkpoint.hpp"

#include <chrono>

namespace futurerand {
namespace {

// A slice ends with the piece that passes either of them.
constexpr std::uint64_t kSliceBytes = 256 << 10;
constexpr std::chrono::milliseconds kSliceTime{4};

}  // namespace

Result<StateCheckpoint> StateCheckpoint::begin(const State& state, Checkpoints& checkpoints,
                                               std::uint64_t sequence) {
  if (const Status begun = checkpoints.begin(sequence); !begun) return begun.error();
  StateCheckpoint checkpoint(state, checkpoints, state.num_pieces());
  // The list must be of this very group: metrics that are created later come from the log.
  const std::string list = state.piece(checkpoint.next_);
  const Status put = checkpoints.put({checkpoint.next_++, sequence, list});
  if (!put) return put.error();
  checkpoint.bytes_ = list.size();
  return checkpoint;
}

Result<bool> StateCheckpoint::cut_slice(std::uint64_t sequence) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t bytes_before = bytes_;
  while (next_ < num_pieces_) {
    if (!state_->has_piece(next_)) {
      ++next_;
      continue;
    }
    const std::string piece = state_->piece(next_);
    const Status put = checkpoints_->put({next_++, sequence, piece});
    if (!put) return put.error();
    bytes_ += piece.size();
    if (bytes_ - bytes_before >= kSliceBytes ||
        std::chrono::steady_clock::now() - begin >= kSliceTime) {
      return false;
    }
  }
  if (const Status committed = checkpoints_->commit(); !committed) return committed.error();
  return true;
}

}  // namespace futurerand
