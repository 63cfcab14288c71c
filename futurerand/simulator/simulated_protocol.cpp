#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

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

}  // namespace futurerand
