// ClientTranscript: all messages of one client, from a black box.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

class ClientTranscript {
 public:
  // Public data of the client, independent of its values (a view, an order).
  std::uint64_t header = 0;

  void clear() {
    header = 0;
    length_ = 0;
    words_.clear();
  }
  void append(bool bit) {
    if (length_ % 64 == 0) words_.push_back(0);
    words_.back() |= std::uint64_t{bit} << (length_ % 64);
    ++length_;
  }

  std::uint32_t length() const { return length_; }
  bool bit(std::uint32_t i) const { return (words_[i / 64] >> (i % 64)) & 1U; }

 private:
  std::uint32_t length_ = 0;
  std::vector<std::uint64_t> words_;
};

// Runs one user's complete run and replaces the transcript. Returns false if the source failed.
using ClientRun =
    std::function<bool(const Flips& flips, RandomSource& source, ClientTranscript& transcript)>;

}  // namespace futurerand
