#include "futurerand/collector/log/high_water_mark.hpp"

#include <algorithm>

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/collector/log/crc32c.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kMarkMagic = "frmark2\n";
constexpr std::uint64_t kMarkPlaceBytes = 4096;

std::string mark_bytes(std::uint64_t sequence) {
  std::string bytes(kMarkMagic);
  put_word(bytes, sequence);
  put_word(bytes, crc32c({bytes}));
  return bytes;
}

std::optional<std::uint64_t> mark_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size()) return std::nullopt;
  ByteReader in(file.substr(offset));
  in.take(kMarkMagic.size());
  const std::uint64_t sequence = in.word();
  const std::string_view given = file.substr(offset, 24);
  if (!in.ok() || given != mark_bytes(sequence)) return std::nullopt;
  return sequence;
}

}  // namespace

std::optional<std::uint64_t> read_high_water_mark(std::string_view file) {
  // Nothing is less than any number.
  return std::max(mark_at(file, 0), mark_at(file, kMarkPlaceBytes));
}

HighWaterMark::HighWaterMark(std::filesystem::path path, File file, std::uint64_t sequence)
    : path_(std::move(path)), file_(std::move(file)), sequence_(sequence) {}

Status HighWaterMark::create(const std::filesystem::path& path, std::uint64_t sequence) {
  std::string bytes = mark_bytes(sequence);
  bytes.resize(kMarkPlaceBytes);
  bytes += mark_bytes(sequence);
  bytes.resize(2 * kMarkPlaceBytes);
  return write_durably(path, bytes);
}

Result<HighWaterMark> HighWaterMark::open(const std::filesystem::path& path) {
  const Result<MappedFile> mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  const std::optional<std::uint64_t> sequence = read_high_water_mark(mapped->bytes());
  if (!sequence) return Error{path.string() + " is damaged: no number can be read from it"};
  const bool first_is_newest = mark_at(mapped->bytes(), 0) == sequence;
  Result<File> file = File::open(path);
  if (!file) return file.error();
  HighWaterMark mark(path, *std::move(file), *sequence);
  mark.second_ = first_is_newest;
  return mark;
}

// Writes to the next place. The other place keeps the durable mark.
void HighWaterMark::note(std::uint64_t sequence) {
  (void)file_.write(second_ ? kMarkPlaceBytes : 0, mark_bytes(sequence));
}

Status HighWaterMark::set(std::uint64_t sequence) {
  FileFailure failure = file_.write(second_ ? kMarkPlaceBytes : 0, mark_bytes(sequence));
  if (!failure) failure = file_.sync();
  if (failure) return failed_to("write", path_, failure);
  second_ = !second_;
  sequence_ = sequence;
  return {};
}

}  // namespace futurerand
