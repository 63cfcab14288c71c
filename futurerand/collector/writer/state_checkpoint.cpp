#include "futurerand/collector/writer/state_checkpoint.hpp"

#include <chrono>
#include <thread>

namespace futurerand {
namespace {

// A slice ends with the piece at which either limit is passed.
constexpr std::uint64_t kSliceBytes = 256 << 10;
constexpr std::chrono::milliseconds kSliceTime{4};
// How long to let another thread work before it is asked again.
constexpr std::chrono::milliseconds kPatience{1};

}  // namespace

Result<StateCheckpoint> StateCheckpoint::begin(const State& state, Checkpoints& checkpoints,
                                               std::uint64_t sequence) {
  if (const Status begun = checkpoints.begin(sequence); !begun) return begun.error();
  StateCheckpoint checkpoint(state, checkpoints, state.num_pieces());
  // The list must match this exact commit. Metrics created later come from the log.
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
    if (checkpoints_->is_busy()) return false;
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
  return checkpoints_->commit();
}

Status StateCheckpoint::cut_rest(std::uint64_t sequence) {
  while (true) {
    const Result<bool> cut = cut_slice(sequence);
    if (!cut) return cut.error();
    if (*cut) return {};
    if (checkpoints_->is_busy()) std::this_thread::sleep_for(kPatience);
  }
}

}  // namespace futurerand
