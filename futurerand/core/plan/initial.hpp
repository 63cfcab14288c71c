// Initial: what is known of a value before its device joins.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace futurerand {

enum class Initial : std::uint8_t {
  kZero,     // everybody holds 0; joining with 1 is a change, as in [OWW22]
  kUnknown,  // nothing; changes are counted after joining
};

constexpr std::string_view name_of(Initial initial) {
  return initial == Initial::kZero ? "zero" : "unknown";
}

constexpr std::optional<Initial> initial_named(std::string_view name) {
  for (const Initial initial : {Initial::kZero, Initial::kUnknown}) {
    if (name_of(initial) == name) return initial;
  }
  return std::nullopt;
}

// Returns how many changes from 0 a device may make: joining with 1 is one of them.
constexpr std::uint32_t changes_from_zero(std::uint32_t max_changes, Initial initial) {
  return max_changes + (initial == Initial::kUnknown ? 1 : 0);
}

}  // namespace futurerand
