#include "futurerand/entropy/system_entropy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#ifdef _WIN32
// clang-format off
#include <windows.h>
#include <bcrypt.h>  // after it
// clang-format on
#else
#include <sys/mman.h>
#include <sys/random.h>
#endif

namespace futurerand {
namespace {

#ifdef _WIN32

bool read_system(std::span<std::uint64_t> words) {
  std::span<std::byte> rest = std::as_writable_bytes(words);
  while (!rest.empty()) {
    const ULONG size = static_cast<ULONG>(std::min<std::size_t>(rest.size(), 1U << 20));
    if (BCryptGenRandom(nullptr, reinterpret_cast<PUCHAR>(rest.data()), size,
                        BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0) {
      return false;
    }
    rest = rest.subspan(size);
  }
  return true;
}

// Windows forks no process.
void* map_page(std::size_t size) {
  return VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void unmap_page(void* page, std::size_t) { VirtualFree(page, 0, MEM_RELEASE); }

#else

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

// A page that a forked child finds empty; null if the system does not promise this.
void* map_page(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (madvise(memory, size, MADV_WIPEONFORK) == 0) return memory;
  munmap(memory, size);
  return nullptr;
}

void unmap_page(void* page, std::size_t size) { munmap(page, size); }

#endif

}  // namespace

// A page of zeros is empty. The system gives such a page at first, and a forked child finds one.
struct SystemEntropy::Page {
  static constexpr std::size_t kFirstWords = 64;

  std::size_t left;
  std::size_t last_size;
  std::array<std::uint64_t, 510> words;

  // Reads twice as much as the time before. A single joining device therefore wastes few words.
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
  void* memory = map_page(sizeof(Page));
  if (memory != nullptr) page_ = new (memory) Page;
}

SystemEntropy::~SystemEntropy() {
  if (page_ != nullptr) unmap_page(page_, sizeof(Page));
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
