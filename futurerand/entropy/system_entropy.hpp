// SystemEntropy: the operating system's random bits, read a page at a time.
//
// The kernel wipes the page in a forked child, so parent and child never share a word. Without this
// promise of the kernel nothing is buffered. Words are erased as they leave. Thread safety: one
// object a thread.
#pragma once

#include <cstddef>
#include <memory>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

class SystemEntropy final : public RandomSource {
 public:
  SystemEntropy();
  ~SystemEntropy() override;
  SystemEntropy(const SystemEntropy&) = delete;
  SystemEntropy& operator=(const SystemEntropy&) = delete;

  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override;
  void discard_buffered() override;

 private:
  struct Page;
  Page* page_;  // null without a wiped-on-fork page
};

}  // namespace futurerand
