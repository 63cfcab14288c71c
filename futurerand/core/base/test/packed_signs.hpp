// Signs for tests, from text such as "+-0".
#pragma once

#include <cstdlib>
#include <string_view>

#include "futurerand/core/base/packed_signs.hpp"

namespace futurerand {

inline PackedSigns packed_signs(std::string_view symbols) {
  PackedSigns signs;
  for (const char symbol : symbols) {
    if (symbol != '+' && symbol != '-' && symbol != '0') std::abort();
    signs.push_back(symbol == '+' ? Sign::kPlus : symbol == '-' ? Sign::kMinus : Sign::kZero);
  }
  return signs;
}

}  // namespace futurerand
