#include "futurerand/client/plan_digest.hpp"

#include <array>

#include <sodium/crypto_hash_sha256.h>

#include "futurerand/client/sealed.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {

std::string plan_digest(const Plan& plan) {
  const std::string text = to_json(plan);
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), bytes_of(text).data(), text.size());
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digest = "sha256:";
  for (const unsigned char byte : hash) {
    digest += kDigits[byte >> 4];
    digest += kDigits[byte & 15];
  }
  return digest;
}

}  // namespace futurerand
