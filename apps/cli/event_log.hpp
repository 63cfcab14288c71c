// EventLog: events for an operator, one line each on stderr, as text or as JSON.
//
// Thread safety: all of it; lines do not mix.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace futurerand::apps {

enum class LogFormat { kText, kJson };

// {"time":"2026-01-31T12:00:00.123Z","level":"info","program":"serve","event":"listening",
// "message":"..."}, on one line
std::string json_log_line(std::chrono::system_clock::time_point time, std::string_view level,
                          std::string_view program, std::string_view event,
                          std::string_view message);

class EventLog {
 public:
  EventLog(std::string program, LogFormat format) : program_(std::move(program)), format_(format) {}

  // `event` is the stable name of its kind; `message` is for people.
  void put(std::string_view level, std::string_view event, const std::string& message) const;

 private:
  const std::string program_;
  const LogFormat format_;
};

}  // namespace futurerand::apps
