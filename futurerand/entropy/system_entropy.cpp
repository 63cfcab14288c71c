#include "futurerand/entropy/system_entropy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <sys/random.h>

namespace futurerand {
namespace {

bool read_system(std::span<std::uint64_t> words) {
  std::span<std::byte> rest = std::as_writable_bytes(words);
  while (!rest.empty()) {
    const ssize_t got = getrandom(rest.data(), rest.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    rest = rest.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace

// A page that is all zero is empty: that is what mmap gives at first, and what a forked child
// finds.
struct SystemEntropy::Page {
  static constexpr std::size_t kFirstWords = 64;

  std::size_t left;
  std::size_t last_size;
  std::array<std::uint64_t, 510> words;

  // Reads twice as much as the time before, so that few words are drawn in vain by who joins once.
  bool refill() {
    left = 0;
    last_size = std::min(words.size(), last_size == 0 ? kFirstWords : 2 * last_size);
    if (!read_system(std::span(words).first(last_size))) return false;
    left = last_size;
    return true;
  }

  void clear() {
    while (left > 0) take();
    last_size = 0;
  }

  std::uint64_t take() { return std::exchange(words[--left], 0); }
};

SystemEntropy::SystemEntropy() : page_(nullptr) {
  void* memory =
      mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  if (madvise(memory, sizeof(Page), MADV_WIPEONFORK) != 0) {
    munmap(memory, sizeof(Page));
    return;
  }
  page_ = new (memory) Page;
}

SystemEntropy::~SystemEntropy() {
  if (page_ != nullptr) munmap(page_, sizeof(Page));
}

void SystemEntropy::discard_buffered() {
  if (page_ != nullptr) page_->clear();
}

bool SystemEntropy::fill(std::span<std::uint64_t> words) {
  if (page_ == nullptr || words.size() > page_->words.size()) return read_system(words);
  for (std::uint64_t& word : words) {
    if (page_->left == 0 && !page_->refill()) return false;
    word = page_->take();
  }
  return true;
}

}  // namespace futurerand
