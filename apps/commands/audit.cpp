#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/constant_flags.hpp"
#include "apps/cli/failure.hpp"
#include "apps/cli/version.hpp"
#include "apps/cli/words.hpp"
#include "apps/commands/audit_flags.hpp"
#include "apps/commands/audited_plan.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/exhaustive_audit.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/core/privacy/shuffle.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/device_client.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

// Gaps are rounded to 2^-40.
constexpr double kMostOff = 1e-6;

struct Audit {
  Plan plan;
  PlanCertificate certificate;
  std::vector<LengthAudit> exhaustive = {};
  std::optional<EmpiricalAudit> empirical = {};

  bool passed() const {
    if (empirical && empirical->epsilon_at_least > plan.epsilon.value()) return false;
    return certificate.certified() &&
           std::all_of(exhaustive.begin(), exhaustive.end(),
                       [](const LengthAudit& audit) { return audit.result.passed(); });
  }
};

Json to_json(const AuditFlags& flags, const Audit& audit, const Result<double>& central) {
  Json json =
      certificate_document(audit.plan, audit.certificate, plan_digest(audit.plan), kVersion);
  add_central(flags, central, json);
  if (audit.empirical) json["empirical"] = to_json(flags.empirical, *audit.empirical);
  for (const LengthAudit& run : audit.exhaustive) json["exhaustive"].push_back(to_json(run));
  return json;
}

void print_text(const AuditFlags& flags, const Audit& audit, const Result<double>& central) {
  const Plan& plan = audit.plan;
  const PlanCertificate& certificate = audit.certificate;
  const Json document = certificate_document(plan, certificate, plan_digest(plan), kVersion);
  fmt::print("{}: {}, at most {}, epsilon {}\n\n", name_of(plan.protocol),
             counted(plan.num_periods, "period"), counted(plan.max_changes, "change"),
             plan.epsilon.text());
  fmt::print("certified      {} (max P / min P against e^{}, in exact integers)\n",
             certificate.certified() ? "yes" : "NO", plan.epsilon.text());
  fmt::print("exact epsilon  {:.12g} ({:.1f}% of the budget)\n", certificate.exact_epsilon(),
             100 * certificate.exact_epsilon() / plan.epsilon.value());
  fmt::print("guarantee      {}\n", name_of(Guarantee::kWholeSequence));
  fmt::print("plan           {}\n", document["digest"].get<std::string>());
  print_central(flags, central);
  fmt::print("\n{:<20} {:>6} {:>16} {:>16}  {}\n", "a device reports", "signs", "exact epsilon",
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
  if (audit.empirical) print_text(flags.empirical, *audit.empirical);
  if (!audit.exhaustive.empty()) print_text(audit.exhaustive);
}

void run_plan(const AuditFlags& flags, const Plan& plan) {
  Audit result{plan, or_bad_input(certify(plan))};
  if (flags.exhaustive) result.exhaustive = run_exhaustive(plan);
  if (flags.empirical.asked) {
    result.empirical =
        run_empirical(flags.empirical, std::string(name_of(plan.protocol)), flags.settings(plan),
                      device_client(or_bad_input(CertifiedPlan::create(plan))));
  }
  const Result<double> central =
      shuffled_epsilon(result.certificate.exact_epsilon(), flags.users, flags.delta);
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", to_json(flags, result, central).dump(2));
  } else {
    print_text(flags, result, central);
  }
  if (!result.passed()) {
    throw not_certified("the " + std::string(name_of(plan.protocol)) +
                        " protocol is NOT private at epsilon " + plan.epsilon.text());
  }
}

void run(const AuditFlags& flags) {
  if (!flags.plan_file.empty()) return run_plan(flags, read_plan_file(flags.plan_file));
  if (!flags.metric.empty())
    return run_plan(flags, fetch_plan(flags.metric, flags.ca_file, flags.token_file));
  const std::vector<std::string_view> names = simulated_protocol_names();
  if (std::find(names.begin(), names.end(), flags.plan.protocol) == names.end()) {
    throw bad_input("--protocol: '" + flags.plan.protocol + "' is unknown; expected one of " +
                    join(names));
  }
  protocol_named(flags.plan.protocol) ? run_plan(flags, flags.plan.plan()) : audit_rival(flags);
}

}  // namespace

void add_audit(CLI::App& app) {
  const auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = app.add_subcommand("audit", "The exact privacy certificate of a protocol");
  command
      ->add_option("--protocol", flags->plan.protocol, "one of " + join(simulated_protocol_names()))
      ->capture_default_str()
      ->type_name("NAME");
  flags->plan.add_to(*command, false);
  CLI::Option* file = command->add_option("--plan", flags->plan_file,
                                          "audit the plan in this file instead: JSON of a plan, of "
                                          "a metric or of the first line of reports");
  CLI::Option* metric = command->add_option("--metric", flags->metric,
                                            "audit what is deployed instead, such as "
                                            "http://127.0.0.1:8080/v1/metrics/dark-mode");
  file->type_name("FILE")->excludes(metric);
  metric->type_name("URL");
  command
      ->add_option("--ca-file", flags->ca_file,
                   "whose certificates are believed (PEM); without it the system's authorities")
      ->type_name("FILE")
      ->needs(metric);
  command->add_option("--token-file", flags->token_file, "what a collector that is closed asks for")
      ->type_name("FILE")
      ->needs(metric);
  for (const char* typed : {"--protocol", "--periods", "--changes", "--epsilon"}) {
    file->excludes(command->get_option(typed));
    metric->excludes(command->get_option(typed));
  }
  command->add_flag("--exhaustive", flags->exhaustive,
                    "also run every input, noise vector and coin (small --periods, such as 8)");
  flags->empirical.add_to(*command);
  command
      ->add_option("--users", flags->users,
                   "how many users' reports are shuffled together, if they are")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str()
      ->type_name("N");
  add_delta(*command, flags->delta);
  add_format(*command, flags->format);
  add_constant_flags(*command, flags->constants);
  command->footer(
      "Example: futurerand audit --protocol future_rand --changes 4 --epsilon 1 --periods 8 "
      "--exhaustive");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
