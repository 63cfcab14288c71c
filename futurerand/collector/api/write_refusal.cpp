#include "futurerand/collector/api/write_refusal.hpp"

namespace futurerand {

std::optional<ApiResponse> write_refusal(Written written) {
  switch (written) {
    case Written::kNoRoom:
      return retry_response(503, "no_room", "the disk is full; nothing of this was counted", 5);
    case Written::kBusy:
      return retry_response(429, "busy",
                            "too many reports are waiting to be written; send this again", 1);
    case Written::kStopping:
      return retry_response(503, "stopping", "the collector stops; send this again", 1);
    case Written::kMoved:
      return retry_response(503, "moving", "another collector is taking over; send this again", 1);
    case Written::kNoMemory:
      return retry_response(429, "no_memory",
                            "the collector has no memory for more devices; reports of known "
                            "devices are still accepted",
                            60);
    case Written::kClock:
      return retry_response(503, "clock_stopped",
                            "the collector's clock has jumped and must be confirmed; send this "
                            "again later",
                            60);
    case Written::kGone:
      return error_response(404, "unknown_metric", "the metric was deleted");
    case Written::kDurable:
    case Written::kUnexpected:
    case Written::kConflict:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace futurerand
