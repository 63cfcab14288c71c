#include "apps/fleet/demo_collector.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand::apps {
namespace {

constexpr const char* kMetric = "demo";
constexpr std::uint32_t kLinesABatch = 4000;

std::string make_folder() {
  std::string path = (std::filesystem::temp_directory_path() / "futurerand-demo-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw failed("cannot make a temporary folder at " + path);
  return path;
}

template <typename Document>
Document read(Result<Document> parsed) {
  if (!parsed) throw failed(parsed.error().message);
  return *std::move(parsed);
}

[[noreturn]] void die(const std::string& line) {
  fmt::print(stderr, "futurerand: {}\n", line);
  std::_Exit(1);
}

}  // namespace

DemoCollector::DemoCollector(const Plan& plan) : folder_(make_folder()) {
  std::uint64_t words[4];
  if (!SystemEntropy().fill(words)) throw failed("the system's entropy cannot be read");
  token_ = fmt::format("{:016x}{:016x}", words[0], words[1]);

  ServiceOptions options;
  options.server.address = "127.0.0.1";
  options.server.port = 0;
  options.store.folder = folder_;
  options.store.say = options.writer.say = say_nothing;
  options.writer.now = options.api.now = [] { return Instant{}; };  // its clock is manual
  options.writer.die = die;
  options.api.tokens->replace({.admin = {token_}});
  options.hash_key = {words[2], words[3]};
  Result<std::unique_ptr<Service>> started = Service::start(options);
  if (!started) throw failed(started.error().message);
  service_ = *std::move(started);
  thread_ = std::thread([this] { service_->run(); });
  connection_ = std::make_unique<HttpConnection>(ServerAddress{"127.0.0.1", service_->port()},
                                                 std::chrono::seconds(30));

  const std::string path = std::string("/v1/metrics/") + kMetric;
  call("PUT", path, to_request(default_metric(kMetric, plan)));
  const auto period = [&] {
    return read(parse_published_metric(call("GET", path, ""))).current_period;
  };
  while (period() <= plan.num_periods) call("POST", path + "/advance", "");
}

DemoCollector::~DemoCollector() {
  connection_.reset();
  if (service_) service_->stop();
  if (thread_.joinable()) thread_.join();
  service_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string DemoCollector::call(std::string_view method, const std::string& path,
                                const std::string& body) {
  const Result<HttpReply> reply =
      connection_->exchange(method, path, body, {{"Authorization", "Bearer " + token_}});
  if (!reply) throw failed(reply.error().message);
  if (reply->status >= 300) throw failed(fmt::format("{} {}: {}", method, path, reply->body));
  return reply->body;
}

void DemoCollector::send(std::string_view line) {
  lines_ += line;
  lines_ += '\n';
  if (++waiting_ == kLinesABatch) flush();
}

void DemoCollector::flush() {
  if (waiting_ == 0) return;
  const Result<ReportAnswer> sent =
      deliver(*connection_, kMetric, lines_, {}, system_retry_tools());
  if (!sent) throw failed(sent.error().message);
  if (!sent->errors.empty()) throw failed("the collector refused: " + sent->errors[0].reason);
  lines_.clear();
  waiting_ = 0;
}

std::vector<AnswerRow> DemoCollector::estimates(double level) {
  const std::string path = fmt::format("/v1/metrics/{}/estimates?level={}", kMetric, level);
  return read(parse_answer_rows(call("GET", path, "")));
}

}  // namespace futurerand::apps
