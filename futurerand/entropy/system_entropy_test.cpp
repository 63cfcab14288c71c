#include "futurerand/entropy/system_entropy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace futurerand {
namespace {

std::vector<std::uint64_t> words_of(RandomSource& source, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  EXPECT_TRUE(source.fill(words));
  return words;
}

// Two of n random 64-bit words agree with probability n^2 / 2^65: below 1e-8 for all sizes here.
bool all_different(std::vector<std::uint64_t> words) {
  std::sort(words.begin(), words.end());
  return std::adjacent_find(words.begin(), words.end()) == words.end();
}

TEST(SystemEntropy, WordsDiffer) {
  SystemEntropy one, two;
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 5000; ++i) {
    for (SystemEntropy* source : {&one, &two}) words.push_back(words_of(*source, 1)[0]);
  }
  EXPECT_TRUE(all_different(words));
}

TEST(SystemEntropy, FillsOfEverySizeAreWhole) {
  SystemEntropy source;
  std::vector<std::uint64_t> words;
  for (const std::size_t count : {0U, 1U, 2U, 510U, 511U, 512U, 1000U, 3U, 511U, 100'000U}) {
    for (const std::uint64_t word : words_of(source, count)) words.push_back(word);
  }
  EXPECT_TRUE(all_different(words));
  EXPECT_EQ(std::count(words.begin(), words.end(), 0U), 0);
  // 6.6 million fair bits: six standard deviations are 7700.
  std::int64_t ones = 0;
  for (const std::uint64_t word : words) ones += std::popcount(word);
  EXPECT_NEAR(static_cast<double>(ones), static_cast<double>(words.size()) * 32, 8000);
}

#ifndef _WIN32  // which forks no process
TEST(SystemEntropy, ParentAndChildShareNoWord) {
  SystemEntropy source;
  std::vector<std::uint64_t> words = words_of(source, 10);  // so that the page is half used
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  constexpr std::size_t kCount = 1000;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::array<std::uint64_t, kCount> own{};
    bool good = true;
    for (std::uint64_t& word : own) good = good && source.fill({&word, 1});
    good = good && write(channel[1], own.data(), sizeof own) == ssize_t{sizeof own};
    _exit(good ? 0 : 1);
  }
  for (std::size_t i = 0; i < kCount; ++i) words.push_back(words_of(source, 1)[0]);
  std::array<std::uint64_t, kCount> theirs{};
  EXPECT_EQ(read(channel[0], theirs.data(), sizeof theirs), ssize_t{sizeof theirs});
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(channel[0]);
  close(channel[1]);
  words.insert(words.end(), theirs.begin(), theirs.end());
  EXPECT_TRUE(all_different(words));
}
#endif

}  // namespace
}  // namespace futurerand
