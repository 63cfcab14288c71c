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

  static void write(const Client& client, SealedWriter& writer);
  static Result<Client> read(std::span<const std::uint8_t> bytes, const MetricTerms& terms,
                             StateStore& store);
};

}  // namespace futurerand
