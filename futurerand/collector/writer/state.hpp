// State: all metrics of a collector and what was folded into them. A deterministic function of the
// log: groups give the same bytes on every replay.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/log/log.hpp"
#include "futurerand/collector/log/record.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct Metric {
  std::shared_ptr<const MetricDefinition> definition;
  Fold fold;
  Period manual_period = 1;

  Period period_at(Instant now) const { return definition->period_at(now, manual_period); }
};

class State {
 public:
  explicit State(const HashKey& key) : key_(key) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(metrics_.size()); }
  Metric& metric(std::uint32_t number) { return *metrics_[number]; }
  const Metric& metric(std::uint32_t number) const { return *metrics_[number]; }
  // The number of a metric, or size() if there is none of this name.
  std::uint32_t find(const std::string& name) const;

  // Requires a new name. The newest metric may be taken back.
  void create(MetricDefinition definition);
  void revert_create();

  // A group of the log: everything in it was accepted once and is now, or it is an error.
  Status apply(std::string_view group);

  // The groups after number `sequence`, which becomes that of the last one.
  Status replay(Log& log, std::uint64_t& sequence);

  // Everything, through a checkpoint and back. `save` returns the bytes written.
  Result<std::uint64_t> save(std::uint64_t sequence, Checkpoints& checkpoints) const;
  Status load(Checkpoints& checkpoints);

 private:
  Status apply(const Record& record);

  HashKey key_;
  std::vector<std::unique_ptr<Metric>> metrics_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// The state after everything durable, and the number of its last group.
struct LoadedState {
  State state;
  std::uint64_t sequence = 0;
};
Result<LoadedState> load_state(const HashKey& key, Log& log, Checkpoints& checkpoints);

}  // namespace futurerand
