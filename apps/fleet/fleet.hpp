// Fleet: many real clients in one process, each with its own state, outbox and randomness. They use
// a few connections to a collector. The fleet knows the exact counts expected of the collector.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "futurerand/client/client.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/simulator/populations/population.hpp"
#include "futurerand/transport/send.hpp"

namespace futurerand::apps {

struct FleetFlags {
  std::uint64_t devices = 1000;
  unsigned connections = 2;
  std::uint32_t batch_lines = 1000;
  double dropout = 0;    // chance per period of going silent for good
  double late = 0;       // chance per period of sending nothing this time
  double duplicate = 0;  // chance of sending an acknowledged batch again
  double lost = 0;       // chance of losing an answer and sending the batch again
  double join_late = 0;  // share of devices with a random later period of joining
};

// The records of each device. Fleets of the metrics of one group share them: each device draws one
// metric, and joins only that.
using FleetStores = std::vector<MemoryStateStore>;

struct FleetTotals {
  std::uint64_t reports = 0;  // sent lines of the wire, enrolments too
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t rejected = 0;

  void merge(const FleetTotals& other);
};

class Fleet {
 public:
  // `servers`: collectors of one cluster, or one alone. Devices are spread over them, and try
  // another one if theirs does not answer. `values` has one user for each device. Throws Failure.
  //
  // `stores` has the records of each device, and must outlive the fleet; null: those of this fleet.
  Fleet(const FleetFlags& flags, const MetricDefinition& metric,
        const std::vector<ServerAddress>& servers, const Population& values, std::uint64_t seed,
        FleetStores* stores = nullptr);
  ~Fleet();

  // Due devices join, and all observe this period. Periods start at 1 and come one after the other.
  void observe(Period period);
  // Devices send their lines of finished periods. `last` sends late lines too.
  void send(bool last);

  const FleetTotals& totals() const { return totals_; }
  // Returns the number of devices that joined: of a group, those that drew this metric.
  std::uint64_t num_joined() const;
  // Returns the expected sums of the collector for this fleet, each report counted once.
  const Sums& sums() const { return sums_; }
  // The same for each season of a metric without an end. Its sums() stay empty.
  const std::map<std::uint64_t, Sums>& seasons() const { return seasons_; }

 private:
  struct Member;
  struct Worker;

  void run_on_all(const std::function<void(Worker&)>& work);
  // Members are in all segments in turn.
  std::string segment_of(const Member& member) const;
  void observe(Worker& worker, Member& member, Period period);
  void observe_endless(Worker& worker, Member& member, Period period);
  // Adds the clients of a member with possible lines.
  void collect(Member& member, std::vector<Client*>& clients) const;
  void send(Worker& worker, bool last);
  void send_batch(Worker& worker, const std::vector<Client*>& clients);
  // Adds the expected counts of one client.
  void count(Worker& worker, const Client& client, const SentOutbox& sent);

  FleetFlags flags_;
  MetricTerms terms_;
  const Population& values_;
  FleetStores own_stores_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Period now_ = 0;
  FleetTotals totals_;
  Sums sums_;
  std::map<std::uint64_t, Sums> seasons_;
};

}  // namespace futurerand::apps
