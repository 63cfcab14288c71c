#include <array>

#include "futurerand/simulator/central_tree.hpp"
#include "futurerand/simulator/dbitflip.hpp"
#include "futurerand/simulator/plan_protocol.hpp"
#include "futurerand/simulator/rappor.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"
#include "futurerand/simulator/sparse_vector.hpp"
#include "futurerand/simulator/thresh.hpp"

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

std::string_view name_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kWholeSequence:
      return "private over the whole sequence";
    case Guarantee::kPerValue:
      return "per value only";
    case Guarantee::kTrustedCurator:
      return "trusted curator";
  }
  return "";
}

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
