// AccessTokens: the secrets that open calls. There are three kinds, each a list, so that a new
// secret is added before an old one is taken out. What has no list is open to anyone, except the
// admin's calls, which are then nobody's.
//
// Thread safety: all of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/collector/api/request.hpp"
#include "futurerand/collector/api/response.hpp"

namespace futurerand {

// The access that a call requires. The admin may make all calls.
enum class Access : std::uint8_t {
  kAnyone,
  kSubmit,  // whoever has a token for submitting
  kTerms,   // whoever may submit or read: what a device must know before it joins
  kRead,    // whoever has a token for reading
  kAdmin,
};

// "anyone", "submit", "terms", "read", "admin".
std::string_view name_of(Access access);

struct TokenLists {
  std::vector<std::string> admin = {};
  std::vector<std::string> read = {};
  std::vector<std::string> submit = {};
};

class AccessTokens {
 public:
  AccessTokens() = default;
  explicit AccessTokens(const TokenLists& lists) { replace(lists); }

  // From now on these are taken and no others.
  void replace(const TokenLists& lists);
  // Whether anybody may make admin calls.
  bool has_admin() const;
  // The refusal of a request that may not make such a call; nothing if it may. How long it takes
  // says nothing about the secrets.
  std::optional<ApiResponse> refuse(const ApiRequest& request, Access access) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Digests {
    std::vector<Digest> admin, read, submit;
  };
  static Digest digest_of(std::string_view token);
  static std::vector<Digest> digests_of(const std::vector<std::string>& tokens);
  static bool has(const std::vector<Digest>& digests, const Digest& given);

  // This is no atomic pointer: that of libstdc++ 12 locks too, and is not in order for sanitizers.
  mutable std::mutex mutex_;
  std::shared_ptr<const Digests> digests_ = std::make_shared<const Digests>();
};

}  // namespace futurerand
