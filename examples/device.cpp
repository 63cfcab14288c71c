// A device: joins a metric, observes its value once a period, and sends what is due. Run it once a
// period, whatever the value is; everything it must remember is in its folder.
//
//   device http://127.0.0.1:8080 METRIC FOLDER 0|1
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <thread>

#include "futurerand/client/client.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/transport/collector_calls.hpp"

using namespace futurerand;

namespace {

int stop(const std::string& why) {
  std::fprintf(stderr, "device: %s\n", why.c_str());
  return 1;
}

// Joins on the first run, and goes on from what was saved on the others.
Result<Client> open_client(const MetricTerms& terms, Period period, StateStore& store) {
  Result<Client> known = Client::load(terms, store);
  if (known) return known;
  Result<Ledger> ledger = Ledger::open(store, *Epsilon::parse("2"));  // this device's ceiling
  if (!ledger) return ledger.error();
  if (!ledger->entries().empty()) return known;  // joined before: a state that cannot be read
  SystemEntropy entropy;
  return Client::join(terms, period, *ledger, store, entropy);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return stop("usage: device URL METRIC FOLDER 0|1");
  const Result<ServerAddress> server = ServerAddress::parse(argv[1]);
  if (!server) return stop(server.error().message);
  HttpConnection connection(*server, std::chrono::seconds(10));
  const Result<PublishedMetric> metric = fetch_metric(connection, argv[2]);
  if (!metric) return stop(metric.error().message);

  // The device believes no server: it certifies the plan itself and pins what it joined.
  Result<CertifiedPlan> plan = CertifiedPlan::create(metric->plan);
  if (!plan) return stop(plan.error().message);
  const MetricTerms terms{metric->name, *std::move(plan), metric->start, metric->period_seconds};
  Result<FileStateStore> store = FileStateStore::open(argv[3]);
  if (!store) return stop(store.error().message);
  Result<Client> client = open_client(terms, metric->current_period, *store);
  if (!client) return stop(client.error().message);
  if (metric->current_period > client->now() && !client->closed()) {
    const Status seen = client->observe(metric->current_period, argv[4][0] == '1');
    if (!seen) return stop(seen.error().message);
  }

  const Outbox outbox = client->outbox();
  std::random_device jitter;
  const RetryTools tools{[&] { return std::uint64_t{jitter()}; },
                         [](auto wait) { std::this_thread::sleep_for(wait); }};
  const Result<ReportAnswer> sent = deliver(connection, metric->name, to_lines(outbox), {}, tools);
  if (!sent) return stop(sent.error().message);  // stays in the outbox
  std::uint32_t next = outbox.next_index;
  for (const LineError& refusal : sent->errors) {
    if (refusal.expected == 0) return stop("refused: " + refusal.reason);
    next = refusal.expected;  // what is not due yet stays in the outbox
  }
  const Status known = client->acknowledge(next);
  if (!known) return stop(known.error().message);
  std::printf("period %u: %llu lines accepted\n", metric->current_period,
              static_cast<unsigned long long>(sent->counts.accepted));
  return 0;
}
