#include "apps/report/over_changes.hpp"

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"
#include "futurerand/simulator/values_file.hpp"

namespace futurerand::apps {

std::optional<OverChanges> over_changes(const PlanCommandFlags& flags) {
  if (flags.values.empty()) return std::nullopt;
  OverChanges result;
  const std::vector<UserValues> panel =
      or_bad_input(parse_values(read_file(flags.values), flags.values, flags.plan.periods));
  for (const UserValues& user : panel) {
    bool value = false;
    std::uint32_t changes = 0;
    for (const ValueFrom& from : user.changes) {
      changes += from.value != value ? 1U : 0U;  // rows that repeat the value held are no changes
      value = from.value;
    }
    ++result.users;
    result.over += changes > flags.plan.changes ? 1U : 0U;
  }
  if (result.users == 0) return std::nullopt;
  return result;
}

}  // namespace futurerand::apps
