// Whatever the bytes, parse_values ends in users that keep its promises, or in an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "futurerand/simulator/populations/values_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr futurerand::Period kPeriods = 64;
  const auto users = futurerand::parse_values(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.csv", kPeriods);
  if (!users) return 0;
  for (std::size_t u = 0; u < users->size(); ++u) {
    if (u > 0 && (*users)[u].user <= (*users)[u - 1].user) std::abort();
    futurerand::Period last = 0;
    for (const futurerand::ValueFrom& change : (*users)[u].changes) {
      if (change.period <= last || change.period > kPeriods) std::abort();
      last = change.period;
    }
    if (last == 0) std::abort();
  }
  return 0;
}
