// The quick way in: enrolments and reports exactly as to_line writes them, without
// building a JSON document. Whatever looks different in any byte is left to the general parser, so
// this may only accept, never refuse.
#pragma once

#include <optional>
#include <string_view>

#include "futurerand/wire/wire.hpp"

namespace futurerand {

std::optional<Line> parse_canonical_line(std::string_view line);

// Does what parse_line does with a line that is not canonical; for tests.
Result<Line> parse_any_line(std::string_view line);

}  // namespace futurerand
