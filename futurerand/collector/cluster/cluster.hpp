// Cluster: this collector's part in a cluster. Any collector accepts any request. Lines for its own
// shards go to their writers, and the rest goes to the owners in one call each. Reads return the
// sums of all shards, about a second old.
//
// Thread safety: all of it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "futurerand/collector/api/access_tokens.hpp"
#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/api/work_thread.hpp"
#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/cluster_file.hpp"
#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/collector/cluster/forwarded_batch.hpp"
#include "futurerand/collector/cluster/lease_watch.hpp"
#include "futurerand/collector/cluster/merged_snapshot.hpp"
#include "futurerand/collector/cluster/peers.hpp"
#include "futurerand/collector/cluster/resends.hpp"
#include "futurerand/collector/cluster/shard_hash.hpp"
#include "futurerand/collector/cluster/shard_keeper.hpp"
#include "futurerand/collector/cluster/shared_look.hpp"
#include "futurerand/collector/writer/intake.hpp"

namespace futurerand {

struct ClusterOptions {
  ClusterFile file;
  std::string owner;     // random: names this process
  std::string address;   // HOST:PORT of this collector, for the others
  WriterOptions writer;  // for each shard; its clock is the database's
  HashKey key;
  std::chrono::milliseconds clock_patience{600'000};
  ConnectPeer connect;
  std::uint64_t max_call_bytes = 0;  // largest request to another collector
  Say say;
};

// Returns the databases of a cluster file. They are connected when first used.
std::vector<std::unique_ptr<Database>> databases_of(const ClusterFile& file);

class Cluster final : public Intake {
 public:
  // Waits for database 0, and for the lease of an earlier process at this address. Fails if a
  // database belongs to another cluster, or if another collector has this address.
  static Result<std::unique_ptr<Cluster>> join(const ClusterOptions& options);
  ~Cluster() override;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  void write(Batch batch, std::uint64_t bytes, WhenWritten when) override;
  void create(MetricDefinition definition, WhenWritten when) override;
  void advance(const AdvanceRequest& advance, WhenWritten when) override;
  void change(LifecycleChange change, WhenWritten when) override;
  // The database is asked a few times a second at most, for any number of callers.
  void catch_up(const std::function<void(bool)>& then) override { looks_.ask(then); }
  std::shared_ptr<const Snapshot> snapshot() const override;
  const WriterFigures& figures() const override { return figures_; }
  std::chrono::milliseconds stalled() const override;
  std::optional<Instant> as_of() const override;

  // Returns the time of database 0's clock, unless that clock has jumped.
  Instant now() const { return clock_.at(GuardedClock::steady_now()); }
  // Accepts that clock, here and in all collectors. Returns false if the database does not answer.
  bool confirm_clock();
  bool is_clock_stopped() const { return clock_.is_stopped(); }
  // Returns the calls between collectors, and the operator's.
  std::vector<Route> routes();
  const ClusterTerms& terms() const { return terms_; }

  // Hands over all shards and accepts no new ones. Later requests go to other collectors.
  void leave();
  // Answers requests in progress, before the server stops.
  void stop();

 private:
  Cluster(const ClusterOptions& options, const ClusterTerms& terms,
          std::vector<std::unique_ptr<Database>> databases);

  // Sends the parts of a batch to their owners. Parts without an owner wait.
  void scatter(const BatchPart& part, std::uint64_t bytes,
               const std::shared_ptr<Delivery>& delivery);
  void write_here(OwnedShard& shard, Resends::Part part);
  void forward(const std::string& address, std::uint32_t database, std::string packed,
               const std::shared_ptr<Delivery>& delivery);
  // Accepts the batches in one call of another collector.
  void take_forwarded(const Call& call, const Respond& respond);
  void take_forwarded(ForwardedBatch forwarded, std::uint64_t bytes, WhenWritten when);
  // Sends a request to all others without waiting for an answer.
  void tell_others(const std::string& path, const std::shared_ptr<void>& until_told);
  std::vector<std::shared_ptr<OwnedShard>> owned() const;

  // Runs it on that thread; an exception there ends the process in order.
  void post(WorkThread& thread, std::function<void()> work);
  Status register_here();
  // Makes all own shards write the catalogue's news into their logs, and waits.
  void follow_catalogue();
  // The same for the other collectors, as far as they answer.
  void tell_peers();
  // Reads the owners of all shards now.
  void look();
  void spread_updates();
  void beat();          // a thread: heartbeat, other collectors, news
  bool follow_clock();  // false if the database did not answer
  void look_around();
  // Publishes the sums of all shards for readers. Without `now` only if the catalogue changed or
  // the cost is small.
  void publish(bool now);
  // Reads the catalogue now, and publishes its news. Returns false if the database did not answer.
  bool read_updates();
  std::vector<LineCounts> own_lines() const;
  void count_figures();

  const ClusterOptions options_;
  const ClusterTerms terms_;
  const ShardHash shard_of_;
  const AccessTokens secret_;
  const std::vector<std::unique_ptr<Database>> databases_;
  Catalogue catalogue_;
  GuardedClock clock_;               // of database 0
  std::uint64_t confirmations_ = 0;  // of that clock, as seen by this collector
  std::atomic<Share> share_ = Share{};
  WriterFigures figures_;

  std::mutex publishing_;
  std::mutex looking_;  // keeps the latest read
  LeaseWatch leases_;   // of collectors
  MergedSnapshot merged_;
  std::shared_ptr<const CatalogueMetrics> merged_metrics_;  // that it has
  std::chrono::steady_clock::time_point merged_at_{};
  std::chrono::steady_clock::duration merging_cost_{};
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  Instant as_of_{};
  std::vector<std::string> others_;  // addresses of live collectors
  std::condition_variable wake_;
  bool stopping_ = false;
  std::atomic<bool> leaving_ = false;

  Peers peers_;
  std::vector<std::unique_ptr<ShardKeeper>> keepers_;
  Resends resends_;
  WorkThread work_;     // the operator's requests; they wait for other collectors
  WorkThread updates_;  // requests of other collectors; they wait for nobody
  SharedLook looks_;
  std::thread beating_;
};

}  // namespace futurerand
