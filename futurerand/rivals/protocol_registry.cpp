#include "futurerand/rivals/protocol_registry.hpp"

#include <array>

#include "futurerand/rivals/central_tree.hpp"
#include "futurerand/rivals/dbitflip.hpp"
#include "futurerand/rivals/rappor.hpp"
#include "futurerand/rivals/sparse_vector.hpp"
#include "futurerand/rivals/thresh.hpp"
#include "futurerand/simulator/plan_protocol.hpp"

namespace futurerand {
namespace {

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<SimulatedProtocol>> (*make)(std::string_view name,
                                                     const ProtocolSettings& settings);
};

constexpr std::array kEntries = {
    Entry{"hybrid", make_plan_protocol},
    Entry{"optimal", make_plan_protocol},
    Entry{"future_rand", make_plan_protocol},
    Entry{"warner", make_plan_protocol},
    Entry{"erlingsson", make_plan_protocol},
    Entry{"bun", make_plan_protocol},
    Entry{"snapshot", make_plan_protocol},
    Entry{"repeated", make_plan_protocol},
    Entry{"sparse_vector", make_sparse_vector},
    Entry{"thresh", make_thresh},
    Entry{"rappor", make_rappor},
    Entry{"dbitflip", make_dbitflip},
    Entry{"central_tree", make_central_tree},
};

}  // namespace

std::vector<std::string_view> simulated_protocol_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

Result<std::unique_ptr<SimulatedProtocol>> make_simulated_protocol(
    std::string_view name, const ProtocolSettings& settings) {
  std::string expected;
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.make(name, settings);
    expected += (expected.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{"protocol '" + std::string(name) + "' is unknown; expected one of " + expected};
}

}  // namespace futurerand
