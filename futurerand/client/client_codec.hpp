// ClientCodec: a client's saved bytes. The same state gives the same bytes. Reading gives a state
// that this program could have saved, or an error.
#pragma once

#include <span>
#include <string>
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
  std::string segment;
  std::uint32_t first_index = 0;
  std::uint32_t stride = 1;
  std::uint32_t num_acknowledged = 0;
  PackedSigns signs = {};

  Enrolment enrolment() const { return {id, view, joined, snapshot_index, segment}; }
};

struct ClientCodec {
  static constexpr std::string_view kKind = "frclient";

  // Requires a writer of this kind. The plan decides the content of the state.
  static void write(const ClientMemory& state, SealedWriter& writer);
  // Writes a record without a client, to replace an ended one.
  static void write_erased(SealedWriter& writer);
  // True for the state of a client with these terms; false for other terms, and for a record
  // without a client. kDamaged for bytes other than a saved state.
  static Result<bool> is_of(std::span<const std::uint8_t> bytes, const MetricTerms& terms);
  static bool is_erased(std::span<const std::uint8_t> bytes);
  // The error code is kRefused for terms other than the joined ones, and kDamaged otherwise.
  static Result<SavedReports> read_reports(std::span<const std::uint8_t> bytes);
  static Error other_terms(const std::string& metric);
  static Result<ClientMemory> read(std::span<const std::uint8_t> bytes, const MetricTerms& terms);
};

}  // namespace futurerand
