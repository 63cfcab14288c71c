#include "futurerand/study/over_changes.hpp"

namespace futurerand {

OverChanges count_over_changes(const std::vector<UserValues>& panel, std::uint32_t max_changes) {
  OverChanges result;
  for (const UserValues& user : panel) {
    bool value = false;
    std::uint32_t changes = 0;
    for (const ValueFrom& from : user.changes) {
      changes += from.value != value ? 1U : 0U;  // rows that repeat the value held are no changes
      value = from.value;
    }
    ++result.users;
    result.over += changes > max_changes ? 1U : 0U;
  }
  return result;
}

}  // namespace futurerand
