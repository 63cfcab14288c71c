// Arrays of whole numbers in documents.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "futurerand/wire/json_object.hpp"

namespace futurerand {

// Reads an array. nlohmann reads a whole number as unsigned unless it is negative. An element that
// does not fit shows in `object`.
template <typename Number>
std::vector<Number> read_numbers(JsonObject& object, std::string_view key,
                                 const nlohmann::json& array) {
  std::vector<Number> numbers;
  for (const nlohmann::json& entry : array) {
    const auto* natural = entry.get_ptr<const std::uint64_t*>();
    const auto* integer = entry.get_ptr<const std::int64_t*>();
    if (natural != nullptr && *natural <= std::uint64_t{std::numeric_limits<Number>::max()}) {
      numbers.push_back(static_cast<Number>(*natural));
    } else if (natural == nullptr && integer != nullptr && std::is_signed_v<Number>) {
      numbers.push_back(static_cast<Number>(*integer));
    } else {
      object.fail(std::string(key) + " has an element that is no count");
      break;
    }
  }
  return numbers;
}

}  // namespace futurerand
