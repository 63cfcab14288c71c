// For any bytes, parse_values returns users within its promises, or an error.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "futurerand/simulator/populations/values_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr futurerand::Period kPeriods = 64;
  const auto users = futurerand::parse_values(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.csv", kPeriods);
  if (!users) return 0;
  std::set<std::string> names;
  for (const futurerand::UserValues& user : *users) {
    if (user.user.empty() || !names.insert(user.user).second) std::abort();
    futurerand::Period last = 0;
    for (const futurerand::ValueFrom& change : user.changes) {
      if (change.period <= last || change.period > kPeriods) std::abort();
      last = change.period;
    }
    if (last == 0) std::abort();
  }
  return 0;
}
