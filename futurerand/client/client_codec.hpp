// ClientCodec: a client's saved bytes. The same state gives the same bytes, and what they give back
// is a state that this program could have saved, or an error.
#pragma once

#include <span>
#include <string_view>

#include "futurerand/client/client_memory.hpp"
#include "futurerand/client/metric_terms.hpp"
#include "futurerand/client/sealed.hpp"

namespace futurerand {

struct ClientCodec {
  static constexpr std::string_view kKind = "frclient";

  // Requires a writer of this kind. The plan decides what the state holds.
  static void write(const ClientMemory& state, SealedWriter& writer);
  // The error code is kRefused if the terms differ from those that were joined, and kDamaged
  // otherwise.
  static Result<ClientMemory> read(std::span<const std::uint8_t> bytes, const MetricTerms& terms);
};

}  // namespace futurerand
