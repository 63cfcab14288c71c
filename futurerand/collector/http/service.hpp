// Service: a whole collector: log, writer, API and server, started and stopped in the right order.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "futurerand/collector/api/api.hpp"
#include "futurerand/collector/http/server.hpp"
#include "futurerand/collector/log/file_store.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {

struct ServiceOptions {
  StoreOptions store;
  WriterOptions writer;
  ApiOptions api;
  ServerOptions server;
  HashKey hash_key;                                   // random, for this process only
  std::chrono::milliseconds clock_patience{600'000};  // of a cluster's own clock
  std::function<void()> when_stopping = [] {};        // nothing is taken any more
};

class Service {
 public:
  // Opens the data, replays it, and listens.
  static Result<std::unique_ptr<Service>> start(const ServiceOptions& options);
  ~Service();

  // Serves until stop() or a signal; then drains, takes a checkpoint and returns.
  void run();
  void stop() { server_->stop(); }

  std::uint16_t port() const { return server_->port(); }
  Writer& writer() { return *writer_; }

 private:
  Service() = default;
  std::string store_prometheus() const;

  std::function<void()> when_stopping_;
  std::unique_ptr<FileStore> store_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace futurerand
