#include "apps/commands/exhaustive_audit.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/progress.hpp"
#include "futurerand/audit/exhaustive_news.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand::apps {
namespace {

// Over a longer horizon a device reports what it would report over this one, and as often.
constexpr Period kLongest = 1 << 14;

std::optional<View> changes_of_longer_horizons(const Plan& plan) {
  for (Period periods = plan.num_periods; periods <= kLongest; periods *= 2) {
    const Result<Plan> longer = make_plan(plan.protocol, periods, plan.max_changes, plan.epsilon);
    if (!longer) return std::nullopt;
    for (const View& view : longer->views) {
      if (view.kind == ViewKind::kChanges) return view;
    }
  }
  return std::nullopt;
}

struct Exercise {
  std::string view;
  const Law& law;
  std::uint32_t length;
};

}  // namespace

std::vector<LengthAudit> run_exhaustive(const Plan& plan) {
  if (plan.protocol == Protocol::kInnovation) {
    const CertifiedPlan certified = or_bad_input(CertifiedPlan::create(plan));
    return {{describe(plan.views.front()), plan.num_periods,
             or_bad_input(audit_news_exhaustively(certified))}};
  }
  std::vector<Exercise> exercises;
  for (const View& view : plan.views) {
    // A snapshot device reports as often as its law has signs.
    const std::uint32_t length =
        view.kind == ViewKind::kSnapshot ? num_signs(view.law) : view.num_indices(plan.num_periods);
    exercises.push_back({describe(view), view.law, length});
  }
  const bool has_changes = std::any_of(plan.views.begin(), plan.views.end(), [](const View& view) {
    return view.kind == ViewKind::kChanges;
  });
  const std::optional<View> changes = plan.protocol == Protocol::kHybrid && !has_changes
                                          ? changes_of_longer_horizons(plan)
                                          : std::nullopt;
  if (changes) {
    exercises.push_back({"changes, if longer", changes->law, plan.num_periods});
  }
  std::vector<LengthAudit> audits;
  Progress progress("audit " + std::string(name_of(plan.protocol)));
  for (const Exercise& exercise : exercises) {
    const auto show = [&](double share) {
      progress.show((static_cast<double>(audits.size()) + share) /
                    static_cast<double>(exercises.size()));
    };
    audits.push_back({exercise.view, exercise.length,
                      or_bad_input(audit_exhaustively(exercise.law, exercise.length, plan.epsilon,
                                                      run_sign_randomizer, show))});
  }
  return audits;
}

nlohmann::ordered_json to_json(const LengthAudit& run) {
  return {{"view", run.view},
          {"length", run.length},
          {"inputs", run.result.num_inputs},
          {"outputs", run.result.num_outputs},
          {"property_one", run.result.property_one},
          {"property_two", run.result.property_two},
          {"property_three", run.result.property_three},
          {"ratio_bounded", run.result.ratio_bounded},
          {"exact_epsilon", run.result.exact_epsilon}};
}

void print_text(const std::vector<LengthAudit>& runs) {
  fmt::print("\nEvery input, every noise vector and every coin, with exact weights:\n\n");
  fmt::print("{:<20} {:>6} {:>8} {:>8}  {:<4} {:<4} {:<4} {:<6} {}\n", "a device reports", "length",
             "inputs", "outputs", "I", "II", "III", "ratio", "exact epsilon");
  const auto word = [](bool holds) { return holds ? "yes" : "NO"; };
  for (const LengthAudit& run : runs) {
    const ExhaustiveAudit& result = run.result;
    fmt::print("{:<20} {:>6} {:>8} {:>8}  {:<4} {:<4} {:<4} {:<6} {:.12f}\n", run.view, run.length,
               result.num_inputs, result.num_outputs, word(result.property_one),
               word(result.property_two), word(result.property_three), word(result.ratio_bounded),
               result.exact_epsilon);
  }
  fmt::print(
      "\nI, II, III: properties of the paper's section 4.2; ratio: no two inputs differ by "
      "more.\n");
}

}  // namespace futurerand::apps
