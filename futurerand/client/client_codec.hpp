// ClientCodec: a client's saved bytes. The same state gives the same bytes, and what they give back
// is a state that this program could have saved, or an error.
#pragma once

#include <span>
#include <string_view>

#include "futurerand/client/client_memory.hpp"
#include "futurerand/client/metric_terms.hpp"
#include "futurerand/client/sealed.hpp"

namespace futurerand {

// The public part of a state: the sent and the waiting reports.
struct SavedReports {
  ClientId id;
  bool enrolled = false;  // acknowledged
  std::uint32_t view = 0;
  Period joined = 0;
  std::uint32_t snapshot_index = 0;
  std::uint32_t first_index = 0;
  std::uint32_t stride = 1;
  std::uint32_t num_acknowledged = 0;
  SignVector signs = SignVector(0);
};

struct ClientCodec {
  static constexpr std::string_view kKind = "frclient";

  // Requires a writer of this kind. The plan decides what the state holds.
  static void write(const ClientMemory& state, SealedWriter& writer);
  // Writes a record without a client, in place of one that is over.
  static void write_erased(SealedWriter& writer);
  // Tells whether this is the state of a client with these terms. Other terms, and a record without
  // a client, are not. kDamaged for bytes that are no saved state.
  static Result<bool> is_of(std::span<const std::uint8_t> bytes, const MetricTerms& terms);
  static bool is_erased(std::span<const std::uint8_t> bytes);
  // The error code is kRefused if the terms differ from those that were joined, and kDamaged
  // otherwise.
  // Reads that part, without the plan. kDamaged if it cannot be read.
  static Result<SavedReports> read_reports(std::span<const std::uint8_t> bytes);
  static Error other_terms(const std::string& metric);
  static Result<ClientMemory> read(std::span<const std::uint8_t> bytes, const MetricTerms& terms);
};

}  // namespace futurerand
