#include "futurerand/rivals/protocol_registry.hpp"

#include <string>

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
    return all;
  }();
  return kinds;
}

std::vector<std::string_view> simulated_protocol_names() {
  std::vector<std::string_view> names;
  for (const ProtocolKind& kind : protocol_kinds()) names.push_back(kind.name);
  return names;
}

Result<std::unique_ptr<SimulatedProtocol>> make_simulated_protocol(
    std::string_view name, const ProtocolSettings& settings) {
  std::string expected;
  ProtocolSettings served = settings;
  if (!protocol_named(name)) {
    // Rivals start at 0, as their papers do. So that comparisons are fair, they serve the same
    // users, for whom joining with 1 is one change more.
    served.max_changes = changes_from_zero(settings.max_changes, settings.initial);
    served.initial = Initial::kZero;
  }
  for (const ProtocolKind& kind : protocol_kinds()) {
    if (kind.name == name && !protocol_named(name) &&
        settings.coding.kind() != CodingKind::kYesNo) {
      return Error{"'" + std::string(name) + "' does not serve a value of kind " +
                   std::string(name_of(settings.coding.kind())) + "; expected protocol innovation"};
    }
    if (kind.name == name) return kind.make(name, served);
    expected += (expected.empty() ? "" : ", ") + std::string(kind.name);
  }
  return Error{"protocol '" + std::string(name) + "' is unknown; expected one of " + expected};
}

}  // namespace futurerand
