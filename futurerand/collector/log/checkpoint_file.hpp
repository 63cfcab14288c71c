// The bytes of a checkpoint's file: a header, the pieces, and an end with the number of pieces. A
// piece has a checksum, number, cut, length and bytes. The cut is the last commit before this piece
// was taken (see state.hpp).
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "futurerand/collector/log/file.hpp"

namespace futurerand {

struct CheckpointPiece {
  std::uint32_t number = 0;
  std::uint64_t cut = 0;
  std::string_view bytes;
};

using VisitPiece = std::function<Status(const CheckpointPiece& piece)>;

// Calls visit for each piece in the order of writing. Stops at the first error of visit. An error
// names the unreadable part of the file.
Status read_checkpoint(std::string_view file, std::uint64_t sequence, const VisitPiece& visit);

// Writes one under its name + ".new". Only commit() makes it count.
class CheckpointFile {
 public:
  static Result<CheckpointFile> create(const std::filesystem::path& path, std::uint64_t sequence);

  // Writes pieces out to the disk now and then, so that commit() has little left to do.
  Status put(const CheckpointPiece& piece);
  Status commit();
  std::uint64_t bytes() const { return offset_; }

 private:
  CheckpointFile(std::filesystem::path path, File file);
  Status write(std::string_view first, std::string_view second);

  std::filesystem::path path_;
  File file_;
  std::uint64_t sequence_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t written_out_ = 0;
  std::uint64_t pieces_ = 0;
};

}  // namespace futurerand
