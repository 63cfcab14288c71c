#include "apps/commands/audit_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
namespace {

std::string changes_text(const Flips& flips) {
  if (flips.empty()) return "a user who never changes";
  constexpr std::size_t kMost = 12;
  const auto last = flips.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, flips.size()));
  return fmt::format("a user with changes in {}{}", fmt::join(flips.begin(), last, ", "),
                     flips.size() > kMost ? ", ..." : "");
}

}  // namespace

void print_central(const AuditQuestion& question, const Result<double>& central) {
  if (central) {
    fmt::print(
        "shuffled       ({:.4f}, {:g}) for published estimates, among {}\n               ({})\n",
        *central, question.delta, counted(question.users, "user"), kNoShuffler);
  } else {
    fmt::print("shuffled       no central guarantee: {}\n", central.error().message);
  }
}

void print_exhaustive(const std::vector<LengthAudit>& runs) {
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

void print_empirical(const AuditQuestion& question, const EmpiricalAudit& audit) {
  fmt::print("\nBlack box: {} pairs of sequences, {} samples of each; half choose, half judge.\n",
             audit.num_pairs, question.samples);
  fmt::print("epsilon is at least {:.4f}, with confidence {:g}\n", audit.epsilon_at_least,
             question.confidence);
  fmt::print("the event, made of {} bits, came in {} of {} runs of {}\nand in {} of {}\n",
             audit.positions, audit.seen_likely, audit.judged, changes_text(audit.likely),
             audit.seen_unlikely, changes_text(audit.unlikely));
}

}  // namespace futurerand::apps
