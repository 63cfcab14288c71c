#include "futurerand/entropy/checked_entropy.hpp"

#include <sodium.h>

namespace futurerand {

CheckedEntropy::~CheckedEntropy() { sodium_memzero(last_.data(), sizeof last_); }

bool CheckedEntropy::fill(std::span<std::uint64_t> words) {
  if (stuck_ || !source_.fill(words)) return false;
  for (const std::uint64_t word : words) {
    zeros_ = word == 0 ? zeros_ + 1 : 0;
    repeated_ = word == last_[next_] ? repeated_ + 1 : 0;
    last_[next_] = word;
    next_ = (next_ + 1) % kWords;
    stuck_ |= zeros_ == kWords || repeated_ == kWords;
  }
  if (stuck_) sodium_memzero(words.data(), words.size_bytes());
  return !stuck_;
}

}  // namespace futurerand
