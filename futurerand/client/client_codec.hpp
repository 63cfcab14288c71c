// ClientCodec: a client's saved bytes. The same client gives the same bytes, and what they give
// back is a client that this program could have saved, or an error.
#pragma once

#include <span>
#include <string>

#include "futurerand/client/client.hpp"
#include "futurerand/client/sealed.hpp"

namespace futurerand {

class ClientCodec {
 public:
  static constexpr std::string_view kKind = "frclient";
  static constexpr std::uint32_t kVersion = 1;
  // A device that reports news remembers more: its records are of a kind and version of their own.
  static constexpr std::string_view kNewsKind = "frclnews";
  static constexpr std::uint32_t kNewsVersion = 1;

  // An empty record of the kind and version that this client has.
  static SealedWriter writer_for(const Client& client);
  static void write(const Client& client, SealedWriter& writer);
  static Result<Client> read(std::span<const std::uint8_t> bytes, const MetricTerms& terms,
                             StateStore& store);
};

}  // namespace futurerand
