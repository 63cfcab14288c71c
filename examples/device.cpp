// A device: joins metrics, observes its value of each once a period, and sends the due lines. Run
// it once a period, independently of the values. Its folder has its whole state.
//
//   example_device http://127.0.0.1:8080 FOLDER METRIC 0|1 [METRIC 0|1]...
//
// Over https:// it trusts the system's authorities, or only those of the PEM file $DEVICE_CA_FILE.
// It shows the token $DEVICE_TOKEN, if there is one.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <futurerand.hpp>

namespace {

// The digest of the plan. `futurerand audit` prints it too, for a reviewer to compare.
std::string digest_of(const std::string& certificate) {
  const std::size_t at = certificate.find("sha256:");
  return at == certificate.npos ? "" : certificate.substr(at, certificate.find('"', at) - at);
}

// Takes one metric's turn, up to sending. No failure loses anything: the next run continues.
fr::Result<fr::Client> observe(const std::string& name, int value, fr::Device& device,
                               futurerand::HttpConnection& connection) {
  const fr::Result<fr::Metric> metric = fr::fetch_metric(connection, name);  // certifies
  if (!metric) return metric.error();
  const fr::Result<std::string> certificate = metric->certificate();
  const fr::Result<std::uint32_t> period = metric->current_period();
  if (!certificate) return certificate.error();
  if (!period) return period.error();
  std::printf("%s: certified plan %s\n", name.c_str(), digest_of(*certificate).c_str());
  fr::Result<fr::Client> client = fr::Client::open(device, *metric, *period);
  if (!client) return client.error();
  if (const fr::Status seen = client->observe(*period, value); !seen) return seen.error();
  return client;
}

// The operator's action for an error.
const char* advice(fr::ErrorCode code) {
  switch (fr::action_of(code)) {
    case fr::ErrorAction::kRetryLater:
      return " (retry later)";
    case fr::ErrorAction::kTellOperator:
      return " (tell operator)";
    case fr::ErrorAction::kFixCall:
      return " (fix call)";
    case fr::ErrorAction::kGiveUp:
      return " (give up)";
  }
  return "";
}

int stop(const std::string& why) {
  std::fprintf(stderr, "device: %s\n", why.c_str());
  return 1;
}

int stop(const fr::Error& error, const std::string& place = {}) {
  return stop(place + error.message + advice(error.code));
}

}  // namespace

int main(int argc, char** argv) {
  bool understood = argc >= 5 && argc % 2 == 1;
  for (int i = 4; i < argc; i += 2) {
    understood = understood && (std::string(argv[i]) == "0" || std::string(argv[i]) == "1");
  }
  if (!understood) return stop("usage: URL FOLDER METRIC 0|1 [METRIC 0|1]...");
  fr::Result<futurerand::ServerAddress> server = futurerand::ServerAddress::parse(argv[1]);
  if (!server) return stop(server.error());
  if (const char* file = std::getenv("DEVICE_CA_FILE")) server->ca_file = file;
  if (const char* token = std::getenv("DEVICE_TOKEN")) server->token = token;
  futurerand::HttpConnection connection(*server, std::chrono::seconds(10));
  // The application's ceiling: the limit of epsilon over all metrics together.
  fr::Result<fr::Device> device = fr::Device::open_folder(argv[2], "4");
  if (!device) return stop(device.error());

  int failed = 0;
  std::vector<fr::Client> clients;
  std::string names;
  for (int i = 3; i < argc; i += 2) {
    const std::string metric = argv[i];
    const int value = std::string(argv[i + 1]) == "1" ? 1 : 0;
    fr::Result<fr::Client> client = observe(metric, value, *device, connection);
    if (!client) {
      failed = stop(client.error(), metric + ": ");
      continue;
    }
    clients.push_back(*std::move(client));
    names += (names.empty() ? "" : ", ") + metric;
  }
  // One request for all metrics.
  std::vector<fr::Client*> all;
  for (fr::Client& client : clients) all.push_back(&client);
  const fr::Result<std::size_t> sent = fr::send(all, connection);
  if (!sent) return stop(sent.error(), names + ": ");
  if (!all.empty()) {
    std::printf("%s: %zu %s accepted\n", names.c_str(), *sent, *sent == 1 ? "line" : "lines");
  }
  return failed;
}
