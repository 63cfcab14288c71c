// Fleet: many real clients in one process, each with its own state, outbox and randomness, that
// talk to a collector over a few connections. It knows exactly what the collector must have
// counted.
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
  double dropout = 0;    // chance per period that a device goes silent for good
  double late = 0;       // chance per period that a device sends nothing this time
  double duplicate = 0;  // chance that a batch is sent again although it was answered
  double lost = 0;       // chance that an answer is thrown away, and the batch sent again
  double join_late = 0;  // share of devices that join in a random later period
};

struct FleetTotals {
  std::uint64_t reports = 0;  // lines of the wire that were sent, enrolments too
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t rejected = 0;

  void merge(const FleetTotals& other);
};

class Fleet {
 public:
  // `servers`: collectors of one cluster, or one alone; devices are spread over them, and turn to
  // another one where theirs does not answer. `values` has as many users as the fleet has devices.
  // Throws Failure.
  Fleet(const FleetFlags& flags, const MetricDefinition& metric,
        const std::vector<ServerAddress>& servers, const Population& values, std::uint64_t seed);
  ~Fleet();

  // Devices that are due join, and all observe this period. Periods start at 1 and come one after
  // the other.
  void observe(Period period);
  // Devices send what they have of periods that are over. `last` sends even what is late.
  void send(bool last);

  const FleetTotals& totals() const { return totals_; }
  // Returns what the collector has counted of this fleet, if it counts everything once.
  const Sums& sums() const { return sums_; }
  // The same for each season of a metric without an end, whose sums() stay empty.
  const std::map<std::uint64_t, Sums>& seasons() const { return seasons_; }

 private:
  struct Member;
  struct Worker;

  void run_on_all(const std::function<void(Worker&)>& work);
  void observe(Worker& worker, Member& member, Period period);
  void observe_endless(Worker& worker, Member& member, Period period);
  // Adds the clients of a member that may have lines.
  void collect(Member& member, std::vector<Client*>& clients) const;
  void send(Worker& worker, bool last);
  void send_batch(Worker& worker, const std::vector<Client*>& clients);
  // Adds what the collector must have counted of one client.
  void count(Worker& worker, const Client& client, const SentOutbox& sent);

  FleetFlags flags_;
  MetricTerms terms_;
  const Population& values_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Period now_ = 0;
  FleetTotals totals_;
  Sums sums_;
  std::map<std::uint64_t, Sums> seasons_;
};

}  // namespace futurerand::apps
