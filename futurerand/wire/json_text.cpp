#include "futurerand/wire/json_text.hpp"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

namespace futurerand {
namespace {

template <typename Number>
void put(std::string& out, Number value) {
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace

void put_number(std::string& out, std::uint64_t value) { put(out, value); }
void put_number(std::string& out, std::int64_t value) { put(out, value); }
void put_number(std::string& out, double value) { put(out, value); }

void put_text(std::string& out, std::string_view text) {
  using nlohmann::json;
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  out += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace futurerand
