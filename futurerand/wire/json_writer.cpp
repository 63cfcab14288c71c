#include "futurerand/wire/json_writer.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace futurerand {

JsonWriter& JsonWriter::value(std::string_view text) {
  using nlohmann::json;
  separate();
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) {
    out_.append(1, '"').append(text).append(1, '"');
  } else {
    out_ += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return *this;
}

}  // namespace futurerand
