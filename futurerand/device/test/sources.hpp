// Sources of bits for the tests of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand::testing_sources {

// SplitMix64 gives the same words every time.
class SeededSource final : public RandomSource {
 public:
  explicit SeededSource(std::uint64_t seed) : state_(seed) {}
  bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = next();
    return true;
  }
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

// Gives `good` words, then fails for ever.
class FailingSource final : public RandomSource {
 public:
  explicit FailingSource(std::size_t good, std::uint64_t seed = 1) : left_(good), words_(seed) {}
  bool fill(std::span<std::uint64_t> words) override {
    if (words.size() > left_) return false;
    left_ -= words.size();
    return words_.fill(words);
  }

 private:
  std::size_t left_;
  SeededSource words_;
};

// Gives the same word again and again.
class ConstantSource final : public RandomSource {
 public:
  explicit ConstantSource(std::uint64_t word) : word_(word) {}
  bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = word_;
    return true;
  }

 private:
  std::uint64_t word_;
};

}  // namespace futurerand::testing_sources
