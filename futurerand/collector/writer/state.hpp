// State: all metrics of a collector, with their folded reports. It is a deterministic function of
// the log: every replay gives the same bytes.
//
// A checkpoint is cut piece by piece between commits, so each piece has its own cut: the last
// commit before it was taken. Replay starts at the commit of the first cut. It applies each message
// only to the pieces cut before that message.
//
// Thread safety: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/log/event.hpp"
#include "futurerand/collector/log/log.hpp"
#include "futurerand/collector/log/record.hpp"
#include "futurerand/collector/writer/final_season.hpp"
#include "futurerand/collector/writer/metric_presence.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct Metric : MetricLifecycle {
  Fold fold;
  FinalSeasons final_seasons = {};  // of a metric without an end

  std::uint64_t memory_bytes() const;
  // Accepts nothing from now on, and drops the clients' data.
  void close(Period period) {
    ended = period;
    fold.drop_clients();
  }
};

class State {
 public:
  // A checkpoint that is loaded brings its own key.
  explicit State(const HashKey& key) : key_(key) {}
  const HashKey& key() const { return key_; }

  // Returns how many there ever were: numbers are not given again.
  std::uint32_t size() const { return static_cast<std::uint32_t>(metrics_.size()); }
  // Returns false once it is deleted.
  bool has(std::uint32_t number) const { return number < size() && metrics_[number] != nullptr; }
  // Requires has(number).
  Metric& metric(std::uint32_t number) { return *metrics_[number]; }
  const Metric& metric(std::uint32_t number) const { return *metrics_[number]; }
  // Returns the number of a metric, or size() if there is none of this name.
  std::uint32_t find(const std::string& name) const;

  // Requires a new name. The newest metric may be taken back.
  void create(NewMetric metric);
  void revert_create();
  // Closes it in this period: its clients go.
  void close(std::uint32_t number, Period period);
  // Returns the figures of a season in the format of SeasonFinalized. Requires a season.
  std::string final_figures(std::uint32_t number, Period period) const;
  // Returns the numbers of an endless metric's seasons, without the final ones.
  std::vector<std::uint32_t> seasons_of(const MetricDefinition& metric) const;
  // Returns the number of this season's metric, or size() if that was deleted. A later metric with
  // the same name is a different one, with other sources.
  std::uint32_t endless_of(const MetricDefinition& season) const;
  // Grows when a name comes or goes.
  std::uint64_t names_version() const { return names_version_; }

  // Says whether earlier checkpoints or commits still contain erased data. take_erased() also
  // resets this.
  bool take_erased() { return std::exchange(erased_, false); }
  void owe_erasure() { erased_ = true; }
  bool owes_erasure() const { return erased_; }

  // Applies a commit of the log. Everything in it was accepted before. It is an error if anything
  // is rejected now.
  Status apply(std::uint64_t sequence, std::string_view group);

  // Applies all commits after number `sequence`. Sets `sequence` to the last one, and adds their
  // bytes to `bytes`.
  Status replay(Log& log, std::uint64_t& sequence, std::uint64_t& bytes);

  // Pieces of a checkpoint. Piece 0 has the hash key and the list of metrics, and must be cut
  // first. The pieces of each listed metric follow in any order.
  std::uint32_t num_pieces() const;
  // Returns false for pieces of deleted metrics.
  bool has_piece(std::uint32_t number) const;
  std::string piece(std::uint32_t number) const;
  // Loads into a new state. Returns the bytes of the pieces.
  Result<std::uint64_t> load(Checkpoints& checkpoints, std::uint64_t sequence);

  // Counts the bytes of all metrics.
  std::uint64_t memory_bytes() const;

 private:
  // The cut of each piece of a loaded metric.
  struct Cuts {
    std::uint64_t sums = 0;
    std::array<std::uint64_t, ClientTable::kNumShards> clients{};
  };

  Status apply(std::uint64_t sequence, const Record& record);
  Status apply(std::uint64_t sequence, const MessagesAccepted& accepted);
  Status apply(const MetricImported& imported);
  Status apply(const SeasonFinalized& finalized);
  void end(const MetricEnded& ended);
  Status reopen(std::uint32_t number);
  // The metric of this definition becomes the next one.
  Status create(std::string_view definition);
  void erase(std::uint32_t number);
  Status load_list(std::string_view bytes);

  HashKey key_;
  std::vector<std::unique_ptr<Metric>> metrics_;  // null if deleted
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<Cuts> cuts_;  // by metric; empty if not loaded
  std::uint64_t names_version_ = 0;
  bool erased_ = false;
};

// This is the state after everything durable.
struct LoadedState {
  State state;
  std::uint64_t sequence = 0;          // of its last group
  std::uint64_t log_bytes = 0;         // of the groups after the checkpoint
  std::uint64_t checkpoint_bytes = 0;  // 0: there was none
};
// Loads the newest readable checkpoint and the log after it, or the whole log. Reports unreadable
// checkpoints to `say`.
Result<LoadedState> load_state(const HashKey& key, Log& log, Checkpoints& checkpoints,
                               const Say& say);

}  // namespace futurerand
