// Joins several calls of one kind to another collector into one request, and splits the joined
// reply, in the same order.
//
// Thread safety: plain values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct PeerReply {
  int status = 0;
  std::string body = {};
  friend bool operator==(const PeerReply&, const PeerReply&) = default;
};

std::string join_bodies(const std::vector<std::string_view>& bodies);
Result<std::vector<std::string_view>> split_bodies(std::string_view joined);

std::string join_replies(const std::vector<PeerReply>& replies);
Result<std::vector<PeerReply>> split_replies(std::string_view joined);

}  // namespace futurerand
