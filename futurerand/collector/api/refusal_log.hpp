// RefusalLog: tells the operator of calls that came without a token that opens them, at most once
// a second, so that nobody can fill a disk with lines.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "futurerand/collector/api/access_tokens.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

class RefusalLog {
 public:
  RefusalLog(std::function<Instant()> now, std::function<void(const std::string& line)> say)
      : now_(std::move(now)), say_(std::move(say)) {}

  // `call` is the row of the table, "PUT /v1/metrics/{name}": what was sent could be anything.
  void add(const std::string& call, Access access);

 private:
  const std::function<Instant()> now_;
  const std::function<void(const std::string& line)> say_;
  std::mutex mutex_;
  std::optional<Instant> last_;  // when a line was said
  std::uint64_t unsaid_ = 0;     // refusals since then
};

}  // namespace futurerand
