// Sealed records at their edges.
#include "futurerand/client/sealed.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

Bytes sealed_numbers() {
  SealedWriter writer("frsealed", {0x0102030405060708, true});
  writer.u32(7);
  writer.text("abc");
  return writer.seal();
}

Bytes sealed_again(Bytes bytes) {
  bytes.resize(bytes.size() - sizeof(Digest));
  const Digest digest = blake2b(bytes);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return bytes;
}

std::string sealed_error(const Bytes& bytes) {
  const Result<SealedReader> reader = SealedReader::open(bytes, "it", "frsealed");
  return reader ? "none" : reader.error().message;
}

TEST(Sealed, IsReadAsItWasWritten) {
  const Bytes bytes = sealed_numbers();
  EXPECT_TRUE(is_sealed(bytes));
  EXPECT_EQ(revision_of(bytes), (Revision{0x0102030405060708, true}));
  Result<SealedReader> reader = SealedReader::open(bytes, "it", "frsealed");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->u32(), 7U);
  EXPECT_EQ(reader->text(3), "abc");  // as long as it may be
  EXPECT_TRUE(reader->at_end());
}

TEST(Sealed, SmallNumbersTakeAByteEach) {
  SealedWriter writer("frsealed", {1, false});
  const std::vector<std::uint32_t> numbers{0, 1, 200, 255};
  writer.u8s(numbers);
  const Bytes bytes = writer.seal();
  Result<SealedReader> reader = SealedReader::open(bytes, "it", "frsealed");
  ASSERT_TRUE(reader);
  for (const std::uint32_t number : numbers) EXPECT_EQ(reader->u8(), number);
  EXPECT_TRUE(reader->at_end());
}

TEST(Sealed, AfterTheEndEverythingIsZeroAndFailed) {
  const Bytes bytes = sealed_numbers();
  Result<SealedReader> reader = SealedReader::open(bytes, "it", "frsealed");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->left(), 11U);
  Digest long_one;
  long_one.fill(9);
  reader->raw(long_one);
  EXPECT_EQ(long_one, Digest{});
  EXPECT_TRUE(reader->failed());
  EXPECT_FALSE(reader->at_end());
  EXPECT_EQ(reader->u32(), 0U);
  EXPECT_EQ(reader->left(), 0U);

  Result<SealedReader> text = SealedReader::open(bytes, "it", "frsealed");
  ASSERT_TRUE(text);
  text->u32();
  EXPECT_EQ(text->text(2), "");  // longer than it may be
  EXPECT_TRUE(text->failed());
}

TEST(Sealed, ATextMustBeThere) {
  SealedWriter writer("frsealed", {});
  writer.u32(4);  // of which three follow
  writer.raw(bytes_of("abc"));
  const Bytes bytes = writer.seal();
  Result<SealedReader> reader = SealedReader::open(bytes, "it", "frsealed");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->text(100), "");
  EXPECT_TRUE(reader->failed());
}

TEST(Sealed, NothingCanBeSealed) {
  SealedWriter writer("frsealed", {3, false});
  const Bytes bytes = writer.seal();
  EXPECT_TRUE(is_sealed(bytes));
  EXPECT_EQ(sealed_error(bytes), "none");
  EXPECT_EQ(revision_of(bytes), (Revision{3, false}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(is_sealed(std::span(bytes).first(size))) << size;
  }
}

// What follows the span in memory must not matter.
TEST(Sealed, WhatIsTooShortHasNoRevision) {
  Bytes bytes(64, 0xff);
  bytes[8] = 1;
  bytes[9] = bytes[10] = bytes[11] = 0;
  for (std::size_t size = 0; size < 21; ++size) {
    EXPECT_EQ(revision_of(std::span(bytes).first(size)), Revision{}) << size;
  }
  EXPECT_EQ(revision_of(std::span(bytes).first(21)), (Revision{~std::uint64_t{0}, true}));
}

TEST(Sealed, SaysWhatIsWrong) {
  Bytes bytes = sealed_numbers();
  const std::string checksum = "it is damaged or cut short: its checksum does not match";
  EXPECT_EQ(sealed_error(Bytes(bytes.begin(), bytes.begin() + 12)), checksum);
  EXPECT_EQ(sealed_error(Bytes(bytes.begin(), bytes.begin() + 11)),
            "it is not one: expected a file that starts with frsealed");
  for (const std::uint8_t flags : std::initializer_list<std::uint8_t>{2, 3, 128}) {
    bytes[20] = flags;
    EXPECT_EQ(sealed_error(sealed_again(bytes)), "it is malformed");
  }
  bytes = sealed_numbers();
  for (const std::uint8_t version : std::initializer_list<std::uint8_t>{0, 2, 255}) {
    bytes[8] = version;
    EXPECT_EQ(sealed_error(sealed_again(bytes)),
              "it has version " + std::to_string(version) + "; this program reads version 1");
  }
  bytes[8] = 1;
  bytes[0] = 'x';
  EXPECT_EQ(sealed_error(sealed_again(bytes)),
            "it is not one: expected a file that starts with frsealed");
}

}  // namespace
}  // namespace futurerand
