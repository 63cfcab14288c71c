#include "futurerand/rivals/protocol_registry.hpp"

#include <string>

#include "futurerand/rivals/categories/category_protocol.hpp"
#include "futurerand/simulator/plan_protocol.hpp"

// One line for each rival. Its file defines `ProtocolKind rival()` in the namespace
// futurerand::NAME, so that names in two rivals' files cannot clash.
#define FUTURERAND_RIVALS(RIVAL) \
  RIVAL(future_scaled)           \
  RIVAL(exsub)                   \
  RIVAL(ddrm)                    \
  RIVAL(lpa)                     \
  RIVAL(sparse_vector)           \
  RIVAL(thresh)                  \
  RIVAL(rappor)                  \
  RIVAL(dbitflip)                \
  RIVAL(central_tree)

namespace futurerand {

#define FUTURERAND_DECLARE(name) \
  namespace name {               \
  ProtocolKind rival();          \
  }
FUTURERAND_RIVALS(FUTURERAND_DECLARE)
#undef FUTURERAND_DECLARE

std::span<const ProtocolKind> protocol_kinds() {
  static const std::vector<ProtocolKind> kinds = [] {
    std::vector<ProtocolKind> all;
    all.reserve(kProtocols.size());
    for (const Protocol protocol : kProtocols) {
      all.push_back({name_of(protocol), make_plan_protocol});
    }
#define FUTURERAND_ADD(name) all.push_back(name::rival());
    FUTURERAND_RIVALS(FUTURERAND_ADD)
#undef FUTURERAND_ADD
    for (const ProtocolKind& kind : category_rivals()) all.push_back(kind);
    return all;
  }();
  return kinds;
}

std::vector<std::string_view> simulated_protocol_names() {
  std::vector<std::string_view> names;
  for (const ProtocolKind& kind : protocol_kinds()) names.push_back(kind.name);
  return names;
}

std::vector<std::string_view> protocols_for(CodingKind kind) {
  std::vector<std::string_view> names;
  for (const ProtocolKind& protocol : protocol_kinds()) {
    // Innovation is the only protocol with a plan for other values than yes/no.
    const bool is_planned = protocol_named(protocol.name).has_value();
    const bool serves = protocol.serves == kind ||
                        (is_planned && protocol_named(protocol.name) == Protocol::kInnovation);
    if (serves) names.push_back(protocol.name);
  }
  return names;
}

Result<std::unique_ptr<SimulatedProtocol>> make_simulated_protocol(
    std::string_view name, const ProtocolSettings& settings) {
  std::string expected;
  const CodingKind value = settings.coding.kind();
  for (const ProtocolKind& kind : protocol_kinds()) {
    expected += (expected.empty() ? "" : ", ") + std::string(kind.name);
    if (kind.name != name) continue;
    if (protocol_named(name)) return kind.make(name, settings);
    if (kind.serves != value) {
      return Error{"'" + std::string(name) + "' does not serve a value of kind " +
                   std::string(name_of(value)) + "; expected protocol innovation, or value " +
                   std::string(name_of(kind.serves))};
    }
    ProtocolSettings served = settings;
    if (value == CodingKind::kYesNo) {
      // Rivals start at 0, as in their papers. For a fair comparison they serve the same users.
      // Joining with 1 is one more change for them.
      served.max_changes = changes_from_zero(settings.max_changes, settings.initial);
      served.initial = Initial::kZero;
    }
    return kind.make(name, served);
  }
  return Error{"protocol '" + std::string(name) + "' is unknown; expected one of " + expected};
}

}  // namespace futurerand
