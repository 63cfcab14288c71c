// MemoryLog: a log that is gone with the process, and fails when told to. For tests.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "futurerand/collector/log/log.hpp"

namespace futurerand {

class MemoryLog final : public Log, public Checkpoints {
 public:
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

  std::uint64_t newest() const override { return newest_; }
  Status put(std::uint64_t sequence, std::uint32_t piece, std::string_view bytes) override {
    if (full) return Error{"told to be full"};
    pieces[sequence][piece] = std::string(bytes);
    return {};
  }
  Status commit(std::uint64_t sequence) override {
    newest_ = sequence;
    pieces.erase(pieces.begin(), pieces.find(sequence));
    groups.erase(groups.begin(), groups.upper_bound(sequence));
    return {};
  }
  Status read(const Checkpoints::Visit& visit) override {
    for (const auto& [piece, bytes] : pieces[newest_]) {
      if (const Status visited = visit(piece, bytes); !visited) return visited;
    }
    return {};
  }

  std::map<std::uint64_t, std::string> groups;
  std::map<std::uint64_t, std::map<std::uint32_t, std::string>> pieces;
  std::atomic<bool> full = false;
  std::atomic<bool> broken = false;

 private:
  std::uint64_t newest_ = 0;
};

}  // namespace futurerand
