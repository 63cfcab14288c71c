#include "futurerand/simulator/simulated_protocol.hpp"

#include "futurerand/core/privacy/shuffle.hpp"

namespace futurerand {

std::string_view name_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kWholeSequence:
      return "private over the whole sequence";
    case Guarantee::kWindow:
      return "per window only";
    case Guarantee::kPerValue:
      return "per value only";
    case Guarantee::kTrustedCurator:
      return "trusted curator";
  }
  return "";
}

Result<double> SimulatedProtocol::published_epsilon(std::uint64_t num_users, double delta) const {
  const SequenceLoss loss = sequence_loss();
  if (traits().guarantee != Guarantee::kWholeSequence || !loss.epsilon) {
    return Error{"the bound needs reports that are private over the whole sequence"};
  }
  return shuffled_epsilon(*loss.epsilon, num_users, delta);
}

Result<ClientRun> SimulatedProtocol::client() const {
  return Error{"protocol '" + traits().name +
               "' has no client to test: expected one whose devices hide something"};
}

}  // namespace futurerand
