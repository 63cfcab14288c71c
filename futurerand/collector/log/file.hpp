// File and folder calls of the kernel. Errors name the file. A file from publish() is complete or
// absent, whenever the machine stops.
//
// Thread safety: one thread at a time for one file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// Why a call failed, with the kernel's number. It distinguishes a full disk from a broken one.
struct FileFailure {
  int code = 0;  // errno; 0: it did not fail
  explicit operator bool() const { return code != 0; }
  // Tells whether the disk, or the owner's share of it, is full.
  bool no_room() const;
  std::string message() const;
};

class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;

  // Makes it if it is not there.
  static Result<File> open(const std::filesystem::path& path);
  // Empties it if it is there.
  static Result<File> create(const std::filesystem::path& path);

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  FileFailure write(std::uint64_t offset, std::string_view first, std::string_view second = {});
  FileFailure sync();
  // Writes these bytes to the disk and waits. They are durable only after sync(), but sync() then
  // has less to do. Unlike sync(), this does not delay syncs of other files.
  FileFailure write_out(std::uint64_t offset, std::uint64_t size);
  FileFailure truncate(std::uint64_t size);
  void close();

 private:
  int descriptor_ = -1;
};

// This is a file as it is now, for reading.
class MappedFile {
 public:
  // Reads the whole file once. An unreadable sector is an error with its position. With `fresh`, it
  // reads from the disk itself: after a failed sync, memory may differ from the disk.
  static Result<MappedFile> open(const std::filesystem::path& path, bool fresh = false);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();
  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

// Copies a file durably, except for its name.
Status copy_durably(const std::filesystem::path& from, const std::filesystem::path& to);
// Makes the names in a folder durable.
Status sync_folder(const std::filesystem::path& folder);
// Gives a file that is durable under path + ".new" its name, and makes the name durable.
Status publish(const std::filesystem::path& path);
// Writes the whole of a small file, durably: beside it, and then published.
Status write_durably(const std::filesystem::path& path, std::string_view bytes);

std::filesystem::path unpublished(const std::filesystem::path& path);
Error failed_to(const std::string& what, const std::filesystem::path& path, FileFailure failure);

}  // namespace futurerand
