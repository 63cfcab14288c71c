#include "futurerand/collector/log/checkpoint_thread.hpp"

namespace futurerand {
namespace {

// Enough for the disk to go on while the next pieces are cut.
constexpr std::uint64_t kMaxWaitingBytes = 1 << 20;

}  // namespace

CheckpointThread::CheckpointThread(CheckpointFile file, std::function<void()> then)
    : file_(std::move(file)), then_(std::move(then)), thread_([this] { run(); }) {}

CheckpointThread::~CheckpointThread() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

bool CheckpointThread::is_busy() const {
  const std::lock_guard lock(mutex_);
  return !over_ && (ending_ || waiting_bytes_ >= kMaxWaitingBytes);
}

Status CheckpointThread::put(const CheckpointPiece& piece) {
  std::string bytes(piece.bytes);
  const std::lock_guard lock(mutex_);
  waiting_bytes_ += bytes.size();
  waiting_.push_back({piece.number, piece.cut, std::move(bytes)});
  wake_.notify_one();
  return status_;
}

Result<bool> CheckpointThread::commit() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  wake_.notify_one();
  if (!status_) return status_.error();
  return over_;
}

bool CheckpointThread::next(Waiting& piece) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return given_up_ || ending_ || !waiting_.empty(); });
  if (given_up_ || waiting_.empty()) return false;
  piece = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

void CheckpointThread::run() {
  Status status;
  for (Waiting piece; status && next(piece);) {
    status = file_.put({piece.number, piece.cut, piece.bytes});
    const std::lock_guard lock(mutex_);
    waiting_bytes_ -= piece.bytes.size();
  }
  bool counts = false;
  {
    const std::lock_guard lock(mutex_);
    counts = status && !given_up_;
  }
  // It becomes durable before it gets its name, and what is older goes after that.
  if (counts) status = file_.commit();
  if (counts && status) then_();
  const std::lock_guard lock(mutex_);
  status_ = status;
  over_ = true;
}

}  // namespace futurerand
