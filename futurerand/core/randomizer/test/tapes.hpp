// Every possible tape of random words of a draw, with its exact weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand::test {

// Tapes have words of a few bits. for_each calls draw(source) once for every tape. A tape ends when
// the draw stops reading, or after `max_words`; then the source fails. The draw then gets the
// weight of the tape, out of total(): all weights sum to it.
class Tapes {
 public:
  // Requires word_bits * max_words <= 62.
  Tapes(std::uint32_t word_bits, std::uint32_t max_words)
      : word_bits_(word_bits), max_words_(max_words) {}

  std::uint64_t total() const { return std::uint64_t{1} << (word_bits_ * max_words_); }

  // draw(source) returns an outcome; visit(outcome, weight) gets it.
  template <typename Draw, typename Visit>
  void for_each(Draw&& draw, Visit&& visit) const {
    std::vector<std::uint64_t> tape;
    while (true) {
      Source source(tape, max_words_);
      const auto outcome = draw(source);
      tape.resize(source.words_read());
      visit(outcome, std::uint64_t{1} << (word_bits_ * (max_words_ - source.words_read())));
      while (!tape.empty() && tape.back() + 1 == std::uint64_t{1} << word_bits_) tape.pop_back();
      if (tape.empty()) return;
      ++tape.back();
    }
  }

 private:
  // After its end the tape reads as 0.
  class Source final : public RandomSource {
   public:
    Source(std::vector<std::uint64_t>& tape, std::uint32_t max_words)
        : tape_(tape), max_words_(max_words) {}
    [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
      for (std::uint64_t& word : words) {
        if (read_ == max_words_) return false;
        if (read_ == tape_.size()) tape_.push_back(0);
        word = tape_[read_++];
      }
      return true;
    }
    std::uint32_t words_read() const { return read_; }

   private:
    std::vector<std::uint64_t>& tape_;
    std::uint32_t max_words_;
    std::uint32_t read_ = 0;
  };

  std::uint32_t word_bits_;
  std::uint32_t max_words_;
};

}  // namespace futurerand::test
