#include "futurerand/collector/api/refusals.hpp"

#include <chrono>
#include <string_view>

#include "futurerand/documents/prometheus_writer.hpp"

namespace futurerand {

void Refusals::refused_token(const std::string& call, Access access) {
  count(Refusal::kToken);
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
  say_(Event::kTokenRefused,
       "refused " + call + ": the " + std::string(kind) + " token is missing or wrong" +
           (others == 0 ? "" : " (and " + std::to_string(others) + " more before)"));
}

std::string Refusals::prometheus() const {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Refusal::kCount)> kNames = {
      "line_rate", "enrolment_rate", "bad_lines", "expansion", "origin", "host", "token"};
  PrometheusWriter out;
  out.begin("futurerand_refused_total", PrometheusWriter::Kind::kCounter,
            "Rejected requests, by reason.");
  for (std::size_t i = 0; i < kNames.size(); ++i) out.sample(counts_[i], {{"reason", kNames[i]}});
  return std::move(out).take();
}

}  // namespace futurerand
