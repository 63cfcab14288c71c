// GET /v1/plan: the result of the command `plan`. Its parameters are the options of `plan`, except
// liars and the constants of rivals. Planning is exact arithmetic and may take a second, and
// untrusted clients may ask for it. So it runs on a thread of its own, for one address after the
// other, and answers are kept.
//
// Thread safety: all of it.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "futurerand/collector/api/address_owners.hpp"
#include "futurerand/collector/api/answer_or_fail.hpp"
#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/api/target.hpp"
#include "futurerand/collector/api/work_thread.hpp"

namespace futurerand::apps {

ApiResponse plan_response(const Target& target);

class PlanCalls {
 public:
  explicit PlanCalls(Say say) : say_(std::move(say)), work_(kLimits) {}

  void take(const Call& call, const Respond& respond);
  // Answers waiting calls with 503. Making all those plans would keep a collector from ending.
  void stop() {
    stopping_ = true;
    work_.stop();
  }

 private:
  static constexpr WorkLimits kLimits{.turn = 1, .max_waiting = 256, .max_waiting_of_owner = 8};
  static constexpr std::size_t kMaxKept = 256;
  static constexpr std::size_t kMaxKeptQuery = 512;

  std::optional<std::string> find(const std::string& query);
  void keep(const std::string& query, const std::string& document);

  const Say say_;
  const AddressOwners owners_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> kept_;  // documents by query
  std::deque<std::string> order_;                      // of queries, oldest first
  WorkThread work_;
};

}  // namespace futurerand::apps
