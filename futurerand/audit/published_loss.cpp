#include "futurerand/audit/published_loss.hpp"

#include "futurerand/core/privacy/shuffle.hpp"

namespace futurerand {

Result<double> published_epsilon(std::string_view protocol, Guarantee guarantee,
                                 std::optional<double> local_epsilon, std::uint64_t num_users,
                                 double delta) {
  if (guarantee == Guarantee::kTrustedCurator) {
    return Error{"there is nothing to shuffle: the curator adds the noise"};
  }
  if (guarantee == Guarantee::kPerValue || !local_epsilon) {
    return Error{"the bound needs reports that are private over the whole sequence"};
  }
  if (protocol == "thresh") {
    return Error{"the bound needs reports that do not depend on other users'"};
  }
  return shuffled_epsilon(*local_epsilon, num_users, delta);
}

}  // namespace futurerand
