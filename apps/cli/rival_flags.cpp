#include "apps/cli/rival_flags.hpp"

#include <string>

namespace futurerand::apps {

// Ranges are checked where the rivals are made: they depend on other flags.
void add_rival_flags(CLI::App& command, RivalConstants& constants) {
  const std::string group = "Constants of rivals";
  command
      .add_option("--thresh-epoch", constants.thresh_epoch,
                  "thresh: periods of an epoch; enough to see a full move if not given")
      ->type_name("L")
      ->group(group);
  command
      .add_option("--thresh-vote-cost", constants.thresh_vote_cost,
                  "thresh: budget of a yes vote; epsilon / 4K if not given")
      ->type_name("A")
      ->group(group);
  command
      .add_option("--thresh-estimate-cost", constants.thresh_estimate_cost,
                  "thresh: budget of an estimate; epsilon / 4K if not given")
      ->type_name("B")
      ->group(group);
  command
      .add_option("--thresh-delta", constants.thresh_delta,
                  "thresh: how often its accuracy bound may fail")
      ->capture_default_str()
      ->type_name("SHARE")
      ->group(group);
  command
      .add_option("--sparse-clip", constants.sparse_vector_clip,
                  "sparse_vector: clip to this; min(K, sqrt(2K ln 4N)) if not given")
      ->type_name("ETA")
      ->group(group);
  command
      .add_option("--rappor-p", constants.rappor_one_if_zero,
                  "rappor: how often a memoized 0 is sent as a 1")
      ->capture_default_str()
      ->type_name("P")
      ->group(group);
  command
      .add_option("--rappor-q", constants.rappor_one_if_one,
                  "rappor: how often a memoized 1 is sent as a 1")
      ->capture_default_str()
      ->type_name("Q")
      ->group(group);
}

}  // namespace futurerand::apps
