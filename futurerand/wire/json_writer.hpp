// JsonWriter: writes one JSON document as text, without building it in memory first.
//
// It places commas; the caller closes what it opens. Whatever is no finite number is null, and text
// is escaped: bytes that are not UTF-8 become U+FFFD.
//
// Thread safety: one thread at a time.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace futurerand {

class JsonWriter {
 public:
  explicit JsonWriter(std::size_t expected_size = 256) { out_.reserve(expected_size); }

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  // Requires a name without characters that JSON escapes. Its value follows.
  JsonWriter& key(std::string_view name) {
    separate();
    out_.append(1, '"').append(name).append("\":");
    is_first_ = true;
    return *this;
  }

  JsonWriter& value(std::nullptr_t) { return json("null"); }
  JsonWriter& value(std::same_as<bool> auto flag) { return json(flag ? "true" : "false"); }
  // Numbers are as short as possible: 1 and not 1.0.
  template <typename Number>
  requires((std::integral<Number> && !std::same_as<Number, bool>) ||
           std::floating_point<Number>) JsonWriter& value(Number number) {
    if constexpr (std::floating_point<Number>) {
      if (!std::isfinite(number)) return value(nullptr);
    }
    separate();
    char text[32];
    out_.append(text, std::to_chars(text, text + sizeof(text), number).ptr);
    return *this;
  }
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  template <typename Value>
  JsonWriter& value(const std::optional<Value>& maybe) {
    return maybe ? value(*maybe) : value(nullptr);
  }
  // Writes what is JSON already.
  JsonWriter& json(std::string_view written) {
    separate();
    out_ += written;
    return *this;
  }

  template <typename Value>
  JsonWriter& member(std::string_view name, const Value& its_value) {
    return key(name).value(its_value);
  }
  JsonWriter& text_or_null(std::string_view name, std::string_view text) {
    key(name);
    return text.empty() ? value(nullptr) : value(text);
  }
  template <typename Values>
  JsonWriter& array(std::string_view name, const Values& values) {
    return key(name).array(values);
  }
  template <typename Values>
  JsonWriter& array(const Values& values) {
    begin_array();
    for (const auto& each : values) value(each);
    return end_array();
  }

  std::string take() && { return std::move(out_); }

 private:
  void separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }
  JsonWriter& open(char bracket) {
    separate();
    out_ += bracket;
    is_first_ = true;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_ += bracket;
    is_first_ = false;
    return *this;
  }

  std::string out_;
  bool is_first_ = true;  // what is written next follows no other value
};

}  // namespace futurerand
