// Vectors of several words against plain lists of signs.
#include "futurerand/core/randomizer/sign_vector.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

struct BothVectors {
  SignVector signs;
  std::vector<bool> minus;

  BothVectors(std::uint32_t size, std::uint64_t seed) : signs(size), minus(size) {
    test::SeededSource source(seed);
    std::vector<std::uint64_t> words(signs.num_words());
    EXPECT_TRUE(source.fill(words));
    for (std::size_t w = 0; w < words.size(); ++w) signs.set_word(w, words[w]);
    for (std::uint32_t j = 0; j < size; ++j) minus[j] = (words[j / 64] >> (j % 64)) % 2 == 1;
  }

  void expect_same() const {
    for (std::uint32_t j = 0; j < signs.size(); ++j) ASSERT_EQ(signs.is_minus(j), minus[j]) << j;
  }
  std::uint32_t count(std::uint32_t from, std::uint32_t many) const {
    std::uint32_t sum = 0;
    for (std::uint32_t j = from; j < from + many; ++j) sum += minus[j] ? 1U : 0U;
    return sum;
  }
};

TEST(SignVector, WordsEndWhereTheVectorDoes) {
  for (std::uint32_t size = 1; size <= 200; ++size) {
    SignVector signs(size);
    ASSERT_EQ(signs.num_words(), (size - 1) / 64 + 1);
    for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, ~std::uint64_t{0});
    EXPECT_EQ(signs.count_minus(), size);
    EXPECT_EQ(signs.word(signs.num_words() - 1) >> ((size - 1) % 64), 1U);
  }
}

TEST(SignVector, CountsWithinAnyRange) {
  for (const std::uint32_t size : {1U, 63U, 64U, 65U, 128U, 200U}) {
    const BothVectors both(size, size);
    both.expect_same();
    for (std::uint32_t from = 0; from < size; ++from) {
      for (std::uint32_t many = 0; from + many <= size; ++many) {
        ASSERT_EQ(both.signs.count_minus(from, many), both.count(from, many))
            << from << " " << many;
      }
    }
  }
}

TEST(SignVector, TakesBitsOnceAndLeavesTheOthers) {
  for (const std::uint32_t size : {1U, 64U, 65U, 130U, 260U}) {
    for (std::uint32_t from = 0; from < size; ++from) {
      for (std::uint32_t many = 1; many <= 64 && from + many <= size; ++many) {
        BothVectors both(size, size + 1);
        const std::uint64_t bits = both.signs.take_bits(from, many);
        for (std::uint32_t i = 0; i < 64; ++i) {
          ASSERT_EQ((bits >> i) % 2 == 1, i < many && both.minus[from + i]);
        }
        for (std::uint32_t i = 0; i < many; ++i) both.minus[from + i] = false;
        both.expect_same();
      }
    }
  }
}

TEST(SignVector, SymbolsOfSeveralWords) {
  SignVector signs(150, true);
  std::vector<Sign> symbols;
  test::SeededSource source(3);
  for (std::uint32_t j = 0; j < 150; ++j) {
    std::uint64_t word = 0;
    ASSERT_TRUE(source.fill({&word, 1}));
    symbols.push_back(static_cast<Sign>(static_cast<int>(word % 3) - 1));
    signs.set(j, Sign::kMinus);  // overwritten, like all earlier ones
    signs.set(j, symbols[j]);
  }
  for (std::uint32_t j = 0; j < 150; ++j) EXPECT_EQ(signs.at(j), symbols[j]) << j;
  for (const std::uint32_t first : {0U, 1U, 64U, 100U, 149U}) {
    const SignVector rotated = signs.rotated(first);
    for (std::uint32_t j = 0; j < 150; ++j) {
      ASSERT_EQ(rotated.at(j), symbols[(first + j) % 150]) << first << " " << j;
    }
  }
  signs.erase();
  for (std::uint32_t j = 0; j < 150; ++j) EXPECT_EQ(signs.at(j), Sign::kPlus);
  EXPECT_EQ(signs.count_minus(), 0U);
}

}  // namespace
}  // namespace futurerand
