#include "futurerand/collector/api/refusal_log.hpp"

namespace futurerand {

void RefusalLog::add(const std::string& call, Access access) {
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
  const std::string_view kind = access == Access::kTerms ? "submit or read" : name_of(access);
  say_("refused " + call + ": the " + std::string(kind) + " token is missing or wrong" +
       (others == 0 ? "" : " (and " + std::to_string(others) + " more before)"));
}

}  // namespace futurerand
