#include "futurerand/client/group_draw.hpp"

#include <string>

#include "futurerand/entropy/checked_entropy.hpp"

namespace futurerand {
namespace {

// A metric of a drawn group keeps its group: without it, any member could be joined.
Status check_without_group(const MetricTerms& terms, const Ledger& ledger) {
  for (const Ledger::Draw& draw : ledger.draws()) {
    if (!draw.group.has(terms.name)) continue;
    return Error{"the metric '" + terms.name + "' was in the group '" + draw.group.name() +
                     "' when this device drew; expected the same group for ever",
                 ErrorCode::kRefused};
  }
  return {};
}

Result<std::string> draw(const MetricGroup& group, RandomSource& entropy) {
  CheckedEntropy checked(entropy);
  checked.discard_buffered();
  UniformBits bits(checked);
  const MetricGroup::Member& drawn = draw_member(group, bits);
  if (!bits.failed()) return drawn.metric;
  return Error{"the random source failed; the device did not join", ErrorCode::kNoEntropy};
}

}  // namespace

Result<bool> takes_part(const MetricTerms& terms, Period period, Ledger& ledger,
                        RandomSource& entropy) {
  if (!terms.group) {
    const Status ungrouped = check_without_group(terms, ledger);
    if (!ungrouped) return ungrouped.error();
    return true;
  }
  const MetricGroup& group = *terms.group;
  if (const Status allowed = ledger.check_draw(group); !allowed) return allowed.error();
  if (ledger.find_draw(group.name()) == nullptr) {
    if (const Status joinable = terms.check_joining(period); !joinable && !terms.is_endless()) {
      return joinable.error();
    }
    const Result<std::string> drawn = draw(group, entropy);
    if (!drawn) return drawn.error();
    if (const Status saved = ledger.begin_group(group, *drawn); !saved) return saved.error();
  }
  return ledger.find_draw(group.name())->metric == terms.name;
}

}  // namespace futurerand
