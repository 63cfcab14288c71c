// Cluster: this collector's part in a cluster. Any collector takes any request: what is for shards
// of its own goes to their writers, the rest in one call each to the collectors that own them.
// Reads are of what all shards have counted, a second or so ago.
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
  std::string address;   // HOST:PORT where the other collectors reach this one
  WriterOptions writer;  // for each shard; its clock is the database's
  HashKey key;
  std::chrono::milliseconds clock_patience{600'000};
  ConnectPeer connect;
  std::uint64_t max_call_bytes = 0;  // that another collector takes in one request
  Say say;
};

// Returns the databases of a cluster file, which are connected to when they are used.
std::vector<std::unique_ptr<Database>> databases_of(const ClusterFile& file);

class Cluster final : public Intake {
 public:
  // Waits for database 0, and for a lease that an earlier process left at this address. It is an
  // error if a database is not of this cluster, or another collector has this address.
  static Result<std::unique_ptr<Cluster>> join(const ClusterOptions& options);
  ~Cluster() override;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  void write(Batch batch, std::uint64_t bytes, WhenWritten when) override;
  void create(MetricDefinition definition, WhenWritten when) override;
  void advance(const AdvanceRequest& advance, WhenWritten when) override;
  void change(LifecycleChange change, WhenWritten when) override;
  // However many ask: the database is asked a few times a second at most.
  void catch_up(const std::function<void(bool)>& then) override { looks_.ask(then); }
  std::shared_ptr<const Snapshot> snapshot() const override;
  const WriterFigures& figures() const override { return figures_; }
  std::chrono::milliseconds stalled() const override;
  std::optional<Instant> as_of() const override;

  // Tells the time by the clock of database 0, unless that has jumped.
  Instant now() const { return clock_.at(GuardedClock::steady_now()); }
  // Believes that clock, here and in all collectors. Returns false if the database does not answer.
  bool confirm_clock();
  // Returns the calls that collectors make to each other, and the operator's.
  std::vector<Route> routes();
  const ClusterTerms& terms() const { return terms_; }

  // Hands all shards over and takes none any more. What is asked from now on goes to others.
  void leave();
  // Answers what is under way, before the server that sends it goes.
  void stop();

 private:
  Cluster(const ClusterOptions& options, const ClusterTerms& terms,
          std::vector<std::unique_ptr<Database>> databases);

  // Sends parts of a batch where they belong. Those that belong nowhere right now wait.
  void scatter(const BatchPart& part, std::uint64_t bytes,
               const std::shared_ptr<Delivery>& delivery);
  void write_here(OwnedShard& shard, Resends::Part part);
  void forward(const std::string& address, std::uint32_t database, std::string packed,
               const std::shared_ptr<Delivery>& delivery);
  // Takes what another collector sends, all of one call.
  void take_forwarded(const Call& call, const Respond& respond);
  void take_forwarded(ForwardedBatch forwarded, std::uint64_t bytes, WhenWritten when);
  // Asks all others something that they need not answer.
  void tell_others(const std::string& path, const std::shared_ptr<void>& until_told);
  std::vector<std::shared_ptr<OwnedShard>> owned() const;

  // Does it on that thread; an exception there ends the process in order.
  void post(WorkThread& thread, std::function<void()> work);
  Status register_here();
  // Lets all shards of our own write down what is new in the catalogue; waits.
  void follow_catalogue();
  // The same for the other collectors, as many as answer.
  void tell_peers();
  // Reads now who owns what.
  void look();
  void spread_updates();
  void beat();          // a thread: this collector lives, who else does, what is new
  bool follow_clock();  // false if the database did not tell
  void look_around();
  // Publishes what all shards have counted, for readers; unless `now`, only if the catalogue is new
  // or it costs little of the time.
  void publish(bool now);
  // Reads the catalogue now, and publishes what is new in it. Returns false if the database did not
  // tell.
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
  std::uint64_t confirmations_ = 0;  // of that clock, as far as this collector has followed
  std::atomic<Share> share_ = Share{};
  WriterFigures figures_;

  std::mutex publishing_;
  std::mutex looking_;  // so that what was read last stays
  LeaseWatch leases_;   // of collectors
  MergedSnapshot merged_;
  std::shared_ptr<const CatalogueMetrics> merged_metrics_;  // that it has
  std::chrono::steady_clock::time_point merged_at_{};
  std::chrono::steady_clock::duration merging_cost_{};
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  Instant as_of_{};
  std::vector<std::string> others_;  // addresses of the collectors that live
  std::condition_variable wake_;
  bool stopping_ = false;
  std::atomic<bool> leaving_ = false;

  Peers peers_;
  std::vector<std::unique_ptr<ShardKeeper>> keepers_;
  Resends resends_;
  WorkThread work_;     // what the operator asks, which waits for other collectors
  WorkThread updates_;  // what other collectors ask, which waits for no one
  SharedLook looks_;
  std::thread beating_;
};

}  // namespace futurerand
