#include "futurerand/collector/log/crc32c.hpp"

#include <memory>
#include <string>

#include <rocksdb/file_checksum.h>

namespace futurerand {

std::uint32_t crc32c(std::initializer_list<std::string_view> parts) {
  static const std::shared_ptr<rocksdb::FileChecksumGenFactory> kFactory =
      rocksdb::GetFileChecksumGenCrc32cFactory();
  const std::unique_ptr<rocksdb::FileChecksumGenerator> checksum =
      kFactory->CreateFileChecksumGenerator({});
  for (const std::string_view part : parts) checksum->Update(part.data(), part.size());
  checksum->Finalize();
  std::uint32_t value = 0;
  // Big-endian.
  for (const char byte : checksum->GetChecksum()) {
    value = value << 8 | static_cast<std::uint8_t>(byte);
  }
  return value;
}

}  // namespace futurerand
