// What the module asks of JavaScript: entropy and the records of the device. index.js gives them.
//
// A call that fails in JavaScript answers a negative number; nothing throws through this code.
#pragma once

#include <cstddef>
#include <cstdint>

#define FUTURERAND_IMPORT(name) \
  __attribute__((import_module("futurerand"), import_name(name))) extern "C"

namespace futurerand::js {

inline constexpr std::int32_t kNone = -1;  // there is no such record; anything below: failed

// 0 if all bytes were filled.
FUTURERAND_IMPORT("fill") std::int32_t fill(std::uint8_t* bytes, std::size_t size);
// The size of a record, whose name is `length` characters; its bytes too, if there is room for
// them.
FUTURERAND_IMPORT("load")
std::int32_t load(const char* name, std::size_t length, std::uint8_t* bytes, std::size_t room);
// 0 if it was noted. The bytes stay where they are until the record is saved again, and lines are
// released once a copy of them is durable: that is device.js's part.
FUTURERAND_IMPORT("save")
std::int32_t save(const char* name, std::size_t length, const std::uint8_t* bytes,
                  std::size_t size);
// The names of all records, a newline after each: their size, then they.
FUTURERAND_IMPORT("names_size") std::int32_t names_size();
FUTURERAND_IMPORT("names") std::int32_t names(char* text, std::size_t size);

}  // namespace futurerand::js
