// Playground: POST /v1/playground of `serve --demo`. It runs a simulated fleet against its own
// collector. The devices are real, and their reports go through the writer like any other. The
// caller learns the truth about the population. It is here and not in the collector: the collector
// cannot name a raw value.
//
// Thread safety: call() from any thread; the rest from one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand::apps {

class Playground {
 public:
  Playground() = default;
  ~Playground() { detach(); }
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  // Answers calls from now on. The writer must outlive this until detach(). detach() ends the
  // current run.
  void attach(Writer& writer);
  void detach();

  // {users, population, periods, changes, epsilon, period_milliseconds} -> {metric, truth[]}: the
  // fleet's metric, and the true count of every period. A call ends the current run and deletes its
  // metric: there is one fleet at a time.
  ApiResponse call(const Call& call);

 private:
  struct Fleet;

  ApiResponse start(const std::string& body);
  void end_run();
  // Deletes the metric of the last run.
  void forget_run();
  void run(Fleet fleet);
  // Waits for the answer; returns false if the run is to end.
  template <typename Submit>
  bool written(Submit submit);
  bool pause(std::chrono::steady_clock::time_point until);

  std::mutex calls_;  // one call at a time
  Writer* writer_ = nullptr;
  std::thread thread_;
  std::optional<std::uint32_t> metric_;  // of the last run

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
};

}  // namespace futurerand::apps
