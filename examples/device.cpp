// A device: joins metrics, observes its value of each once a period, and sends what is due. Run it
// once a period, whatever the values are; everything it must remember is in its folder.
//
//   example_device http://127.0.0.1:8080 FOLDER METRIC 0|1 [METRIC 0|1]...
//
// Over https:// it believes the system's authorities, or only those of the PEM file
// $DEVICE_CA_FILE. It shows the token $DEVICE_TOKEN, if there is one.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "futurerand/client/client.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/transport/send.hpp"

using namespace futurerand;

namespace {

// Takes one metric's turn. Whatever fails, nothing is lost: the next run goes on.
Result<LineCounts> report(const std::string& metric, bool value, HttpConnection& connection,
                          Ledger& ledger, StateStore& store) {
  const Result<PublishedMetric> published = fetch_metric(connection, metric);
  if (!published) return published.error();
  const Result<MetricTerms> terms = MetricTerms::accept(published->definition);  // certifies
  if (!terms) return terms.error();
  // `futurerand audit` prints the same digest for a reviewer to compare.
  std::printf("%s: certified plan %s\n", metric.c_str(), plan_digest(terms->plan.plan()).c_str());
  SystemEntropy entropy;
  const Period period = published->current_period;
  Result<Client> client = Client::open(*terms, period, ledger, store, entropy);
  if (!client) return client.error();
  if (const Status seen = client->observe(period, value); !seen) return seen.error();
  return send(*client, connection);
}

int stop(const std::string& why) {
  std::fprintf(stderr, "device: %s\n", why.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc % 2 == 0) return stop("usage: URL FOLDER METRIC 0|1 [METRIC 0|1]...");
  Result<ServerAddress> server = ServerAddress::parse(argv[1]);
  if (!server) return stop(server.error().message);
  if (const char* file = std::getenv("DEVICE_CA_FILE")) server->ca_file = file;
  if (const char* token = std::getenv("DEVICE_TOKEN")) server->token = token;
  HttpConnection connection(*server, std::chrono::seconds(10));
  Result<FileStateStore> store = FileStateStore::open(argv[2]);
  if (!store) return stop(store.error().message);
  // The ceiling is this application's: what all metrics together may ever learn.
  Result<Ledger> ledger = Ledger::open(*store, *Epsilon::parse("4"));
  if (!ledger) return stop(ledger.error().message);

  int failed = 0;
  for (int i = 3; i < argc; i += 2) {
    const std::string metric = argv[i];
    const bool value = std::string_view(argv[i + 1]) == "1";
    const Result<LineCounts> sent = report(metric, value, connection, *ledger, *store);
    if (!sent) failed = stop(metric + ": " + sent.error().message);
    if (!sent) continue;
    std::printf("%s: %llu %s accepted\n", metric.c_str(),
                static_cast<unsigned long long>(sent->accepted),
                sent->accepted == 1 ? "line" : "lines");
  }
  return failed;
}
