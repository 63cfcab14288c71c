// Values as JSON text, for documents that are written without building them in memory first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace futurerand {

void put_number(std::string& out, std::uint64_t value);
void put_number(std::string& out, std::int64_t value);
// Writes a number as short as possible: 1 and not 1.0. Requires a finite value.
void put_number(std::string& out, double value);

// Writes text in double quotes, escaped; bytes that are not UTF-8 become U+FFFD.
void put_text(std::string& out, std::string_view text);

}  // namespace futurerand
