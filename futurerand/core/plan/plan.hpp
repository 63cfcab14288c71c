// Plan: all that both sides know of a metric: its parameters and the integers that devices use.
// A server publishes it, a device certifies it (plan_certificate.hpp) and never repeats how it was
// found. [OWW22] Alg. 1 and 2 for the views that are orders.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/coding/coding.hpp"
#include "futurerand/core/law/law.hpp"
#include "futurerand/core/plan/initial.hpp"
#include "futurerand/core/plan/segments.hpp"

namespace futurerand {

// The reports of a device with this view, and their times: index j is due at the end of period
// j * 2^order.
enum class ViewKind : std::uint8_t {
  kChanges,     // at every index, the change over the dyadic interval that ends there
  kSnapshot,    // the value itself, at an index of 1..stride drawn uniformly on joining and, while
                // its law has signs, every stride after it
  kValues,      // the value itself, at every index
  kInnovation,  // at every period, what is new about the value (core/law/innovation.md)
  kPulse,       // at every period, whether there is a pulse (core/law/pulse.md)
  kOnce,        // the value itself, once, in the period of joining
};

struct View {
  ViewKind kind;
  Order order;
  std::uint64_t weight;  // of Plan::total_weight(): how likely a device draws this view
  Law law;

  // The indices that exist are 1..num_indices. What else follows from a view is in schedule.hpp.
  std::uint32_t num_indices(Period num_periods) const { return num_periods >> order; }

  friend bool operator==(const View&, const View&) = default;
};

enum class Protocol : std::uint8_t {
  kInnovation,
  kHybrid,
  kOptimal,
  kFutureRand,
  kWarner,
  kErlingsson,
  kBun,
  kSnapshot,
  kRepeated,
  kPulse,
  kOnce,
};

inline constexpr std::array kProtocols = {
    Protocol::kInnovation, Protocol::kHybrid,   Protocol::kPulse,      Protocol::kOptimal,
    Protocol::kFutureRand, Protocol::kWarner,   Protocol::kErlingsson, Protocol::kBun,
    Protocol::kSnapshot,   Protocol::kRepeated, Protocol::kOnce};

std::string_view name_of(Protocol protocol);
std::optional<Protocol> protocol_named(std::string_view name);

struct Plan {
  Protocol protocol;
  Period num_periods;
  std::uint32_t max_changes;
  Epsilon epsilon;
  std::vector<View> views;
  Initial initial = Initial::kZero;
  Coding coding = {};      // how a value becomes what a device holds
  Segments segments = {};  // a public attribute that devices state on joining

  std::uint64_t total_weight() const;

  friend bool operator==(const Plan&, const Plan&) = default;
};

// Checks ranges: periods 1..2^20, changes 1..4096 (0..4095 after an unknown start), the protocol's
// own range of epsilon, and for innovation more periods than changes and at most 4096 of them. With
// an unknown start, a protocol other than innovation serves one change more, from 0. Values other
// than yes/no need innovation, and all but numbers an unknown start. Pulse serves one change from 0
// and 2 to 4096 periods. Once serves no changes after an unknown start.
Result<Plan> make_plan(Protocol protocol, Period num_periods, std::uint32_t max_changes,
                       Epsilon epsilon, Initial initial = Initial::kZero,
                       const Coding& coding = {});

// Checks a plan from the wire: a client must be able to follow it, and a server to fold it. It
// checks ranges and laws. Every order must have an index. Weights must be positive, and their sum
// must not overflow. Each view must have enough signs for its reports. It says nothing about
// privacy.
Status validate(const Plan& plan);

}  // namespace futurerand
