// SqlArray: an array of one dimension in PostgreSQL's binary form, so one fixed statement serves
// any number of rows.
//
// Thread safety: one thread at a time.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/collector/cluster/sql.hpp"

namespace futurerand {

class SqlArray {
 public:
  // PostgreSQL's type numbers; they never change.
  enum class Type : std::uint32_t { kBytea = 17, kInt8 = 20, kInt4 = 23 };

  explicit SqlArray(Type type) {
    const std::uint32_t head[] = {1, 0, static_cast<std::uint32_t>(type), 0, 1};
    for (const std::uint32_t word : head) put(word);
  }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  void add(std::uint32_t number) { add_number(number); }
  void add(std::uint64_t number) { add_number(number); }
  void add(std::string_view bytes) {
    put(static_cast<std::uint32_t>(bytes.size()));
    bytes_ += bytes;
    ++count_;
  }
  std::size_t size() const { return bytes_.size(); }
  // Must not change before the statement has run.
  SqlValue value() {
    for (std::size_t at = 0; at < sizeof count_; ++at) {
      bytes_[kCountAt + at] = static_cast<char>(count_ >> (24 - 8 * at));
    }
    return SqlValue::bytes(bytes_);
  }

 private:
  static constexpr std::size_t kCountAt = 12;

  template <std::unsigned_integral Number>
  void put(Number number) {
    for (std::size_t left = sizeof number; left > 0; --left) {
      bytes_ += static_cast<char>(number >> (8 * (left - 1)));
    }
  }
  template <std::unsigned_integral Number>
  void add_number(Number number) {
    put(static_cast<std::uint32_t>(sizeof number));
    put(number);
    ++count_;
  }

  std::string bytes_;
  std::uint32_t count_ = 0;
};

}  // namespace futurerand
