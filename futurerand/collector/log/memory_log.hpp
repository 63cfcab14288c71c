// MemoryLog: a log in memory only, with failures on demand. For tests.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "futurerand/collector/log/log.hpp"

namespace futurerand {

class MemoryLog final : public Log, public Checkpoints {
 public:
  struct Piece {
    std::uint32_t number;
    std::uint64_t cut;
    std::string bytes;
  };

  AppendResult append(std::uint64_t sequence, std::string_view group) override {
    if (full) return {Appended::kNoRoom, "told to be full"};
    if (broken) return {Appended::kFailed, "told to fail"};
    groups[sequence] = std::string(group);
    return {};
  }
  Status recover() override {
    if (full) return Error{"still full"};
    return {};
  }
  Status replay(std::uint64_t after, const Log::Visit& visit) override {
    for (const auto& [sequence, group] : groups) {
      if (sequence <= after) continue;
      if (const Status visited = visit(sequence, group); !visited) return visited;
    }
    return {};
  }

  std::vector<std::uint64_t> sequences() const override {
    std::vector<std::uint64_t> newest_first;
    for (auto at = checkpoints.rbegin(); at != checkpoints.rend(); ++at) {
      newest_first.push_back(at->first);
    }
    return newest_first;
  }
  Status read(std::uint64_t sequence, const VisitPiece& visit) override {
    for (const Piece& piece : checkpoints[sequence]) {
      const Status visited = visit({piece.number, piece.cut, piece.bytes});
      if (!visited) return visited;
    }
    return {};
  }
  Status begin(std::uint64_t sequence) override {
    begun_ = sequence;
    pieces_.clear();
    return {};
  }
  Status put(const CheckpointPiece& piece) override {
    if (full) return Error{"told to be full"};
    pieces_.push_back({piece.number, piece.cut, std::string(piece.bytes)});
    return {};
  }
  Result<bool> commit() override {
    checkpoints[begun_] = std::move(pieces_);
    while (checkpoints.size() > 2) checkpoints.erase(checkpoints.begin());
    if (checkpoints.size() == 2) {
      groups.erase(groups.begin(), groups.upper_bound(checkpoints.begin()->first));
    }
    return true;
  }

  Status forget_older() override {
    while (checkpoints.size() > 1) checkpoints.erase(checkpoints.begin());
    if (!checkpoints.empty()) {
      groups.erase(groups.begin(), groups.upper_bound(checkpoints.begin()->first));
    }
    return {};
  }

  std::map<std::uint64_t, std::string> groups;
  std::map<std::uint64_t, std::vector<Piece>> checkpoints;
  std::atomic<bool> full = false;
  std::atomic<bool> broken = false;

 private:
  std::uint64_t begun_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace futurerand
