// Random sources for tests: a seeded one, and a script with a failure at its end.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand::test {

// SplitMix64 gives the same words with every compiler. It counts its words.
class SeededSource final : public RandomSource {
 public:
  explicit SeededSource(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = next();
    words_given_ += words.size();
    return true;
  }

  std::uint64_t words_given() const { return words_given_; }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
  std::uint64_t words_given_ = 0;
};

// Gives one word for ever, as a source that is broken may.
class StuckSource final : public RandomSource {
 public:
  explicit StuckSource(std::uint64_t word) : word_(word) {}

  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = word_;
    words_given_ += words.size();
    return true;
  }

  std::uint64_t words_given() const { return words_given_; }

 private:
  std::uint64_t word_;
  std::uint64_t words_given_ = 0;
};

class ScriptedSource final : public RandomSource {
 public:
  explicit ScriptedSource(std::vector<std::uint64_t> script) : script_(std::move(script)) {}

  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      if (words_given_ == script_.size()) return false;
      word = script_[words_given_++];
    }
    return true;
  }

  std::size_t words_given() const { return words_given_; }

 private:
  std::vector<std::uint64_t> script_;
  std::size_t words_given_ = 0;
};

}  // namespace futurerand::test
