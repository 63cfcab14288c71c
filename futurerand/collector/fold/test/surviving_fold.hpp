// What checkpoints must bring back of a fold that keeps presence; shared by its tests.
#pragma once

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/fold/fold_checkpoint.hpp"

namespace futurerand {

// Expects that a fold of this plan comes back from its checkpoint as it was, and once more after it
// was closed.
inline void expect_survives_checkpoints(const Plan& plan, Fold fold) {
  const auto reloaded = [&] {
    Fold copy(plan, fold.key(), empty_presence(plan, fold.presence()->estimate().is_capped()));
    for (std::size_t piece = 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
      EXPECT_TRUE(FoldCheckpoint::load(piece, FoldCheckpoint::save(fold, piece), copy));
    }
    return copy;
  };
  const Fold copy = reloaded();
  EXPECT_EQ(*copy.presence(), *fold.presence());
  EXPECT_EQ(copy.sums(), fold.sums());
  for (std::size_t piece = 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
    EXPECT_EQ(FoldCheckpoint::save(copy, piece), FoldCheckpoint::save(fold, piece));
  }
  // Once closed it has no clients, and the same tables.
  fold.drop_clients();
  const Fold closed = reloaded();
  EXPECT_TRUE(closed.dropped_clients());
  EXPECT_EQ(*closed.presence(), *fold.presence());
  EXPECT_EQ(closed.sums(), fold.sums());
}

}  // namespace futurerand
