// Event: the kinds of lines for the operator in the collector's log. Names and levels are stable:
// alerts and searches rely on them. docs/monitoring.md lists them all.
//
// Thread safety: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace futurerand {

enum class Event : std::uint8_t {
  kListening,
  kStopped,
  kStartFailed,
  kLogFailed,
  kNoAdminToken,
  kTornTail,
  kRepair,
  kCheckpointUnreadable,
  kCheckpointFailed,
  kHighWaterMarkFailed,
  kErasureFailed,
  kNoRoom,
  kRoomAgain,
  kMemoryFull,
  kMetricCreated,
  kMetricClosed,
  kMetricReopened,
  kMetricOver,
  kMetricArchived,
  kMetricDeleted,
  kMetricImported,
  kCallFailed,
  kThreadFailed,
  kClockStopped,
  kClockGoesOn,
  kTokenRefused,
  kTokensRead,
  kTokensKept,
  kCertificateRead,
  kCertificateKept,
  kCertificateExpired,
  kKeyExposed,
  kDatabaseAway,
  kDatabaseBack,
  kDatabaseDurability,
  kEarlierProcess,
  kShardMoved,
  kShardLost,
  kShardFailed,
  kLeavingFailed,
  kCount
};

struct EventKind {
  std::string_view name;
  std::string_view level;  // info, warning or fatal: the last one before the process ends
};

// These are in the order of the enumerators.
inline constexpr std::array<EventKind, static_cast<std::size_t>(Event::kCount)> kEventKinds = {{
    {"listening", "info"},
    {"stopped", "info"},
    {"start_failed", "fatal"},
    {"log_failed", "fatal"},
    {"no_admin_token", "warning"},
    {"torn_tail", "warning"},
    {"repair", "warning"},
    {"checkpoint_unreadable", "warning"},
    {"checkpoint_failed", "warning"},
    {"high_water_mark_failed", "warning"},
    {"erasure_failed", "warning"},
    {"no_room", "warning"},
    {"room_again", "info"},
    {"memory_full", "warning"},
    {"metric_created", "info"},
    {"metric_closed", "info"},
    {"metric_reopened", "info"},
    {"metric_over", "info"},
    {"metric_archived", "info"},
    {"metric_deleted", "info"},
    {"metric_imported", "info"},
    {"call_failed", "warning"},
    {"thread_failed", "warning"},
    {"clock_stopped", "warning"},
    {"clock_goes_on", "info"},
    {"token_refused", "warning"},
    {"tokens_read", "info"},
    {"tokens_kept", "warning"},
    {"certificate_read", "info"},
    {"certificate_kept", "warning"},
    {"certificate_expired", "warning"},
    {"key_exposed", "warning"},
    {"database_away", "warning"},
    {"database_back", "info"},
    {"database_durability", "info"},
    {"earlier_process", "info"},
    {"shard_moved", "info"},
    {"shard_lost", "warning"},
    {"shard_failed", "warning"},
    {"leaving_failed", "warning"},
}};

constexpr const EventKind& kind_of(Event event) {
  return kEventKinds[static_cast<std::size_t>(event)];
}

// Tells the operator. It may be called from any thread.
using Say = std::function<void(Event event, const std::string& line)>;
inline void say_nothing(Event, const std::string&) {}

}  // namespace futurerand
