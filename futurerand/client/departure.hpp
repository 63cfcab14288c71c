// Departure: the rest of a client after leaving its metric. Noise, key, value and signs are erased;
// the ledger keeps its entry. The line with the departure is sent once in each later period until
// the metric ends, because a collector restored from an older backup has lost it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "futurerand/client/metric_terms.hpp"
#include "futurerand/client/sealed.hpp"
#include "futurerand/core/plan/report.hpp"

namespace futurerand {

struct Departure {
  static constexpr std::string_view kKind = "frparted";

  Digest terms;
  ClientId id;
  Period period = 0;
  bool forget = false;  // the collector shall remove the reports
  Period told = 0;      // the last period in which the collector acknowledged it; 0: none

  // True for the bytes of a departure, and not of a participating client.
  static bool is_saved_in(std::span<const std::uint8_t> bytes);
  // Requires a writer of this kind.
  void write(SealedWriter& writer) const;
  // Reads it without the metric's terms, to show it.
  static Result<Departure> read_saved(std::span<const std::uint8_t> bytes);
  // As ClientCodec::read.
  static Result<Departure> read(std::span<const std::uint8_t> bytes, const MetricTerms& metric);
  friend bool operator==(const Departure&, const Departure&) = default;
};

}  // namespace futurerand
