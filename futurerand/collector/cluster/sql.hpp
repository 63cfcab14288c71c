// One statement for PostgreSQL and its outcome.
//
// Thread safety: plain values.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace futurerand {

// A parameter is a number or a text, which are stored, or bytes, which are not copied.
class SqlValue {
 public:
  template <std::integral Number>
  SqlValue(Number number) : text_(std::to_string(number)) {}
  SqlValue(std::string text) : text_(std::move(text)) {}
  SqlValue(const char* text) : text_(text) {}
  // The bytes outlive the statement.
  static SqlValue bytes(std::string_view bytes) {
    SqlValue value("");
    value.bytes_ = bytes;
    value.is_bytes_ = true;
    return value;
  }

  bool is_bytes() const { return is_bytes_; }
  const char* data() const { return is_bytes_ ? bytes_.data() : text_.c_str(); }
  std::size_t size() const { return is_bytes_ ? bytes_.size() : text_.size(); }

 private:
  std::string text_;
  std::string_view bytes_;
  bool is_bytes_ = false;
};

enum class Ran {
  kDone,     // committed, with the durability set in the database
  kRefused,  // rejected by the database: nothing of it counts
  kUnknown,  // no answer, or a commit with a warning: the outcome is unknown
};

struct SqlReply {
  Ran ran = Ran::kDone;
  std::string message = {};  // of the failure
  std::string state = {};    // of a refusal: its SQLSTATE
  std::uint64_t affected = 0;
  std::vector<std::vector<std::string>> rows = {};  // a null is empty

  bool done() const { return ran == Ran::kDone; }
};

}  // namespace futurerand
