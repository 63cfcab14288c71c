// The text of a real number in JSON, by code that is small. JsonWriter::value(double) writes
// shorter texts, but its tables take 100 KB. A page that loads the client must not have them.
#pragma once

#include <string>

namespace futurerand {

// Returns a text that reads back as the same number, with a point or an exponent: "1.0". The text
// is the same on every platform. Whatever is no finite number is null.
std::string to_json_number(double number);

}  // namespace futurerand
