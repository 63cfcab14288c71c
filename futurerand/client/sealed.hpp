// Sealed records: the saved bytes of a device. The same content gives the same bytes. A record has
// a version, and a single changed bit makes it invalid as a whole.
//
//   8 bytes of kind, 4 of version (1), 8 of generation, 1 of flags, the content, 32 of BLAKE2b over
//   all before.
//
// Integers are little endian. The checksum detects damage and mix-ups. It is no secret: whoever may
// write the device's files may write any state. These bytes never leave the device (docs/wire.md
// lists what does).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

using Digest = std::array<std::uint8_t, 32>;
Digest blake2b(std::span<const std::uint8_t> bytes);
std::span<const std::uint8_t> bytes_of(std::string_view text);

// Overwrites the bytes before it frees them.
void erase(Bytes& bytes);

// The revision in a record, for its RecordLease.
struct Revision {
  std::uint64_t generation = 0;  // one more with each save
  bool counted = false;          // a MonotonicCounter has the generation too
  friend bool operator==(const Revision&, const Revision&) = default;
};

// True for a complete sealed record of any kind and version.
bool is_sealed(std::span<const std::uint8_t> bytes);
// Returns the revision of a sealed record; generation 0 for too few bytes.
Revision revision_of(std::span<const std::uint8_t> bytes);

class SealedWriter {
 public:
  // Requires a kind of 8 characters.
  SealedWriter(std::string_view kind, const Revision& revision);
  ~SealedWriter() { erase(bytes_); }
  SealedWriter(const SealedWriter&) = delete;
  SealedWriter& operator=(const SealedWriter&) = delete;

  void u8(std::uint8_t value) { raw({&value, 1}); }
  void u32(std::uint32_t value) { u32s({&value, 1}); }
  void u64(std::uint64_t value) { u64s({&value, 1}); }
  // Writes a byte each. Requires values below 256.
  void u8s(std::span<const std::uint32_t> values);
  void u32s(std::span<const std::uint32_t> values);
  void u64s(std::span<const std::uint64_t> values);
  void raw(std::span<const std::uint8_t> bytes);
  // Writes its length first.
  void text(std::string_view text);

  // Adds the checksum. Nothing may be written afterwards.
  const Bytes& seal();

 private:
  // Adds this many bytes and returns the first. It grows by hand, because a reallocating vector
  // would leave a copy of secrets behind.
  std::uint8_t* more(std::size_t num_bytes);

  Bytes bytes_;  // longer than what was written, until seal()
  std::size_t size_ = 0;
};

// Reads the content of a sealed record. After the first read past the end everything is 0 and
// failed() is true: callers check once, at the end.
class SealedReader {
 public:
  // `what` names the record in errors. The bytes must outlive the reader.
  static Result<SealedReader> open(std::span<const std::uint8_t> bytes, std::string_view what,
                                   std::string_view kind);

  std::uint8_t u8() { return static_cast<std::uint8_t>(integer(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }
  std::uint64_t u64() { return integer(8); }
  void raw(std::span<std::uint8_t> bytes);
  std::string text(std::size_t most);

  // For checks of counts, so damaged bytes cannot request much memory.
  std::size_t left() const { return rest_.size(); }
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  bool failed() const { return failed_; }
  bool at_end() const { return !failed_ && rest_.empty(); }

 private:
  explicit SealedReader(std::span<const std::uint8_t> rest) : rest_(rest) {}
  std::uint64_t integer(std::size_t num_bytes);

  std::span<const std::uint8_t> rest_;
  bool failed_ = false;
};

}  // namespace futurerand
