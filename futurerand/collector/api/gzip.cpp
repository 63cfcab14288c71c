#include "futurerand/collector/api/gzip.hpp"

#include <algorithm>
#include <cstdlib>

#include <zlib.h>

namespace futurerand {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr std::size_t kStep = 64 << 10;

Bytef* bytes_of(std::string_view text) {
  // zlib's interface is not const; it does not write through next_in.
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

Inflated inflate_gzip(std::string_view compressed, std::size_t max_bytes, std::string& out) {
  out.clear();
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) std::abort();  // out of memory
  stream.next_in = bytes_of(compressed);
  stream.avail_in = static_cast<uInt>(compressed.size());
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t have = out.size();
    if (have >= max_bytes) {
      // A text exactly at the limit is fine if nothing more comes.
      char one = 0;
      stream.next_out = reinterpret_cast<Bytef*>(&one);
      stream.avail_out = 1;
      status = inflate(&stream, Z_NO_FLUSH);
      if (stream.avail_out == 0) {
        inflateEnd(&stream);
        out.clear();
        return Inflated::kTooLarge;
      }
      continue;
    }
    const std::size_t room = std::min(std::max(kStep, have), max_bytes - have);
    out.resize(have + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(have + room - stream.avail_out);
  }
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (whole) return Inflated::kOk;
  out.clear();
  return Inflated::kDamaged;
}

}  // namespace futurerand
