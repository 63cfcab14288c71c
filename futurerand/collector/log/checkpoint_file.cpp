#include "futurerand/collector/log/checkpoint_file.hpp"

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/collector/log/crc32c.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kCheckpointMagic = "frckpt2\n";
constexpr std::uint64_t kWriteOutBytes = 256 << 10;
constexpr std::uint32_t kEndOfPieces = UINT32_MAX;  // its cut is how many there are

std::string checkpoint_header(std::uint64_t sequence) {
  std::string bytes(kCheckpointMagic);
  put_word(bytes, sequence);
  return bytes;
}

// The input of a piece's checksum. It includes the checkpoint's sequence, so a piece from another
// file counts as damage.
std::string piece_header(std::uint64_t sequence, const CheckpointPiece& piece) {
  std::string rest;
  put_half_word(rest, piece.number);
  put_word(rest, piece.cut);
  put_word(rest, piece.bytes.size());
  std::string bytes;
  put_half_word(bytes, crc32c({checkpoint_header(sequence), rest, piece.bytes}));
  return bytes + rest;
}

}  // namespace

Status read_checkpoint(std::string_view file, std::uint64_t sequence, const VisitPiece& visit) {
  ByteReader in(file);
  if (in.take(kCheckpointMagic.size() + 8) != checkpoint_header(sequence)) {
    return Error{"its header cannot be read"};
  }
  for (std::uint64_t count = 0;; ++count) {
    const std::uint64_t offset = file.size() - in.remaining();
    const auto damaged = [&](const std::string& what) {
      return Error{what + " at byte " + std::to_string(offset) + " of " +
                   std::to_string(file.size())};
    };
    const std::string_view header = file.substr(offset, 24);
    in.half_word();
    CheckpointPiece piece;
    piece.number = in.half_word();
    piece.cut = in.word();
    piece.bytes = in.take(in.word());
    if (!in.ok()) return damaged("it ends too early");
    if (header != piece_header(sequence, piece)) return damaged("checksum mismatch");
    if (piece.number == kEndOfPieces) {
      if (piece.cut != count || !in.at_end()) return damaged("pieces are missing or too many");
      return {};
    }
    if (const Status visited = visit(piece); !visited) return visited;
  }
}

CheckpointFile::CheckpointFile(std::filesystem::path path, File file)
    : path_(std::move(path)), file_(std::move(file)) {}

Result<CheckpointFile> CheckpointFile::create(const std::filesystem::path& path,
                                              std::uint64_t sequence) {
  Result<File> file = File::create(unpublished(path));
  if (!file) return file.error();
  CheckpointFile made(path, *std::move(file));
  made.sequence_ = sequence;
  if (const Status written = made.write(checkpoint_header(sequence), {}); !written) {
    return written.error();
  }
  return made;
}

Status CheckpointFile::write(std::string_view first, std::string_view second) {
  FileFailure failure = file_.write(offset_, first, second);
  if (!failure) {
    offset_ += first.size() + second.size();
    if (offset_ - written_out_ >= kWriteOutBytes) {
      failure = file_.write_out(written_out_, offset_ - written_out_);
      written_out_ = offset_;
    }
  }
  if (failure) return failed_to("write", unpublished(path_), failure);
  return {};
}

Status CheckpointFile::put(const CheckpointPiece& piece) {
  ++pieces_;
  return write(piece_header(sequence_, piece), piece.bytes);
}

Status CheckpointFile::commit() {
  const CheckpointPiece end{kEndOfPieces, pieces_, {}};
  if (const Status written = write(piece_header(sequence_, end), {}); !written) return written;
  if (const FileFailure failure = file_.sync()) {
    return failed_to("sync", unpublished(path_), failure);
  }
  file_.close();
  return publish(path_);
}

}  // namespace futurerand
