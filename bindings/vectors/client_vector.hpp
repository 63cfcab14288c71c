// ClientVector: one line of tests/data/vectors.jsonl: fixed entropy and values in, the exact lines
// out. Whoever runs the client in another language replays them byte for byte (docs/porting.md).
//
// Thread safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "futurerand/client/metric_terms.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

// A Value that keeps its text.
using KeptValue = std::variant<bool, double, std::string>;
Value value_of(const KeptValue& kept);

// Observe, look at the lines that are due, and perhaps tell the client that the server has them.
struct VectorStep {
  Period period = 0;
  KeptValue value = false;
  std::vector<std::string> lines = {};  // without newlines
  bool acknowledged = false;
  friend bool operator==(const VectorStep&, const VectorStep&) = default;
};

// Leave, be forgotten or let a period begin. Then as in a step.
struct DepartureStep {
  enum class Call : std::uint8_t { kLeave, kForget, kBeginPeriod };

  Call call = Call::kLeave;
  Period period = 0;
  std::vector<std::string> lines = {};
  bool acknowledged = false;
  friend bool operator==(const DepartureStep&, const DepartureStep&) = default;
};

struct ClientVector {
  std::string metric;
  std::string plan;    // JSON, as it is on the wire
  std::string digest;  // of the plan
  std::int64_t start = 0;
  std::int64_t period_seconds = 0;
  Period joined = 1;
  std::vector<std::uint8_t> entropy = {};  // all that the client draws, and no more
  std::vector<VectorStep> steps = {};
  std::vector<DepartureStep> departure = {};  // after the steps, of devices that leave
};

// Entropy as text.
std::string hex_of(const std::vector<std::uint8_t>& bytes);
std::optional<std::vector<std::uint8_t>> bytes_of_hex(std::string_view text);

std::string to_line(const ClientVector& vector);
Result<ClientVector> parse_vector(std::string_view line);

Result<MetricTerms> terms_of(const ClientVector& vector);

// Runs the client over the steps of the vector and gives the vector back with the lines that it
// gave. It is opened anew from its store before each step where `restart` says so. Fails where the
// client does, and if it draws more or fewer bytes than the vector has.
Result<ClientVector> replay(const ClientVector& vector, bool restart);

}  // namespace futurerand
