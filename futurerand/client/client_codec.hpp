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
  static constexpr std::uint32_t kVersion = 2;
  // With heartbeats it remembers which of them were acknowledged; no such state is older.
  static constexpr std::uint32_t kHeartbeatVersion = 3;
  // A device that reports innovation remembers more: its records are of a kind and version of their
  // own.
  static constexpr std::string_view kInnovationKind = "frclnews";
  static constexpr std::uint32_t kInnovationVersion = 2;

  // Returns an empty record of the kind and version that this state has.
  static SealedWriter writer_for(const ClientMemory& state, const Revision& revision);
  static void write(const ClientMemory& state, SealedWriter& writer);
  // Reads version 1 too. The codes of failure are kRefused where the terms are others than those
  // that were joined, and kDamaged for anything else.
  static Result<ClientMemory> read(std::span<const std::uint8_t> bytes, const MetricTerms& terms);
};

}  // namespace futurerand
