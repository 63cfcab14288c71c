#include "futurerand/audit/sequence_loss.hpp"

#include <cmath>
#include <cstdlib>

#include "futurerand/rivals/dbitflip.hpp"
#include "futurerand/rivals/rappor.hpp"
#include "futurerand/rivals/sparse_vector.hpp"
#include "futurerand/rivals/thresh.hpp"

namespace futurerand {

SequenceLoss sequence_loss(std::string_view rival, const ProtocolSettings& settings) {
  if (rival == "sparse_vector") {
    return {sparse_vector_loss(settings), "exact, over all pairs of sequences"};
  }
  if (rival == "thresh") {
    return {
        thresh_loss_bound(*ThreshTerms::create(settings)),
        "an upper bound by composition, over all pairs of sequences; constants from a secondary "
        "description"};
  }
  if (rival == "rappor") {
    return {rappor_loss(settings),
            "exact, between a user who never changes and one who changes once; more changes may "
            "lose more"};
  }
  if (rival == "dbitflip") {
    const double loss = dbitflip_loss(settings);
    return {std::isfinite(loss) ? std::optional(loss) : std::nullopt,
            "exact, between a user who never changes and one who changes once: the change shows"};
  }
  if (rival == "central_tree") {
    return {std::nullopt, "the curator is sent the values themselves"};
  }
  std::abort();
}

}  // namespace futurerand
