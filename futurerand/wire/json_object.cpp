#include "futurerand/wire/json_object.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

namespace futurerand {
namespace {

using Json = nlohmann::json;

// nlohmann keeps the last of two equal keys without a word; two readers could then disagree on
// what a line says.
class RepeatedKeys {
 public:
  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto* key = parsed.get_ptr<const std::string*>();
      if (!repeated_ && !keys_.back().insert(*key).second) repeated_ = *key;
    }
    return true;
  }
  const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::optional<std::string> repeated_;
};

const Json& empty_object() {
  static const Json kEmpty = Json::object();
  return kEmpty;
}

const Json& empty_array() {
  static const Json kEmpty = Json::array();
  return kEmpty;
}

}  // namespace

JsonShape json_shape(std::string_view text) {
  JsonShape shape{.depth = 0, .values = 1};
  std::size_t open = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (in_text) {
      if (letter == '\\') ++at;
      in_text = letter != '"';
    } else if (letter == '"') {
      in_text = true;
    } else if (letter == '{' || letter == '[') {
      shape.depth = std::max(shape.depth, ++open);
      ++shape.values;
    } else if (letter == '}' || letter == ']') {
      open -= open > 0 ? 1 : 0;
    } else if (letter == ',') {
      ++shape.values;
    }
  }
  return shape;
}

Result<Json> parse_json_object(std::string_view text, const std::string& what) {
  if (json_shape(text).depth > kMaxJsonDepth) {
    return Error{what + " is " + shown(text) + "; expected at most " +
                 std::to_string(kMaxJsonDepth) + " levels of JSON"};
  }
  RepeatedKeys keys;
  Json parsed = Json::parse(text.begin(), text.end(), std::ref(keys), false);
  if (parsed.is_discarded() || !parsed.is_object()) {
    return Error{what + " is " + shown(text) + "; expected one whole JSON object"};
  }
  if (keys.repeated()) return Error{what + ": the key " + shown(*keys.repeated()) + " repeats"};
  return parsed;
}

JsonObject::JsonObject(const Json& json, std::string where)
    : json_(json), where_(std::move(where)) {
  if (!json_.is_object()) fail("expected a JSON object");
}

JsonObject::JsonObject(const Json& json, std::string where,
                       std::initializer_list<std::string_view> known_keys)
    : JsonObject(json, std::move(where)) {
  if (error_) return;
  for (auto item = json_.begin(); item != json_.end(); ++item) {
    if (std::find(known_keys.begin(), known_keys.end(), item.key()) != known_keys.end()) continue;
    std::string expected;
    for (const std::string_view key : known_keys) {
      expected += (expected.empty() ? "" : ", ") + std::string(key);
    }
    fail("unknown key " + shown(item.key()) + "; expected only " + expected);
    return;
  }
}

bool JsonObject::has(std::string_view key) const {
  return json_.is_object() && json_.find(key) != json_.end();
}

const Json* JsonObject::find(std::string_view key) {
  if (error_) return nullptr;
  const auto found = json_.find(key);
  if (found != json_.end()) return &*found;
  fail("the key '" + std::string(key) + "' is missing");
  return nullptr;
}

std::uint64_t JsonObject::integer(std::string_view key, std::uint64_t least, std::uint64_t most) {
  const Json* value = find(key);
  if (value == nullptr) return least;
  const auto* number = value->get_ptr<const Json::number_unsigned_t*>();
  if (number != nullptr && *number >= least && *number <= most) return *number;
  fail(std::string(key) + " is " +
       (number != nullptr ? std::to_string(*number) : "no whole number") + "; expected " +
       std::to_string(least) + " to " + std::to_string(most));
  return least;
}

std::vector<std::uint64_t> JsonObject::integers(std::string_view key, std::uint64_t most) {
  std::vector<std::uint64_t> numbers;
  for (const Json& entry : array(key)) {
    const auto* number = entry.get_ptr<const Json::number_unsigned_t*>();
    if (number == nullptr || *number > most) {
      fail(std::string(key) + " has an entry that is no whole number from 0 to " +
           std::to_string(most));
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::uint64_t JsonObject::integer_text(std::string_view key) {
  const std::string& digits = text(key);
  const std::optional<std::uint64_t> number = parse_decimal(digits);
  if (!number && !error_) {
    fail(std::string(key) + " is " + shown(digits) +
         "; expected a string of decimal digits below 2^64");
  }
  return number.value_or(0);
}

bool JsonObject::boolean(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return false;
  if (const auto* is = value->get_ptr<const Json::boolean_t*>()) return *is;
  fail(std::string(key) + " is neither true nor false");
  return false;
}

const std::string& JsonObject::text(std::string_view key) {
  static const std::string kEmpty;
  const Json* value = find(key);
  if (value == nullptr) return kEmpty;
  if (const auto* text = value->get_ptr<const std::string*>()) return *text;
  fail(std::string(key) + " is no string");
  return kEmpty;
}

const Json& JsonObject::object(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr || value->is_object()) return value == nullptr ? empty_object() : *value;
  fail(std::string(key) + " is no JSON object");
  return empty_object();
}

const Json& JsonObject::array(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr || value->is_array()) return value == nullptr ? empty_array() : *value;
  fail(std::string(key) + " is no JSON array");
  return empty_array();
}

void JsonObject::fail(const std::string& message) {
  if (!error_) error_ = Error{where_ + ": " + message};
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string text_shown = "'";
  for (const char c : text.substr(0, kMost)) text_shown += c >= ' ' && c <= '~' ? c : '?';
  return text_shown + (text.size() > kMost ? "...'" : "'");
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

}  // namespace futurerand
