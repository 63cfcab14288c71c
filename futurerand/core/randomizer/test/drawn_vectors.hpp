// DrawnVectors: the number of draws of each short vector of symbols, for enumerating tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand::test {

using Symbols = std::vector<int>;

// Returns a number for each vector of up to eight symbols.
inline std::size_t number_of(const Symbols& symbols) {
  std::size_t number = 0;
  for (const int symbol : symbols) number = 3 * number + static_cast<std::size_t>(symbol + 1);
  return number;
}
inline std::size_t number_of(const SignVector& signs) {
  std::size_t number = 0;
  for (std::uint32_t j = 0; j < signs.size(); ++j) {
    number = 3 * number + static_cast<std::size_t>(static_cast<int>(signs.at(j)) + 1);
  }
  return number;
}

// Returns the weight of every vector, by its number.
class DrawnVectors {
 public:
  void add(const SignVector& signs, std::uint64_t weight) { weights_[number_of(signs)] += weight; }
  std::uint64_t operator[](const Symbols& symbols) const { return weights_[number_of(symbols)]; }

 private:
  std::vector<std::uint64_t> weights_ = std::vector<std::uint64_t>(6561);
};

inline std::vector<Symbols> all_vectors(std::uint32_t k, bool silence) {
  std::vector<Symbols> all = {{}};
  for (std::uint32_t j = 0; j < k; ++j) {
    std::vector<Symbols> longer;
    for (const Symbols& vector : all) {
      for (const int symbol : {-1, 0, 1}) {
        if (symbol == 0 && !silence) continue;
        longer.push_back(vector);
        longer.back().push_back(symbol);
      }
    }
    all = std::move(longer);
  }
  return all;
}

inline std::uint32_t count(const Symbols& symbols, int which) {
  std::uint32_t found = 0;
  for (const int symbol : symbols) found += symbol == which ? 1 : 0;
  return found;
}

}  // namespace futurerand::test
