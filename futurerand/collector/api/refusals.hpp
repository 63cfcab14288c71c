// Refusals: counts of refused requests from untrusted clients, for the operator. GET /metrics has
// the counts. Calls without a valid token also get a line in the log, at most one a second, so
// nobody can fill a disk with lines.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "futurerand/collector/api/access_tokens.hpp"
#include "futurerand/collector/log/event.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

enum class Refusal : std::uint8_t {
  kLineRate,
  kEnrolmentRate,
  kBadLines,
  kExpansion,  // a body that unpacks to too many times its size
  kOrigin,
  kHost,
  kToken,  // by refused_token()
  kCount
};

class Refusals {
 public:
  Refusals(std::function<Instant()> now, Say say) : now_(std::move(now)), say_(std::move(say)) {}

  void count(Refusal refusal) { ++counts_[static_cast<std::size_t>(refusal)]; }
  // Counts a call without its token, and logs it. `call` is the row of the table, "PUT
  // /v1/metrics/{name}": the request itself could contain anything.
  void refused_token(const std::string& call, Access access);

  std::string prometheus() const;

 private:
  const std::function<Instant()> now_;
  const Say say_;
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Refusal::kCount)> counts_{};
  std::mutex mutex_;
  std::optional<Instant> last_;  // time of the last line
  std::uint64_t unsaid_ = 0;     // refused tokens since then
};

}  // namespace futurerand
