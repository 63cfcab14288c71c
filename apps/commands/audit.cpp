#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/constant_flags.hpp"
#include "apps/cli/failure.hpp"
#include "apps/commands/audit_flags.hpp"
#include "apps/commands/commands.hpp"
#include "futurerand/audit/exhaustive.hpp"
#include "futurerand/audit/exhaustive_news.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/privacy/shuffle.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/device_client.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

Json integers_of(const Law& law) {
  struct {
    Json operator()(const ProductLaw& p) {
      return {{"shape", "product"}, {"signs", p.num_signs}, {"flip", p.flip}};
    }
    Json operator()(const SingleLaw& s) {
      return {{"shape", "single"}, {"signs", s.num_signs}, {"flip", s.flip}};
    }
    Json operator()(const AnnulusLaw& a) {
      return {{"shape", "annulus"},
              {"signs", a.num_signs},
              {"flip", a.flip},
              {"first_kept", a.first_kept},
              {"last_kept", a.last_kept}};
    }
    Json operator()(const ThresholdLaw& t) {
      return {
          {"shape", "threshold"}, {"signs", t.num_signs}, {"tau", t.tau}, {"low_side", t.low_side}};
    }
    Json operator()(const QuietLaw& q) {
      return {{"shape", "quiet"},
              {"signs", q.num_signs},
              {"speak", q.speak},
              {"tau", q.tau},
              {"loud_side", q.loud_side}};
    }
    Json operator()(const WeightedThresholdLaw& w) {
      Json json = {{"shape", "weighted_threshold"}, {"signs", w.num_signs}};
      for (const auto& level : w.levels) {
        json["stocks"].push_back(level.stock);
        json["weights"].push_back(level.weight);
        json["gaps"].push_back(level.gap);
      }
      json["theta"] = w.theta;
      json["loud_side"] = w.loud_side;
      return json;
    }
  } visitor;
  return std::visit(visitor, law);
}

// One law of the plan. The paper's framework has the same one at every order: it is listed once.
struct ViewAudit {
  View view;
  Certificate certificate;
};

struct LengthAudit {
  View view;
  std::uint32_t length;
  ExhaustiveAudit result;
};

struct Audit {
  Plan plan;
  PlanCertificate certificate;
  std::vector<ViewAudit> views;
  std::vector<LengthAudit> exhaustive;
  std::optional<EmpiricalAudit> empirical = {};

  bool passed() const {
    if (empirical && empirical->epsilon_at_least > plan.epsilon.value()) return false;
    return certificate.certified() &&
           std::all_of(exhaustive.begin(), exhaustive.end(),
                       [](const LengthAudit& audit) { return audit.result.passed(); });
  }
};

std::string describe(const View& view) {
  switch (view.kind) {
    case ViewKind::kChanges:
      return fmt::format("changes over {}", Period{1} << view.order);
    case ViewKind::kSnapshot:
      return fmt::format("snapshot every {}", Period{1} << view.order);
    case ViewKind::kValues:
      return "every value";
    case ViewKind::kNews:
      return "news of every period";
  }
  std::abort();
}

// How far the gaps of an innovation plan are from those of its law, as a share; none for others.
constexpr double kMostOff = 1e-6;
std::optional<double> gaps_off(const Plan& plan) {
  const auto* law = std::get_if<WeightedThresholdLaw>(&plan.views.front().law);
  if (law == nullptr) return std::nullopt;
  const std::vector<double> gaps = gaps_of(*law);
  double off = 0;
  for (std::size_t l = 0; l < gaps.size(); ++l) {
    const double stated = std::ldexp(static_cast<double>(law->levels[l].gap),
                                     -static_cast<int>(WeightedThresholdLaw::kGapBits));
    off = std::max(off, std::abs(stated / gaps[l] - 1));
  }
  return off;
}

Audit audit(const Plan& plan, bool exhaustive) {
  Audit audit{plan, or_bad_input(certify(plan)), {}, {}};
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    if (v == 0 || view.law != plan.views[v - 1].law || plan.protocol == Protocol::kHybrid) {
      audit.views.push_back({view, audit.certificate.views[v]});
    }
    if (!exhaustive) continue;
    if (view.kind == ViewKind::kNews) {
      const CertifiedPlan certified = or_bad_input(CertifiedPlan::create(plan));
      audit.exhaustive.push_back(
          {view, plan.num_periods, or_bad_input(audit_news_exhaustively(certified))});
      continue;
    }
    // A snapshot device reports as often as its law has signs.
    const std::uint32_t length =
        view.kind == ViewKind::kSnapshot ? num_signs(view.law) : view.num_indices(plan.num_periods);
    audit.exhaustive.push_back(
        {view, length, or_bad_input(audit_exhaustively(view.law, length, plan.epsilon))});
  }
  return audit;
}

Json to_json(const Plan& plan, const ViewAudit& view) {
  return {
      {"view", describe(view.view)},
      {"max_changes", num_signs(view.view.law)},
      {"epsilon", plan.epsilon.value()},
      {"exact_epsilon", view.certificate.exact_epsilon},
      {"gap", view.certificate.gap},
      {"certified", view.certificate.certified},
      {"share", static_cast<double>(view.view.weight) / static_cast<double>(plan.total_weight())},
      {"integers", integers_of(view.view.law)}};
}

Json to_json(const AuditFlags& flags, const Audit& audit, const Result<double>& central) {
  const bool one_law = audit.views.size() == 1;
  Json json = {{"protocol", name_of(audit.plan.protocol)},
               {"max_changes", audit.plan.max_changes},
               {"epsilon", audit.plan.epsilon.value()},
               {"exact_epsilon", audit.certificate.exact_epsilon()},
               {"gap", one_law ? Json(audit.views[0].certificate.gap) : Json(nullptr)},
               {"certified", audit.certificate.certified()}};
  if (one_law) {
    json["integers"] = integers_of(audit.views[0].view.law);
  } else {
    for (const ViewAudit& view : audit.views) json["views"].push_back(to_json(audit.plan, view));
  }
  if (const std::optional<double> off = gaps_off(audit.plan)) json["gaps_off"] = *off;
  json["guarantee"] = name_of(Guarantee::kWholeSequence);
  add_central(flags, central, json);
  if (audit.empirical) json["empirical"] = to_json(flags.empirical, *audit.empirical);
  for (const LengthAudit& run : audit.exhaustive) {
    json["exhaustive"].push_back({{"view", describe(run.view)},
                                  {"length", run.length},
                                  {"inputs", run.result.num_inputs},
                                  {"outputs", run.result.num_outputs},
                                  {"property_one", run.result.property_one},
                                  {"property_two", run.result.property_two},
                                  {"property_three", run.result.property_three},
                                  {"ratio_bounded", run.result.ratio_bounded},
                                  {"exact_epsilon", run.result.exact_epsilon}});
  }
  return json;
}

void print_text(const AuditFlags& flags, const Audit& audit, const Result<double>& central) {
  const Plan& plan = audit.plan;
  const double budget = plan.epsilon.value();
  fmt::print("{}: {} periods, at most {} changes, epsilon {}\n\n", name_of(plan.protocol),
             plan.num_periods, plan.max_changes, plan.epsilon.text());
  fmt::print("certified      {} (max P / min P against e^{}, in exact integers)\n",
             audit.certificate.certified() ? "yes" : "NO", plan.epsilon.text());
  fmt::print("exact epsilon  {:.12g} ({:.1f}% of the budget)\n", audit.certificate.exact_epsilon(),
             100 * audit.certificate.exact_epsilon() / budget);
  fmt::print("guarantee      {}\n", name_of(Guarantee::kWholeSequence));
  print_central(flags, central);
  fmt::print("\n{:<20} {:>6} {:>16} {:>16}  {}\n", "a device reports", "signs", "exact epsilon",
             "gap", "integers of the law");
  for (const ViewAudit& view : audit.views) {
    fmt::print("{:<20} {:>6} {:>16.12g} {:>16.12g}  {}\n",
               audit.views.size() == 1 && plan.views.size() > 1 ? "changes, any order"
                                                                : describe(view.view),
               num_signs(view.view.law), view.certificate.exact_epsilon, view.certificate.gap,
               integers_of(view.view.law).dump());
  }
  if (const std::optional<double> off = gaps_off(plan)) {
    const bool match = *off < kMostOff;
    fmt::print("\nThe gaps of the plan {} those of its law (off by {:.2g}){}.\n",
               match ? "are" : "are NOT", *off,
               match ? "" : ": counts would be biased; privacy does not depend on them");
  }
  if (audit.empirical) print_text(flags.empirical, *audit.empirical);
  if (audit.exhaustive.empty()) return;
  const bool news = plan.protocol == Protocol::kInnovation;
  fmt::print("\nEvery input of {}, every noise vector and every coin, with exact weights:\n\n",
             news ? "0/1" : "-1/0/1");
  fmt::print("{:<20} {:>6} {:>8} {:>8}  {:<4} {:<4} {:<4} {:<6} {}\n", "a device reports", "length",
             "inputs", "outputs", "I", "II", "III", "ratio", "exact epsilon");
  const auto word = [](bool holds) { return holds ? "yes" : "NO"; };
  for (const LengthAudit& run : audit.exhaustive) {
    const ExhaustiveAudit& result = run.result;
    fmt::print("{:<20} {:>6} {:>8} {:>8}  {:<4} {:<4} {:<4} {:<6} {:.12f}\n", describe(run.view),
               run.length, result.num_inputs, result.num_outputs, word(result.property_one),
               word(result.property_two), word(result.property_three), word(result.ratio_bounded),
               result.exact_epsilon);
  }
}

void run_plan(const AuditFlags& flags) {
  Audit result = audit(flags.plan.plan(), flags.exhaustive);
  if (flags.empirical.asked) {
    result.empirical =
        run_empirical(flags.empirical, flags.plan.protocol, flags.settings(),
                      device_client(or_bad_input(CertifiedPlan::create(result.plan))));
  }
  const Result<double> central =
      shuffled_epsilon(result.certificate.exact_epsilon(), flags.users, flags.delta);
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", to_json(flags, result, central).dump(2));
  } else {
    print_text(flags, result, central);
  }
  if (!result.passed()) {
    throw failed("the " + std::string(name_of(result.plan.protocol)) +
                 " protocol is NOT private at epsilon " + result.plan.epsilon.text());
  }
}

void run(const AuditFlags& flags) {
  const std::vector<std::string_view> names = simulated_protocol_names();
  if (std::find(names.begin(), names.end(), flags.plan.protocol) == names.end()) {
    throw bad_input("--protocol: '" + flags.plan.protocol + "' is unknown; expected one of " +
                    join(names));
  }
  protocol_named(flags.plan.protocol) ? run_plan(flags) : audit_rival(flags);
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
  command->add_flag("--exhaustive", flags->exhaustive,
                    "also run every input, noise vector and coin (small --periods, such as 8)");
  flags->empirical.add_to(*command);
  command->add_option("--users", flags->users, "among whom reports are shuffled, if they are")
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
