#include "futurerand/collector/api/admin_token.hpp"

#include <string_view>

#include <sodium/utils.h>

namespace futurerand {
namespace {

// The time it takes says nothing about where they differ.
bool are_equal(std::string_view secret, std::string_view given) {
  return secret.size() == given.size() &&
         sodium_memcmp(secret.data(), given.data(), secret.size()) == 0;
}

}  // namespace

std::optional<ApiResponse> AdminToken::refuse_stranger(const ApiRequest& request) const {
  if (token_.empty()) {
    return error_response(403, "no_admin", "this collector was started without an admin token");
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.authorization;
  if (given.starts_with(kBearer) && are_equal(token_, given.substr(kBearer.size()))) {
    return std::nullopt;
  }
  ApiResponse refused =
      error_response(401, "unauthorized",
                     given.empty() ? "this call needs 'Authorization: Bearer <admin token>'"
                                   : "the admin token is wrong");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

}  // namespace futurerand
