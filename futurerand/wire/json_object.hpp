// JsonObject: a strict reader of one JSON object. Every key must be known and appear once, integers
// must be integers in range. Nothing here throws; the first error is kept and all later reads give
// a harmless value, so that callers read everything and ask once.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// The size of the tree that a text would become, found without building it: a text that is cheap to
// send may be a tree that is dear to build.
struct JsonShape {
  std::size_t depth = 0;
  std::size_t values = 0;  // objects, arrays and their members, counted from above
};
JsonShape json_shape(std::string_view text);
inline constexpr std::size_t kMaxJsonDepth = 32;

// Reads the whole text as one JSON object of at most kMaxJsonDepth levels; `what` names it in
// errors.
Result<nlohmann::json> parse_json_object(std::string_view text, const std::string& what);

class JsonObject {
 public:
  // Keeps a reference to `json`; `where` starts every error.
  JsonObject(const nlohmann::json& json, std::string where,
             std::initializer_list<std::string_view> known_keys);
  // Reads a document that may have more keys in later versions: only those that are read count.
  JsonObject(const nlohmann::json& json, std::string where);

  bool has(std::string_view key) const;
  // Returns null and keeps an error if the key is missing; after an error it returns null too.
  const nlohmann::json* find(std::string_view key);
  std::uint64_t integer(std::string_view key, std::uint64_t least, std::uint64_t most);
  std::uint32_t integer32(std::string_view key, std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint32_t>(integer(key, least, most));
  }
  // Reads an array of integers from 0 to `most`.
  std::vector<std::uint64_t> integers(std::string_view key, std::uint64_t most);
  // Reads a 64-bit integer as decimal text: a JSON number of that size does not survive JavaScript.
  std::uint64_t integer_text(std::string_view key);
  bool boolean(std::string_view key);
  const std::string& text(std::string_view key);
  const nlohmann::json& object(std::string_view key);
  const nlohmann::json& array(std::string_view key);

  void fail(const std::string& message);
  const std::optional<Error>& error() const { return error_; }
  const std::string& where() const { return where_; }

 private:
  const nlohmann::json& json_;
  std::string where_;
  std::optional<Error> error_;
};

// Quotes text for error messages: printable, short, in single quotes.
std::string shown(std::string_view text);

// Reads 0, or digits without a leading zero, that fit into 64 bits.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

}  // namespace futurerand
