#include "futurerand/core/plan/plan.hpp"

#include <cstdlib>
#include <string>

namespace futurerand {
namespace {

LawName law_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kOptimal:
      return LawName::kOptimal;
    case Protocol::kFutureRand:
      return LawName::kFutureRand;
    case Protocol::kWarner:
      return LawName::kWarner;
    case Protocol::kErlingsson:
      return LawName::kErlingsson;
    case Protocol::kBun:
      return LawName::kBun;
  }
  std::abort();
}

}  // namespace

std::string_view name_of(Protocol protocol) { return name_of(law_of(protocol)); }

std::optional<Protocol> protocol_named(std::string_view name) {
  for (const Protocol protocol : kProtocols) {
    if (name_of(protocol) == name) return protocol;
  }
  return std::nullopt;
}

std::uint64_t Plan::total_weight() const {
  std::uint64_t total = 0;
  for (const View& view : views) total += view.weight;
  return total;
}

Result<Plan> make_plan(Protocol protocol, Period num_periods, std::uint32_t max_changes,
                       Epsilon epsilon) {
  if (num_periods < 1 || num_periods > kMaxPeriods) {
    return Error{"periods " + std::to_string(num_periods) + " is out of range; expected 1 to " +
                 std::to_string(kMaxPeriods)};
  }
  const Result<Law> law = make_law(law_of(protocol), max_changes, epsilon);
  if (!law) return law.error();
  // [OWW22] Alg. 1: every order equally likely, the same k at each.
  Plan plan{protocol, num_periods, max_changes, epsilon, {}};
  for (Order order = 0; order < num_orders(num_periods); ++order) {
    plan.views.push_back({ViewKind::kChanges, order, 1, *law});
  }
  return plan;
}

}  // namespace futurerand
