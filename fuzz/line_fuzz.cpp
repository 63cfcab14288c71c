// Any bytes may be a line. Nothing crashes, and an accepted line has the same meaning for every
// parser.
#include <cstdlib>
#include <string>

#include "futurerand/wire/canonical_line.hpp"
#include "futurerand/wire/wire.hpp"

using futurerand::Line;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const futurerand::Result<Line> parsed = futurerand::parse_line(line);
  const futurerand::Result<Line> general = futurerand::parse_any_line(line);
  if (static_cast<bool>(parsed) != static_cast<bool>(general)) std::abort();
  if (!parsed) return 0;
  if (*parsed != *general) std::abort();
  const std::string written =
      std::visit([](const auto& message) { return futurerand::to_line(message); }, *parsed);
  const futurerand::Result<Line> again = futurerand::parse_line(written);
  if (!again || *again != *parsed) std::abort();
  return 0;
}
