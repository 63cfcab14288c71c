#include "apps/commands/empirical_audit.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/simulation_flags.hpp"

namespace futurerand::apps {
namespace {

// All samples of a pair are in memory at once, and a transcript has two bits a period at most.
void refuse_too_many(const EmpiricalFlags& flags, Period periods) {
  constexpr double kMost = 1 << 30;
  const double bytes = static_cast<double>(flags.samples) * (64 + periods / 4.0);
  if (bytes <= kMost) return;
  throw bad_input(fmt::format(
      "--empirical: {} samples of {} periods take {:.0f} GiB; expected at most 1, so fewer of "
      "either",
      flags.samples, periods, bytes / kMost));
}

std::string changes_text(const Flips& flips) {
  if (flips.empty()) return "a user who never changes";
  constexpr std::size_t kMost = 12;
  const auto last = flips.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, flips.size()));
  return fmt::format("a user who changes in {}{}", fmt::join(flips.begin(), last, ", "),
                     flips.size() > kMost ? ", ..." : "");
}

}  // namespace

void EmpiricalFlags::add_to(CLI::App& command) {
  command.add_flag("--empirical", asked,
                   "also test the client as a black box, on many pairs of sequences");
  command
      .add_option("--samples", samples,
                  "runs of each sequence of a pair; half of them choose an event, half judge it")
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{1} << 30))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--confidence", confidence, "how sure the lower bound that is found shall be")
      ->check(CLI::Range(0.5, 0.999999999))
      ->check(is_number)
      ->capture_default_str()
      ->type_name("SHARE");
  command.add_option("--seed", seed, "makes the test reproducible")->type_name("S");
}

EmpiricalAudit run_empirical(const EmpiricalFlags& flags, const std::string& protocol,
                             const ProtocolSettings& settings, const ClientRun& client) {
  refuse_too_many(flags, settings.num_periods);
  SimulationFlags simulation;
  simulation.seed = flags.seed;
  EmpiricalSettings empirical;
  empirical.key = simulation.key();
  empirical.samples = flags.samples;
  empirical.confidence = flags.confidence;
  empirical.threads = std::max(1U, std::thread::hardware_concurrency());
  empirical.cancel = &catch_interrupts();
  Progress progress("audit " + protocol);
  empirical.progress = [&](double share) { progress.show(share); };
  Result<EmpiricalAudit> audit = audit_empirically(
      client, audited_pairs(settings.num_periods, settings.max_changes, empirical.key), empirical);
  stop_if_interrupted();
  if (!audit) throw failed(audit.error().message);
  return *std::move(audit);
}

nlohmann::ordered_json to_json(const EmpiricalFlags& flags, const EmpiricalAudit& audit) {
  return {{"epsilon_at_least", audit.epsilon_at_least},
          {"confidence", flags.confidence},
          {"samples", flags.samples},
          {"seeded", flags.seed.has_value()},
          {"pairs", audit.num_pairs},
          {"likely_changes", audit.likely},
          {"unlikely_changes", audit.unlikely},
          {"event_positions", audit.positions},
          {"judged", audit.judged},
          {"seen_likely", audit.seen_likely},
          {"seen_unlikely", audit.seen_unlikely}};
}

void print_text(const EmpiricalFlags& flags, const EmpiricalAudit& audit) {
  fmt::print("\nBlack box: {} pairs of sequences, {} samples of each; half choose, half judge.\n",
             audit.num_pairs, flags.samples);
  fmt::print("epsilon is at least {:.4f}, with confidence {:g}\n", audit.epsilon_at_least,
             flags.confidence);
  fmt::print("the event, made of {} bits, came in {} of {} runs of {}\nand in {} of {}\n",
             audit.positions, audit.seen_likely, audit.judged, changes_text(audit.likely),
             audit.seen_unlikely, changes_text(audit.unlikely));
}

}  // namespace futurerand::apps
