#include "apps/cli/event_log.hpp"

#include <cstdio>

#include <fmt/core.h>

#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand::apps {

std::string json_log_line(std::chrono::system_clock::time_point time, std::string_view level,
                          std::string_view program, std::string_view event,
                          std::string_view message) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto part = std::chrono::floor<std::chrono::milliseconds>(time - seconds);
  std::string text = utc_text(seconds);
  text.insert(text.size() - 1, fmt::format(".{:03}", part.count()));  // before the Z
  JsonWriter json;
  json.begin_object().member("time", text).member("level", level).member("program", program);
  json.member("event", event).member("message", message);
  return std::move(json.end_object()).take();
}

void EventLog::put(std::string_view level, std::string_view event,
                   const std::string& message) const {
  const std::string line =
      format_ == LogFormat::kJson
          ? json_log_line(std::chrono::system_clock::now(), level, program_, event, message)
          : program_ + ": " + message;
  // One call: lines of several threads do not mix.
  fmt::print(stderr, "{}\n", line);
}

}  // namespace futurerand::apps
