#include "futurerand/core/law/law_registry.hpp"

#include <cstdlib>
#include <string>

#include "futurerand/core/law/bun.hpp"
#include "futurerand/core/law/erlingsson.hpp"
#include "futurerand/core/law/future_rand.hpp"
#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/warner.hpp"

namespace futurerand {

std::string_view name_of(LawName law) {
  switch (law) {
    case LawName::kWarner:
      return "warner";
    case LawName::kErlingsson:
      return "erlingsson";
    case LawName::kBun:
      return "bun";
    case LawName::kFutureRand:
      return "future_rand";
    case LawName::kOptimal:
      return "optimal";
  }
  std::abort();
}

std::optional<LawName> law_named(std::string_view name) {
  for (const LawName law : kLawNames) {
    if (name_of(law) == name) return law;
  }
  return std::nullopt;
}

Result<Law> make_law(LawName name, std::uint32_t max_changes, Epsilon epsilon) {
  if (max_changes < 1 || max_changes > kMaxChanges) {
    return Error{"max changes " + std::to_string(max_changes) + " is out of range; expected 1 to " +
                 std::to_string(kMaxChanges)};
  }
  const bool proved_up_to_one = name == LawName::kBun || name == LawName::kFutureRand;
  if (proved_up_to_one && epsilon.nanos() > Epsilon::kNanosPerUnit) {
    return Error{"epsilon " + epsilon.text() + " is out of range for " +
                 std::string(name_of(name)) +
                 "; expected at most 1 (its proof needs that), or the optimal law"};
  }
  Law law = [&]() -> Law {
    switch (name) {
      case LawName::kWarner:
        return warner(max_changes, epsilon);
      case LawName::kErlingsson:
        return erlingsson(max_changes, epsilon);
      case LawName::kBun:
        return bun(max_changes, epsilon);
      case LawName::kFutureRand:
        return future_rand(max_changes, epsilon);
      case LawName::kOptimal:
        return optimal(max_changes, epsilon);
    }
    std::abort();
  }();
  if (const Status valid = validate(law); !valid) return valid.error();
  if (gap(law).numerator <= 0) {
    return Error{"the " + std::string(name_of(name)) + " law for " + std::to_string(max_changes) +
                 " changes and epsilon " + epsilon.text() +
                 " carries no signal in 64-bit integers; expected a larger epsilon"};
  }
  return law;
}

}  // namespace futurerand
