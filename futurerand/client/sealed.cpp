#include "futurerand/client/sealed.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include <sodium.h>

namespace futurerand {
namespace {

constexpr std::size_t kKindBytes = 8;
constexpr std::size_t kRevisionAt = kKindBytes + 4;
constexpr std::size_t kHeadBytes = kRevisionAt + 9;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint8_t kCounted = 1;

std::uint64_t little_endian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

template <typename Integer>
void put_little_endian(std::span<const Integer> values, std::uint8_t* to) {
  if constexpr (std::endian::native == std::endian::little) {
    // A null pointer may not be copied from, and an empty span may have one.
    if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  } else {
    for (const Integer value : values) {
      for (std::size_t i = 0; i < sizeof value; ++i) {
        *to++ = static_cast<std::uint8_t>(value >> (8 * i));
      }
    }
  }
}

}  // namespace

Digest blake2b(std::span<const std::uint8_t> bytes) {
  Digest digest;
  crypto_generichash(digest.data(), digest.size(), bytes.data(), bytes.size(), nullptr, 0);
  return digest;
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void erase(Bytes& bytes) {
  if (!bytes.empty()) sodium_memzero(bytes.data(), bytes.size());
}

bool is_sealed(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeadBytes + sizeof(Digest)) return false;
  const std::span<const std::uint8_t> content = bytes.first(bytes.size() - sizeof(Digest));
  const Digest digest = blake2b(content);
  return std::equal(digest.begin(), digest.end(), bytes.last(sizeof(Digest)).begin());
}

Revision revision_of(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeadBytes) return {};
  return {little_endian(bytes.subspan(kRevisionAt, 8)), (bytes[kRevisionAt + 8] & kCounted) != 0};
}

SealedWriter::SealedWriter(std::string_view kind, const Revision& revision) {
  bytes_.resize(1024);
  raw(bytes_of(kind.substr(0, kKindBytes)));
  u32(kVersion);
  u64(revision.generation);
  u8(revision.counted ? kCounted : 0);
}

void SealedWriter::text(std::string_view text) {
  u32(static_cast<std::uint32_t>(text.size()));
  raw(bytes_of(text));
}

const Bytes& SealedWriter::seal() {
  raw(blake2b(std::span(bytes_).first(size_)));
  bytes_.resize(size_);
  return bytes_;
}

void SealedWriter::raw(std::span<const std::uint8_t> bytes) {
  std::copy(bytes.begin(), bytes.end(), more(bytes.size()));
}

void SealedWriter::u8s(std::span<const std::uint32_t> values) {
  std::transform(values.begin(), values.end(), more(values.size()),
                 [](std::uint32_t value) { return static_cast<std::uint8_t>(value); });
}

void SealedWriter::u32s(std::span<const std::uint32_t> values) {
  put_little_endian(values, more(4 * values.size()));
}

void SealedWriter::u64s(std::span<const std::uint64_t> values) {
  put_little_endian(values, more(8 * values.size()));
}

std::uint8_t* SealedWriter::more(std::size_t num_bytes) {
  const std::size_t old = size_;
  size_ += num_bytes;
  if (size_ > bytes_.size()) {
    Bytes larger(2 * size_);
    std::copy_n(bytes_.begin(), old, larger.begin());
    erase(bytes_);
    bytes_.swap(larger);
  }
  return bytes_.data() + old;
}

Result<SealedReader> SealedReader::open(std::span<const std::uint8_t> bytes, std::string_view what,
                                        std::string_view kind) {
  const std::string name(what);
  const auto damaged = [&](const std::string& how) {
    return Error{name + how, ErrorCode::kDamaged};
  };
  const bool named =
      bytes.size() >= kRevisionAt &&
      std::equal(kind.begin(), kind.end(), bytes.begin(),
                 [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  if (!named) return damaged(" is not one: expected a file that starts with " + std::string(kind));
  const std::uint64_t version = little_endian(bytes.subspan(kKindBytes, 4));
  if (version != kVersion) {
    return damaged(" has version " + std::to_string(version) + "; this program reads version " +
                   std::to_string(kVersion));
  }
  if (!is_sealed(bytes)) return damaged(" is damaged or cut short: its checksum does not match");
  if (bytes[kRevisionAt + 8] > kCounted) return damaged(" is malformed");
  return SealedReader(bytes.subspan(kHeadBytes, bytes.size() - kHeadBytes - sizeof(Digest)));
}

void SealedReader::raw(std::span<std::uint8_t> bytes) {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  if (bytes.size() > rest_.size()) return fail();
  std::copy_n(rest_.begin(), bytes.size(), bytes.begin());
  rest_ = rest_.subspan(bytes.size());
}

std::string SealedReader::text(std::size_t most) {
  const std::size_t size = u32();
  if (size > most || size > rest_.size()) {
    fail();
    return {};
  }
  std::string text(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size));
  rest_ = rest_.subspan(size);
  return text;
}

std::uint64_t SealedReader::integer(std::size_t num_bytes) {
  std::array<std::uint8_t, 8> bytes{};
  raw(std::span(bytes).first(num_bytes));
  return little_endian(bytes);
}

}  // namespace futurerand
