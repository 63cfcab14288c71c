// The draw of a group (core/plan/metric_group.hpp): which of its metrics this device joins. It is
// drawn from entropy alone, before any data, and saved in the ledger before anything is joined.
//
// Thread safety: that of the ledger.
#pragma once

#include "futurerand/client/ledger.hpp"
#include "futurerand/client/metric_terms.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand {

// Draws each member with probability share / total, exactly. Callers check bits.failed() first.
template <int kWordBits>
const MetricGroup::Member& draw_member(const MetricGroup& group,
                                       BasicUniformBits<kWordBits>& bits) {
  return group.at(bits.below(group.total()));
}

// Returns whether this device takes part in the metric: true without a group. It draws, and saves
// that, if the group is new and the metric can be joined in this period. Codes of failure: those of
// check_joining() and Ledger::check_draw(), and kNoEntropy. kRefused for a metric that was in a
// group and is not any more.
Result<bool> takes_part(const MetricTerms& terms, Period period, Ledger& ledger,
                        RandomSource& entropy);

}  // namespace futurerand
