#include "futurerand/collector/api/refusal_log.hpp"

namespace futurerand {

void RefusalLog::add(const std::string& call) {
  std::uint64_t others = 0;
  {
    const std::lock_guard lock(mutex_);
    const Instant now = now_();
    if (last_ && now >= *last_ && now - *last_ < std::chrono::seconds(1)) {
      ++unsaid_;
      return;
    }
    others = unsaid_;
    unsaid_ = 0;
    last_ = now;
  }
  say_("refused " + call + ": the admin token is missing or wrong" +
       (others == 0 ? "" : " (and " + std::to_string(others) + " more before)"));
}

}  // namespace futurerand
