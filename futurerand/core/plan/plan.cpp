#include "futurerand/core/plan/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/warner.hpp"
#include "futurerand/core/plan/hybrid_design.hpp"
#include "futurerand/core/plan/innovation_design.hpp"
#include "futurerand/core/plan/pulse_design.hpp"

namespace futurerand {
namespace {

// Returns the law of a protocol of the paper's framework; others have none.
std::optional<LawName> framework_law(Protocol protocol) {
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
    case Protocol::kInnovation:
    case Protocol::kHybrid:
    case Protocol::kSnapshot:
    case Protocol::kRepeated:
    case Protocol::kPulse:
    case Protocol::kOnce:
      return std::nullopt;
  }
  std::abort();
}

Status check_ranges(Period num_periods, std::uint32_t max_changes, Initial initial) {
  if (num_periods < 1 || num_periods > kMaxPeriods) {
    return Error{"periods " + std::to_string(num_periods) + " is out of range; expected 1 to " +
                 std::to_string(kMaxPeriods)};
  }
  const std::uint32_t least = initial == Initial::kUnknown ? 0 : 1;
  const std::uint32_t most = kMaxChanges - 1 + least;
  if (max_changes < least || max_changes > most) {
    return Error{"max changes " + std::to_string(max_changes) + " is out of range; expected " +
                 std::to_string(least) + " to " + std::to_string(most)};
  }
  return {};
}

Status check_coding(Protocol protocol, Initial initial, const Coding& coding) {
  if (coding.kind() == CodingKind::kYesNo) return {};
  const std::string kind(name_of(coding.kind()));
  if (protocol != Protocol::kInnovation) {
    return Error{"'" + std::string(name_of(protocol)) + "' does not serve a value of kind " + kind +
                 "; expected protocol innovation"};
  }
  if (coding.kind() != CodingKind::kNumber && initial != Initial::kUnknown) {
    return Error{"a value of kind " + kind +
                 " has no zero to start from; expected initial unknown"};
  }
  return {};
}

// A device with at most max_changes changes never runs out of a level's signs.
Status check_counts(const WeightedThresholdLaw& law, const Plan& plan) {
  if (law.num_signs != plan.num_periods) {
    return Error{"its law has " + std::to_string(law.num_signs) + " signs; expected " +
                 std::to_string(plan.num_periods) + ", one for each period"};
  }
  const bool unknown = plan.initial == Initial::kUnknown;
  if ((law.start_levels > 0) != unknown) {
    return Error{"its law has " + std::to_string(law.start_levels) +
                 " start levels; expected one for each lag if the start is unknown, else none"};
  }
  if (law.change_levels() == 0 && plan.max_changes > 0) {
    return Error{"its law has no change levels; expected one for each lag"};
  }
  for (std::uint32_t l = 0; l < law.change_levels(); ++l) {
    if (law.levels[l].count < plan.max_changes) {
      return Error{"level " + std::to_string(l) + " has " + std::to_string(law.levels[l].count) +
                   " signs; expected one for each of " + std::to_string(plan.max_changes) +
                   " changes"};
    }
  }
  return {};
}

// A device reads at most one slot a period, and may fill its whole window.
Status check_slots(const PulseLaw& law, const Plan& plan) {
  if (law.window > std::min(plan.num_periods, kMaxPulseWindow)) {
    return Error{"its window is " + std::to_string(law.window) + "; expected at most " +
                 std::to_string(std::min(plan.num_periods, kMaxPulseWindow))};
  }
  if (law.num_signs != plan.num_periods + law.window) {
    return Error{"its law has " + std::to_string(law.num_signs) + " slots; expected " +
                 std::to_string(plan.num_periods + law.window) +
                 ", one for each period and for its window"};
  }
  return {};
}

// Windows rise, and there is at most one change.
bool has_pulse_views(const Plan& plan) {
  if (plan.max_changes != 1 || plan.initial != Initial::kZero) return false;
  if (plan.num_periods > kMaxPulsePeriods) return false;
  std::uint32_t last = 0;
  for (const View& view : plan.views) {
    const auto* law = std::get_if<PulseLaw>(&view.law);
    if (law == nullptr || view.order != 0 || law->window <= last) return false;
    last = law->window;
  }
  return true;
}

// These are the properties that each protocol's estimator relies on.
bool has_views_of(Protocol protocol, const Plan& plan) {
  const std::vector<View>& views = plan.views;
  switch (protocol) {
    case Protocol::kInnovation:
      return views.size() == 1 && views[0].kind == ViewKind::kInnovation && views[0].order == 0;
    case Protocol::kPulse:
      return has_pulse_views(plan);
    case Protocol::kSnapshot:
      return views.size() == 1 && views[0].kind == ViewKind::kSnapshot && views[0].order == 0;
    case Protocol::kOnce:
      return views.size() == 1 && views[0].kind == ViewKind::kOnce && views[0].order == 0 &&
             num_signs(views[0].law) == 1 && plan.max_changes == 0;
    case Protocol::kRepeated:
      return views.size() == 1 && views[0].kind == ViewKind::kValues && views[0].order == 0;
    case Protocol::kHybrid:
      // Orders rise; a snapshot view comes last, on a grid at least as wide as every interval.
      for (std::size_t v = 0; v < views.size(); ++v) {
        const bool last = v + 1 == views.size();
        if (views[v].kind != ViewKind::kChanges && views[v].kind != ViewKind::kSnapshot) {
          return false;
        }
        if (views[v].kind == ViewKind::kSnapshot && !last) return false;
        if (v == 0) continue;
        const bool on_grid =
            views[v].kind == ViewKind::kSnapshot && views[v].order == views[v - 1].order;
        if (views[v].order <= views[v - 1].order && !on_grid) return false;
      }
      return true;
    default:
      if (views.size() != num_orders(plan.num_periods)) return false;
      for (Order h = 0; h < views.size(); ++h) {
        const View& view = views[h];
        if (view.kind != ViewKind::kChanges || view.order != h || view.weight != views[0].weight ||
            view.law != views[0].law) {
          return false;
        }
      }
      return true;
  }
}

}  // namespace

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kInnovation:
      return "innovation";
    case Protocol::kHybrid:
      return "hybrid";
    case Protocol::kSnapshot:
      return "snapshot";
    case Protocol::kRepeated:
      return "repeated";
    case Protocol::kPulse:
      return "pulse";
    case Protocol::kOnce:
      return "once";
    default:
      return name_of(*framework_law(protocol));
  }
}

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
                       Epsilon epsilon, Initial initial, const Coding& coding) {
  if (const Status in_range = check_ranges(num_periods, max_changes, initial); !in_range) {
    return in_range.error();
  }
  if (const Status served = check_coding(protocol, initial, coding); !served) {
    return served.error();
  }
  Plan plan{protocol, num_periods, max_changes, epsilon, {}, initial, coding};
  const std::uint32_t from_zero = changes_from_zero(max_changes, initial);
  if (protocol == Protocol::kInnovation) {
    Result<WeightedThresholdLaw> law =
        design_innovation(num_periods, max_changes, epsilon, initial);
    if (!law) return law.error();
    plan.views = {{ViewKind::kInnovation, 0, 1, *std::move(law)}};
  } else if (protocol == Protocol::kPulse) {
    Result<std::vector<View>> views = design_pulse(num_periods, max_changes, epsilon, initial);
    if (!views) return views.error();
    plan.views = *std::move(views);
  } else if (protocol == Protocol::kHybrid) {
    plan.views = design_hybrid(num_periods, from_zero, epsilon);
  } else if (protocol == Protocol::kSnapshot) {
    plan.views = {{ViewKind::kSnapshot, 0, 1, optimal(1, epsilon)}};
  } else if (protocol == Protocol::kOnce) {
    if (max_changes > 0) {
      return Error{"'once' serves facts that never change; expected max changes 0, not " +
                   std::to_string(max_changes)};
    }
    plan.views = {{ViewKind::kOnce, 0, 1, optimal(1, epsilon)}};
  } else if (protocol == Protocol::kRepeated) {
    plan.views = {{ViewKind::kValues, 0, 1, warner(num_periods, epsilon)}};
  } else {
    // In [OWW22] Alg. 1 every order is equally likely and has the same k.
    const Result<Law> law = make_law(*framework_law(protocol), from_zero, epsilon);
    if (!law) return law.error();
    for (Order order = 0; order < num_orders(num_periods); ++order) {
      plan.views.push_back({ViewKind::kChanges, order, 1, *law});
    }
  }
  return plan;
}

Status validate(const Plan& plan) {
  if (const Status in_range = check_ranges(plan.num_periods, plan.max_changes, plan.initial);
      !in_range) {
    return in_range;
  }
  if (const Status served = check_coding(plan.protocol, plan.initial, plan.coding); !served) {
    return served;
  }
  constexpr std::uint64_t kMaxWeight = std::uint64_t{1} << 32;
  if (plan.views.empty()) return Error{"the plan has no views; expected at least one"};
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    const std::string where = "view " + std::to_string(v) + ": ";
    if (view.order >= num_orders(plan.num_periods)) {
      return Error{where + "order " + std::to_string(view.order) +
                   " is out of range; expected 0 to " +
                   std::to_string(num_orders(plan.num_periods) - 1)};
    }
    if (view.weight < 1 || view.weight > kMaxWeight) {
      return Error{where + "weight " + std::to_string(view.weight) +
                   " is out of range; expected 1 to 2^32"};
    }
    if (const Status valid = validate(view.law); !valid)
      return Error{where + valid.error().message};
    if (view.kind == ViewKind::kValues &&
        num_signs(view.law) < view.num_indices(plan.num_periods)) {
      return Error{where + "its law has fewer signs than values to report"};
    }
    if (view.kind == ViewKind::kSnapshot &&
        num_signs(view.law) > view.num_indices(plan.num_periods)) {
      return Error{where + "its law has more signs than there are snapshots"};
    }
    const auto* weighted = std::get_if<WeightedThresholdLaw>(&view.law);
    if ((view.kind == ViewKind::kInnovation) != (weighted != nullptr)) {
      return Error{where +
                   "innovation and weighted thresholds go together; expected both or neither"};
    }
    if (weighted != nullptr) {
      if (const Status fits = check_counts(*weighted, plan); !fits) {
        return Error{where + fits.error().message};
      }
    }
    const auto* pulses = std::get_if<PulseLaw>(&view.law);
    if ((view.kind == ViewKind::kPulse) != (pulses != nullptr)) {
      return Error{where + "pulses and a law of pulses go together; expected both or neither"};
    }
    if (pulses != nullptr) {
      if (const Status fits = check_slots(*pulses, plan); !fits) {
        return Error{where + fits.error().message};
      }
    }
    const bool may_be_sparse =
        view.kind == ViewKind::kChanges || view.kind == ViewKind::kInnovation;
    if (!may_be_sparse && may_be_zero(view.law)) {
      return Error{where + "values are never zero; expected a law of signs"};
    }
  }
  if (!has_views_of(plan.protocol, plan)) {
    return Error{"these are not the views of a plan of " + std::string(name_of(plan.protocol))};
  }
  return {};
}

}  // namespace futurerand
