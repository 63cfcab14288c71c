#include "futurerand/collector/cluster/joined_call.hpp"

#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kJoinedVersion = 1;

void put_text(std::string& bytes, std::string_view text) {
  put_varint(bytes, text.size());
  bytes += text;
}

// Calls read(in) until the end; it is an error if that is not where one ends.
template <typename Read>
Status read_all(std::string_view joined, const Read& read) {
  ByteReader in(joined);
  if (in.varint() != kJoinedVersion) return Error{"the call is of another version"};
  while (in.ok() && in.remaining() > 0) read(in);
  if (!in.at_end()) return Error{"the call cannot be read"};
  return {};
}

}  // namespace

std::string join_bodies(const std::vector<std::string_view>& bodies) {
  constexpr std::size_t kNumber = 10;
  std::size_t size = kNumber;
  for (const std::string_view body : bodies) size += kNumber + body.size();
  std::string joined;
  joined.reserve(size);
  put_varint(joined, kJoinedVersion);
  for (const std::string_view body : bodies) put_text(joined, body);
  return joined;
}

Result<std::vector<std::string_view>> split_bodies(std::string_view joined) {
  std::vector<std::string_view> bodies;
  const Status read =
      read_all(joined, [&](ByteReader& in) { bodies.push_back(in.take(in.varint())); });
  if (!read) return read.error();
  return bodies;
}

std::string join_replies(const std::vector<PeerReply>& replies) {
  std::string joined;
  put_varint(joined, kJoinedVersion);
  for (const PeerReply& reply : replies) {
    put_varint(joined, static_cast<std::uint64_t>(reply.status));
    put_text(joined, reply.body);
  }
  return joined;
}

Result<std::vector<PeerReply>> split_replies(std::string_view joined) {
  std::vector<PeerReply> replies;
  const Status read = read_all(joined, [&](ByteReader& in) {
    const auto status = static_cast<int>(in.varint32() & 0x7fffffffU);
    replies.push_back({status, std::string(in.take(in.varint()))});
  });
  if (!read) return read.error();
  return replies;
}

}  // namespace futurerand
