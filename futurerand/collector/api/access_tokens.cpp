#include "futurerand/collector/api/access_tokens.hpp"

#include <sodium/crypto_generichash.h>
#include <sodium/utils.h>

namespace futurerand {
namespace {

// The number of guesses a second that an attacker can make over each connection.
constexpr std::chrono::milliseconds kWrongTokenDelay{200};
constexpr std::string_view kBearer = "Bearer ";

ApiResponse unauthorized(std::string_view kind, bool given) {
  ApiResponse refused = error_response(
      401, "unauthorized",
      given ? "the " + std::string(kind) + " token is wrong"
            : "this call needs 'Authorization: Bearer <" + std::string(kind) + " token>'");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

}  // namespace

std::string_view name_of(Access access) {
  switch (access) {
    case Access::kAnyone:
      return "anyone";
    case Access::kSubmit:
      return "submit";
    case Access::kTerms:
      return "terms";
    case Access::kRead:
      return "read";
    case Access::kAdmin:
      break;
  }
  return "admin";
}

// Digests are of one length, so that comparing them does not even tell how long a secret is.
AccessTokens::Digest AccessTokens::digest_of(std::string_view token) {
  Digest digest{};
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(token.data()), token.size(), nullptr,
                     0);
  return digest;
}

std::vector<AccessTokens::Digest> AccessTokens::digests_of(const std::vector<std::string>& tokens) {
  std::vector<Digest> digests;
  for (const std::string& token : tokens) digests.push_back(digest_of(token));
  return digests;
}

// Looks at all of them, whichever it is.
bool AccessTokens::has(const std::vector<Digest>& digests, const Digest& given) {
  int found = 0;
  for (const Digest& digest : digests) {
    found |= static_cast<int>(sodium_memcmp(digest.data(), given.data(), digest.size()) == 0);
  }
  return found != 0;
}

void AccessTokens::replace(const TokenLists& lists) {
  auto digests = std::make_shared<const Digests>(
      Digests{digests_of(lists.admin), digests_of(lists.read), digests_of(lists.submit)});
  const std::lock_guard lock(mutex_);
  digests_ = std::move(digests);
}

bool AccessTokens::has_admin() const {
  const std::lock_guard lock(mutex_);
  return !digests_->admin.empty();
}

std::optional<ApiResponse> AccessTokens::refuse(const ApiRequest& request, Access access) const {
  if (access == Access::kAnyone) return std::nullopt;
  std::shared_ptr<const Digests> lists;
  {
    const std::lock_guard lock(mutex_);
    lists = digests_;
  }
  const bool reading_open = lists->read.empty();
  const bool submitting_open = lists->submit.empty();
  if (access == Access::kRead && reading_open) return std::nullopt;
  if (access == Access::kSubmit && submitting_open) return std::nullopt;
  if (access == Access::kTerms && (reading_open || submitting_open)) return std::nullopt;
  if (access == Access::kAdmin && lists->admin.empty()) {
    return error_response(403, "no_admin", "this collector was started without an admin token");
  }

  const std::string_view kind = access == Access::kTerms ? "submit or read" : name_of(access);
  const std::string_view given = request.authorization;
  if (!given.starts_with(kBearer)) return unauthorized(kind, !given.empty());
  const Digest digest = digest_of(given.substr(kBearer.size()));
  const bool admin = has(lists->admin, digest);
  const bool read = has(lists->read, digest);
  const bool submit = has(lists->submit, digest);
  const bool may_read = access == Access::kRead || access == Access::kTerms;
  const bool may_submit = access == Access::kSubmit || access == Access::kTerms;
  if (admin || (read && may_read) || (submit && may_submit)) return std::nullopt;
  if (!read && !submit) {
    ApiResponse wrong = unauthorized(kind, true);
    wrong.delay = kWrongTokenDelay;
    return wrong;
  }
  return error_response(403, "forbidden",
                        std::string(read ? "a read" : "a submit") + " token does not open this " +
                            "call; it needs the " + std::string(kind) + " token");
}

}  // namespace futurerand
