#include "futurerand/collector/http/service.hpp"

namespace futurerand {

Result<std::unique_ptr<Service>> Service::start(const ServiceOptions& options) {
  std::unique_ptr<Service> service(new Service);
  Result<std::unique_ptr<FileStore>> store = FileStore::open(options.store);
  if (!store) return store.error();
  service->store_ = *std::move(store);
  Result<LoadedState> loaded =
      load_state(options.hash_key, *service->store_, *service->store_, options.store.say);
  if (!loaded) return loaded.error();
  service->writer_ = std::make_unique<Writer>(options.writer, *std::move(loaded), *service->store_,
                                              *service->store_);
  ApiOptions api = options.api;
  api.extra_metrics = [service = service.get()] { return service->server_->prometheus(); };
  service->api_ = std::make_unique<Api>(api, *service->writer_);
  Result<std::unique_ptr<HttpServer>> server = HttpServer::listen(options.server, *service->api_);
  if (!server) return server.error();
  service->server_ = *std::move(server);
  return service;
}

// Answers of the writer go through the server's threads, so the writer ends first.
Service::~Service() {
  if (writer_ != nullptr) writer_->stop();
}

void Service::run(bool signals) {
  server_->run(signals);
  writer_->stop();
}

}  // namespace futurerand
