#include "futurerand/collector/http/service.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "futurerand/documents/prometheus_writer.hpp"

namespace futurerand {
namespace {

// The remembered time of an earlier process, in milliseconds since 1970.
std::optional<Instant> read_time(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  std::int64_t count = 0;
  if (!file) return std::nullopt;
  const std::string_view text = file->bytes();
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  if (read.ec != std::errc()) return std::nullopt;
  return Instant(std::chrono::milliseconds(count));
}

}  // namespace

Result<std::unique_ptr<Service>> Service::start(const ServiceOptions& options) {
  std::unique_ptr<Service> service(new Service);
  service->when_stopping_ = options.when_stopping;
  Result<std::unique_ptr<FileStore>> store = FileStore::open(options.store);
  if (!store) return store.error();
  service->store_ = *std::move(store);
  Result<LoadedState> loaded =
      load_state(options.hash_key, *service->store_, *service->store_, options.store.say);
  if (!loaded) return loaded.error();
  WriterOptions writer = options.writer;
  writer.keeps_log = options.store.keep_log;
  if (writer.clock != nullptr) {
    const std::filesystem::path path = options.store.folder / "clock";
    if (const std::optional<Instant> last = read_time(path)) writer.clock->begin_after(*last);
    writer.remember_time = [path](Instant now) {
      const std::string text = std::to_string(now.time_since_epoch().count()) + "\n";
      (void)write_durably(path, text);  // it only helps the next start
    };
  }
  service->writer_ =
      std::make_unique<Writer>(writer, *std::move(loaded), *service->store_, *service->store_);
  ApiOptions api = options.api;
  api.extra_metrics = [service = service.get()] {
    return service->server_->prometheus() + service->store_prometheus();
  };
  service->api_ = std::make_unique<Api>(api, *service->writer_);
  Result<std::unique_ptr<HttpServer>> server = HttpServer::listen(options.server, *service->api_);
  if (!server) return server.error();
  service->server_ = *std::move(server);
  return service;
}

// Answers go through the server's threads, so everything that answers ends first.
Service::~Service() {
  if (api_ != nullptr) api_->stop();
  if (writer_ != nullptr) writer_->stop();
}

void Service::run() {
  server_->run();
  when_stopping_();
  api_->stop();
  writer_->stop();
}

std::string Service::store_prometheus() const {
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  const std::int64_t made = store_->checkpoint_time();
  PrometheusWriter out;
  out.gauge("futurerand_disk_free_bytes", "Free space on the data folder's disk.",
            store_->free_bytes());
  if (made != 0) {
    out.gauge("futurerand_checkpoint_age_seconds", "Age of the newest checkpoint.",
              static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - made)));
  }
  return std::move(out).take();
}

}  // namespace futurerand
