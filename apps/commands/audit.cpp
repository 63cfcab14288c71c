#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/flags.hpp"
#include "apps/cli/long_work.hpp"
#include "apps/cli/output_file.hpp"
#include "apps/cli/version.hpp"
#include "apps/commands/audit_text.hpp"
#include "apps/commands/audited_plan.hpp"
#include "apps/commands/commands.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/study/coq_file.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand::apps {
namespace {

struct AuditFlags {
  AuditQuestion question;
  std::string plan_file;     // audit the plan in this file
  std::string metric;        // or the plan of the metric at this address
  std::string ca_file;       // CA certificates to trust there
  std::string token_file;    // the token to show there
  std::string coq_file;      // file for the plan's theorem; empty: none
  bool names_users = false;  // --users was given
  bool names_delta = false;  // --delta was given
  Format format = Format::kText;
};

// True if the loss is an upper bound and not exact: the table of a longer weighted law rounds
// (score_table.hpp).
bool is_bound(const Plan& plan) {
  return std::any_of(plan.views.begin(), plan.views.end(), [](const View& view) {
    const auto* law = std::get_if<WeightedThresholdLaw>(&view.law);
    if (law == nullptr) return false;
    return law->num_signs > (law->rarity() == 0 ? 63 : 63 / (law->rarity() + 1) - 1);
  });
}

// Gaps are rounded to 2^-40.
constexpr double kMostOff = 1e-6;

void print_text(const AuditFlags& flags, const PlanAudit& audit) {
  const AuditQuestion& question = flags.question;
  const Plan& plan = audit.plan;
  const PlanCertificate& certificate = audit.certificate;
  const nlohmann::ordered_json document = nlohmann::ordered_json::parse(
      certificate_document(plan, certificate, plan_digest(plan), kVersion));
  fmt::print("{}: {}, at most {}, epsilon {}\n\n", name_of(plan.protocol),
             counted(plan.num_periods, "period"), counted(plan.max_changes, "change"),
             plan.epsilon.text());
  fmt::print("certified      {} (max P / min P against e^{}, in exact integers)\n",
             certificate.certified() ? "yes" : "NO", plan.epsilon.text());
  fmt::print("epsilon spent  {:.12g} ({:.1f}% of the budget{})\n", certificate.exact_epsilon(),
             100 * certificate.exact_epsilon() / plan.epsilon.value(),
             is_bound(plan) ? "; a certified upper bound" : "");
  if (certificate.certified()) {
    fmt::print("guarantee      {}\n",
               name_of(audit.seasons ? Guarantee::kWindow : Guarantee::kWholeSequence));
  }
  if (const std::optional<SeasonBudget>& budget = audit.seasons;
      budget && certificate.certified()) {
    fmt::print(
        "seasons        epsilon {:.4g} in each, {:.4g} in any {} in a row, {:.4g} in a life "
        "of {}\n",
        budget->epsilon, budget->epsilon_in_window(),
        counted(static_cast<std::uint64_t>(budget->window), "period"), budget->epsilon_in_life(),
        counted(static_cast<std::uint64_t>(budget->life), "period"));
  }
  fmt::print("plan           {}\n", document["digest"].get<std::string>());
  if (flags.names_delta && certificate.certified()) print_central(question, audit.central);
  fmt::print("\n{:<20} {:>6} {:>16} {:>16}  {}\n", "a device reports", "signs", "epsilon spent",
             "gap", "integers of the law");
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    // The paper's framework has one law at every order: it is listed once.
    const bool one_law =
        plan.views.size() > 1 && std::all_of(plan.views.begin(), plan.views.end(),
                                             [&](const View& it) { return it.law == view.law; });
    fmt::print("{:<20} {:>6} {:>16.12g} {:>16.12g}  {}\n",
               one_law ? "changes, any order" : describe(view), num_signs(view.law),
               certificate.views[v].exact_epsilon, certificate.views[v].gap,
               document["views"][v]["integers"].dump());
    if (!one_law) continue;
    fmt::print("{:<20} {}\n", "",
               fmt::format("(the same law at each of the {} orders)", plan.views.size()));
    break;
  }
  fmt::print(
      "signs: how many a device draws as noise when it joins; gap: how much more often a "
      "sign is true than false\n");
  if (const std::optional<double> off = gaps_off(plan)) {
    const bool match = *off < kMostOff;
    fmt::print("\nThe gaps of the plan {} those of its law (off by {:.2g}){}.\n",
               match ? "are" : "are NOT", *off,
               match ? "" : ": counts would be biased; privacy does not depend on them");
  }
  if (audit.empirical) print_empirical(question, *audit.empirical);
  if (!audit.exhaustive.empty()) print_exhaustive(audit.exhaustive);
}

void run_plan(const AuditFlags& flags, const Plan& plan) {
  const AuditQuestion& question = flags.question;
  const PlanAudit audit = [&] {
    ProgressBar progress("audit " + std::string(name_of(plan.protocol)));
    return or_end(audit_plan(plan, question, progress_of(progress)));
  }();
  if (!flags.coq_file.empty()) {
    const std::string theorem = coq_file(plan, kVersion);
    OutputFile file(flags.coq_file);
    file.write(theorem);
    file.commit();
  }
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", to_json(question, audit, kVersion).dump(2));
  } else {
    print_text(flags, audit);
  }
  if (!audit.passed()) {
    throw not_certified("the " + std::string(name_of(plan.protocol)) +
                        " protocol is NOT private at epsilon " + plan.epsilon.text());
  }
}

void print_text(const AuditFlags& flags, const RivalAudit& audit) {
  const AuditQuestion& question = flags.question;
  const ProtocolSettings& settings = audit.settings;
  fmt::print("{}: {}, at most {}, epsilon {}\n\n", audit.name,
             counted(settings.num_periods, "period"), counted(settings.max_changes, "change"),
             settings.epsilon.text());
  fmt::print("keeps epsilon  {}\n",
             audit.keeps_epsilon ? "yes (computed in floating point, not certified)" : "NO");
  fmt::print("guarantee      {}{}\n", name_of(audit.guarantee),
             audit.online ? "" : "; answers only after the last period");
  fmt::print("epsilon spent  {} over the whole sequence\n               ({})\n",
             audit.loss.epsilon ? fmt::format("{:.12g}", *audit.loss.epsilon) : "unbounded",
             audit.loss.meaning);
  if (flags.names_delta && audit.keeps_epsilon) print_central(question, audit.central);
  if (audit.empirical) print_empirical(question, *audit.empirical);
}

void run_rival(const AuditFlags& flags, const std::string& name) {
  const AuditQuestion& question = flags.question;
  if (!flags.coq_file.empty()) {
    throw bad_input("--coq: " + name +
                    " has no integers to prove anything about; expected one of " +
                    "the protocols that devices run from a plan");
  }
  const RivalAudit audit = [&] {
    ProgressBar progress("audit " + name);
    return or_end(audit_rival(name, question, progress_of(progress)));
  }();
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", to_json(question, audit, kVersion).dump(2));
  } else {
    print_text(flags, audit);
  }
  if (!audit.passed()) {
    throw not_certified(name + " is not private at epsilon " + audit.settings.epsilon.text() +
                        " over the whole sequence");
  }
}

// The metric's seasons take precedence over the flags.
void run_audited(AuditFlags flags, const AuditedPlan& audited) {
  if (audited.seasons) {
    flags.question.every = static_cast<Period>(audited.seasons->every());
    flags.question.rest = static_cast<Period>(audited.seasons->rest());
  }
  run_plan(flags, audited.plan);
}

void run(const AuditFlags& flags) {
  if (!flags.plan_file.empty()) return run_audited(flags, read_plan_file(flags.plan_file));
  if (!flags.metric.empty()) {
    const AuditedPlan deployed = fetch_plan(flags.metric, flags.ca_file, flags.token_file);
    AuditFlags asked = flags;
    if (!flags.names_users) asked.question.users = deployed.devices;
    return run_audited(asked, deployed);
  }
  const std::string name = or_bad_input(chosen_protocol(flags.question));
  if (const std::optional<Protocol> protocol = protocol_named(name)) {
    return run_plan(flags, or_bad_input(flags.question.plan(*protocol)));
  }
  run_rival(flags, name);
}

}  // namespace

void add_audit(CLI::App& app) {
  const auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = app.add_subcommand(
      "audit", "Compute the privacy certificate of a protocol, in exact integers");
  add_flags(*command, audit_options(flags->question));
  CLI::Option* file = command->add_option("--plan", flags->plan_file,
                                          "audit the plan in this file: JSON of a plan, a metric, "
                                          "a certificate or the first line of reports");
  CLI::Option* metric = command->add_option(
      "--metric", flags->metric,
      "audit this deployed metric, such as http://127.0.0.1:8080/v1/metrics/dark-mode");
  file->type_name("FILE")->excludes(metric);
  metric->type_name("URL");
  command
      ->add_option("--ca-file", flags->ca_file,
                   "CA certificates to trust, as PEM (default: the system's)")
      ->type_name("FILE")
      ->needs(metric);
  command
      ->add_option("--token-file", flags->token_file,
                   "file with a token, if the collector asks for one")
      ->type_name("FILE")
      ->needs(metric);
  for (const Option& described : protocol_options(flags->question)) {
    file->excludes(command->get_option(described.flag()));
    metric->excludes(command->get_option(described.flag()));
  }
  command
      ->add_option("--coq", flags->coq_file,
                   "write the plan's integers and the theorem of their privacy as a Coq file, for "
                   "proofs/check")
      ->type_name("FILE");
  add_format(*command, flags->format);
  command->footer(
      "Example: futurerand audit --protocol future_rand --changes 4 --epsilon 1 --periods 8 "
      "--exhaustive");
  const CLI::Option* users = command->get_option("--users");
  const CLI::Option* delta = command->get_option("--delta");
  command->callback([flags, users, delta] {
    flags->names_users = users->count() > 0;
    flags->names_delta = delta->count() > 0;
    run(*flags);
  });
}

}  // namespace futurerand::apps
