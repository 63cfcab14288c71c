#include "apps/fleet/fleet.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <random>
#include <thread>

#include "apps/cli/failure.hpp"
#include "futurerand/client/group_draw.hpp"
#include "futurerand/client/ledger.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand::apps {

namespace {

constexpr std::uint32_t kAttempts = 60;

// A second in the middle of a period. Simulated devices have the collector's clock.
std::int64_t second_in(const MetricTerms& terms, Period period) {
  return terms.clock.start + (std::int64_t{period} - 1) * terms.clock.length +
         terms.clock.length / 2;
}

}  // namespace

void FleetTotals::merge(const FleetTotals& other) {
  reports += other.reports;
  accepted += other.accepted;
  duplicates += other.duplicates;
  rejected += other.rejected;
}

struct Fleet::Member {
  std::uint64_t user = 0;
  Period joins = 1;
  bool silent = false;
  bool drew_another = false;  // of the group
  MemoryStateStore* store = nullptr;
  std::optional<Client> client;
  // For a metric without an end: the books stay open while seasons come and go.
  std::optional<Ledger> ledger;
  std::optional<RollingClient> rolling;
  Values values;
};

// A Worker is one thread's devices and connection. `chance` draws the chaos. The system's entropy
// protects the devices.
struct Fleet::Worker {
  // `first`: its first server.
  Worker(const std::vector<ServerAddress>& servers, std::size_t first, std::uint64_t seed,
         const Plan& plan)
      : current(first % servers.size()), chance(seed), sums(plan) {
    for (const ServerAddress& server : servers) {
      connections.emplace_back(server, std::chrono::seconds(30));
    }
  }

  bool happens(double probability) {
    return probability > 0 && std::uniform_real_distribution<>(0, 1)(chance) < probability;
  }

  std::vector<HttpConnection> connections;
  std::size_t current;  // of the connections
  std::mt19937_64 chance;
  SystemEntropy entropy;
  std::vector<Member> members;
  FleetTotals totals;
  Sums sums;
  std::map<std::uint64_t, Sums> seasons;
};

Fleet::Fleet(const FleetFlags& flags, const MetricDefinition& metric,
             const std::vector<ServerAddress>& servers, const Population& values,
             std::uint64_t seed, FleetStores* stores)
    : flags_(flags),
      terms_(or_bad_input(MetricTerms::accept(metric))),
      values_(values),
      sums_(metric.plan) {
  if (stores == nullptr) {
    own_stores_.resize(flags.devices);
    stores = &own_stores_;
  }
  for (unsigned i = 0; i < flags.connections; ++i) {
    workers_.push_back(std::make_unique<Worker>(servers, i, seed + i, metric.plan));
    Worker& worker = *workers_.back();
    for (std::uint64_t user = i; user < flags.devices; user += flags.connections) {
      Member& member = worker.members.emplace_back();
      member.user = user;
      member.store = &(*stores)[user];
      if (worker.happens(flags.join_late)) {
        member.joins = 1 + static_cast<Period>(worker.chance() % metric.plan.num_periods);
      }
    }
  }
}

Fleet::~Fleet() = default;

std::uint64_t Fleet::num_joined() const {
  std::uint64_t joined = 0;
  for (const auto& worker : workers_) {
    for (const Member& member : worker->members)
      joined += member.client || member.rolling ? 1U : 0U;
  }
  return joined;
}

void Fleet::run_on_all(const std::function<void(Worker&)>& work) {
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> failures(workers_.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        work(*workers_[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void Fleet::observe(Period period) {
  run_on_all([this, period](Worker& worker) {
    for (Member& member : worker.members) observe(worker, member, period);
  });
  now_ = period;
}

std::string Fleet::segment_of(const Member& member) const {
  const Segments& segments = terms_.plan.plan().segments;
  return segments.empty() ? "" : segments.values()[member.user % segments.num_strata()];
}

void Fleet::observe_endless(Worker& worker, Member& member, Period period) {
  if (!member.rolling) {
    values_.draw(member.user, member.values);
    member.ledger.emplace(or_bad_input(Ledger::open(*member.store, *Epsilon::parse("16"))));
    member.ledger->believe(second_in(terms_, period));
    Result<RollingClient> opened = RollingClient::open(
        terms_, period, *member.ledger, *member.store, worker.entropy, segment_of(member));
    if (!opened) throw failed(opened.error().message);
    member.rolling.emplace(*std::move(opened));
  }
  member.ledger->believe(second_in(terms_, period));
  const Coding& coding = terms_.plan.plan().coding;
  const Status seen =
      member.rolling->observe(period, value_of(coding, value_at(member.values, period)));
  if (!seen) throw failed(seen.error().message);
}

void Fleet::observe(Worker& worker, Member& member, Period period) {
  if (member.joins > period || member.silent || member.drew_another) return;
  if (terms_.is_endless()) return observe_endless(worker, member, period);
  if (!member.client) {
    // Each device keeps books of its own, and the ceiling is no obstacle to a simulated one.
    Ledger ledger = or_bad_input(Ledger::open(*member.store, *Epsilon::parse("16")));
    const Result<bool> drawn = takes_part(terms_, period, ledger, worker.entropy);
    if (!drawn) throw failed(drawn.error().message);
    member.drew_another = !*drawn;
    if (member.drew_another) return;
    values_.draw(member.user, member.values);
    Result<Client> joined =
        Client::open(terms_, period, ledger, *member.store, worker.entropy, segment_of(member));
    if (!joined) throw failed(joined.error().message);
    member.client.emplace(*std::move(joined));
  }
  const Coding& coding = terms_.plan.plan().coding;
  const Status seen =
      member.client->observe(period, value_of(coding, value_at(member.values, period)));
  if (!seen) throw failed(seen.error().message);
}

void Fleet::send(bool last) {
  run_on_all([this, last](Worker& worker) { send(worker, last); });
  totals_ = {};
  sums_ = Sums(terms_.plan.plan());
  seasons_.clear();
  for (const auto& worker : workers_) {
    totals_.merge(worker->totals);
    sums_.merge(worker->sums);
    for (const auto& [season, sums] : worker->seasons) {
      seasons_.try_emplace(season, terms_.plan.plan()).first->second.merge(sums);
    }
  }
}

void Fleet::collect(Member& member, std::vector<Client*>& clients) const {
  if (member.client) {
    member.client->begin_period(now_ + 1);
    clients.push_back(&*member.client);
  }
  if (!member.rolling) return;
  member.ledger->believe(second_in(terms_, now_ + 1));
  if (const Status begun = member.rolling->begin_period(now_ + 1); !begun) {
    throw failed(begun.error().message);
  }
  for (Client* part : member.rolling->parts()) clients.push_back(part);
}

void Fleet::send(Worker& worker, bool last) {
  // A request has the lines of one season.
  struct Batch {
    std::vector<Client*> clients;
    std::uint32_t lines = 0;
  };
  std::map<std::uint64_t, Batch> batches;
  std::vector<Client*> clients;
  for (Member& member : worker.members) {
    if ((!member.client && !member.rolling) || member.silent) continue;
    if (!last && worker.happens(flags_.dropout)) {
      member.silent = true;
      continue;
    }
    if (!last && worker.happens(flags_.late)) continue;
    clients.clear();
    collect(member, clients);
    for (Client* client : clients) {
      const std::uint32_t of_client = client->outbox().num_lines();
      if (of_client == 0) continue;
      Batch& batch = batches[client->season()];
      if (batch.lines + of_client > flags_.batch_lines && !batch.clients.empty()) {
        send_batch(worker, batch.clients);
        batch = {};
      }
      batch.clients.push_back(client);
      batch.lines += of_client;
    }
  }
  for (const auto& [season, batch] : batches) {
    if (!batch.clients.empty()) send_batch(worker, batch.clients);
  }
}

void Fleet::send_batch(Worker& worker, const std::vector<Client*>& clients) {
  // All attempts at one server, with growing pauses; or a few at each of several, in turns.
  const std::size_t servers = worker.connections.size();
  const std::uint32_t attempts = servers == 1 ? kAttempts : 3;
  const std::uint32_t rounds = servers == 1 ? 1 : 5 * kAttempts;
  const RetryPolicy policy{std::chrono::milliseconds(50), std::chrono::milliseconds(2000),
                           attempts};
  RetryTools tools = system_retry_tools();
  tools.random = [&worker] { return worker.chance(); };
  // The last answer counts, because after a lost first answer all lines are duplicates.
  const bool again = worker.happens(flags_.lost) || worker.happens(flags_.duplicate);
  const auto deliver_with_mishaps = [&](std::string_view lines) {
    Result<ReportAnswer> answer = Error{"not sent"};
    for (int times = again ? 2 : 1; times > 0; --times) {
      for (std::uint32_t round = 0; round < rounds; ++round) {
        answer = deliver_to(worker.connections[worker.current], reports_path(*clients.front()),
                            lines, policy, tools);
        if (answer || answer.error().code != ErrorCode::kUnreachable) break;
        worker.current = (worker.current + 1) % servers;
      }
      if (!answer) break;
      const auto num_lines =
          static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
      worker.totals.merge(
          {num_lines, answer->counts.accepted, answer->counts.duplicates, answer->counts.rejected});
    }
    return answer;
  };
  const Result<SentBatch> sent = futurerand::send_batch(clients, deliver_with_mishaps);
  if (!sent) throw failed(sent.error().message);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    if (sent->clients[i].again) throw failed("the collector lost acknowledged reports");
    if (sent->clients[i].refusal) throw failed(sent->clients[i].refusal->message);
    if (sent->clients[i].acknowledged) count(worker, *clients[i], sent->clients[i]);
  }
}

void Fleet::count(Worker& worker, const Client& client, const SentOutbox& sent) {
  const Plan& plan = terms_.plan.plan();
  const std::uint32_t view = client.view();
  const std::uint32_t stratum = *plan.segments.find(client.segment());
  Sums& sums = client.season() == 0
                   ? worker.sums
                   : worker.seasons.try_emplace(client.season(), plan).first->second;
  if (sent.outbox.enrolment) {
    const Enrolment& enrolment = *sent.outbox.enrolment;
    sums.enrol(enrolment.view, enrolment.period, enrolment.index, 1, stratum);
  }
  const std::uint32_t stride = Schedule(plan.views[view], plan.num_periods).stride;
  for (const Report& report : sent.outbox.reports) {
    std::uint32_t index = report.first_index;
    for (std::uint32_t i = 0; i < report.signs.size() && index < sent.next_index; ++i) {
      sums.add(view, index, one_report(report.signs[i]), stratum);
      index += stride;
    }
  }
}

}  // namespace futurerand::apps
