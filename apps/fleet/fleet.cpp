#include "apps/fleet/fleet.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <random>
#include <thread>

#include "apps/cli/failure.hpp"
#include "futurerand/client/ledger.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/core/plan/symbol.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand::apps {

namespace {

constexpr std::uint32_t kAttempts = 60;

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
  MemoryStateStore store;
  std::optional<Client> client;
  Values values;
};

// A Worker is one thread's devices and connection. Chaos is drawn from `chance`; what protects the
// devices comes from the system.
struct Fleet::Worker {
  // `first`: the server that it begins with.
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
};

Fleet::Fleet(const FleetFlags& flags, const MetricDefinition& metric,
             const std::vector<ServerAddress>& servers, const Population& values,
             std::uint64_t seed)
    : flags_(flags),
      terms_(or_bad_input(MetricTerms::accept(metric))),
      values_(values),
      sums_(metric.plan) {
  for (unsigned i = 0; i < flags.connections; ++i) {
    workers_.push_back(std::make_unique<Worker>(servers, i, seed + i, metric.plan));
    Worker& worker = *workers_.back();
    for (std::uint64_t user = i; user < flags.devices; user += flags.connections) {
      Member& member = worker.members.emplace_back();
      member.user = user;
      if (worker.happens(flags.join_late)) {
        member.joins = 1 + static_cast<Period>(worker.chance() % metric.plan.num_periods);
      }
    }
  }
}

Fleet::~Fleet() = default;

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

void Fleet::observe(Worker& worker, Member& member, Period period) {
  if (member.joins > period || member.silent) return;
  if (!member.client) {
    values_.draw(member.user, member.values);
    // Each device keeps books of its own, and the ceiling is no obstacle to a simulated one.
    Ledger ledger = or_bad_input(Ledger::open(member.store, *Epsilon::parse("16")));
    Result<Client> joined = Client::open(terms_, period, ledger, member.store, worker.entropy);
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
  for (const auto& worker : workers_) {
    totals_.merge(worker->totals);
    sums_.merge(worker->sums);
  }
}

void Fleet::send(Worker& worker, bool last) {
  std::vector<Client*> batch;
  std::uint32_t lines = 0;
  for (Member& member : worker.members) {
    if (!member.client || member.silent) continue;
    if (!last && worker.happens(flags_.dropout)) {
      member.silent = true;
      continue;
    }
    if (!last && worker.happens(flags_.late)) continue;
    member.client->begin_period(now_ + 1);
    const std::uint32_t of_member = member.client->outbox().num_lines();
    if (of_member == 0) continue;
    if (lines + of_member > flags_.batch_lines && !batch.empty()) {
      send_batch(worker, batch);
      batch.clear();
      lines = 0;
    }
    batch.push_back(&*member.client);
    lines += of_member;
  }
  if (!batch.empty()) send_batch(worker, batch);
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
  // The last answer is the one that counts, because after a first one that was lost all are
  // duplicates.
  const bool again = worker.happens(flags_.lost) || worker.happens(flags_.duplicate);
  const auto deliver_with_mishaps = [&](std::string_view lines) {
    Result<ReportAnswer> answer = Error{"not sent"};
    for (int times = again ? 2 : 1; times > 0; --times) {
      for (std::uint32_t round = 0; round < rounds; ++round) {
        answer = deliver(worker.connections[worker.current], terms_.name, lines, policy, tools);
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
    if (sent->clients[i].again) throw failed("the collector lost what it had acknowledged");
    if (sent->clients[i].refusal) throw failed(sent->clients[i].refusal->message);
    if (sent->clients[i].acknowledged) count(worker, clients[i]->view(), sent->clients[i]);
  }
}

void Fleet::count(Worker& worker, std::uint32_t view, const SentOutbox& sent) {
  if (sent.outbox.enrolment) {
    const Enrolment& enrolment = *sent.outbox.enrolment;
    worker.sums.enrol(enrolment.view, enrolment.period, enrolment.index);
  }
  const Plan& plan = terms_.plan.plan();
  const std::uint32_t stride = Schedule(plan.views[view], plan.num_periods).stride;
  for (const Report& report : sent.outbox.reports) {
    std::uint32_t index = report.first_index;
    for (const char sign : report.signs) {
      if (index >= sent.next_index) break;
      worker.sums.add(view, index, one_report(to_sign(sign)));
      index += stride;
    }
  }
}

}  // namespace futurerand::apps
