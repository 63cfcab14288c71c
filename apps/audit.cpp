#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/commands.hpp"
#include "apps/failure.hpp"
#include "apps/flags.hpp"
#include "futurerand/audit/exhaustive.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

struct AuditFlags {
  PlanFlags plan;
  Format format = Format::kText;
  bool exhaustive = false;
};

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
  } visitor;
  return std::visit(visitor, law);
}

struct OrderAudit {
  Order order;
  std::uint32_t length;
  ExhaustiveAudit result;
};

std::vector<OrderAudit> audit_orders(const Plan& plan) {
  std::vector<OrderAudit> audits;
  for (const View& view : plan.views) {
    const std::uint32_t length = view.num_indices(plan.num_periods);
    audits.push_back(
        {view.order, length, or_bad_input(audit_exhaustively(view.law, length, plan.epsilon))});
  }
  return audits;
}

bool all_passed(const std::vector<OrderAudit>& audits) {
  for (const OrderAudit& audit : audits) {
    if (!audit.result.passed()) return false;
  }
  return true;
}

Json to_json(const Plan& plan, const Certificate& certificate,
             const std::vector<OrderAudit>& audits) {
  Json json = {{"protocol", name_of(plan.protocol)},
               {"max_changes", plan.max_changes},
               {"epsilon", plan.epsilon.value()},
               {"exact_epsilon", certificate.exact_epsilon},
               {"gap", certificate.gap},
               {"certified", certificate.certified},
               {"integers", integers_of(plan.views.front().law)}};
  for (const OrderAudit& audit : audits) {
    json["exhaustive"].push_back({{"order", audit.order},
                                  {"length", audit.length},
                                  {"inputs", audit.result.num_inputs},
                                  {"outputs", audit.result.num_outputs},
                                  {"property_one", audit.result.property_one},
                                  {"property_two", audit.result.property_two},
                                  {"property_three", audit.result.property_three},
                                  {"ratio_bounded", audit.result.ratio_bounded},
                                  {"exact_epsilon", audit.result.exact_epsilon}});
  }
  return json;
}

void print_text(const Plan& plan, const Certificate& certificate,
                const std::vector<OrderAudit>& audits) {
  fmt::print("{}: at most {} changes, epsilon {}\n\n", name_of(plan.protocol), plan.max_changes,
             plan.epsilon.text());
  fmt::print("certified      {} (max P / min P against e^{}, in exact integers)\n",
             certificate.certified ? "yes" : "NO", plan.epsilon.text());
  fmt::print("exact epsilon  {:.12g} ({:.1f}% of the budget)\n", certificate.exact_epsilon,
             100 * certificate.exact_epsilon / plan.epsilon.value());
  fmt::print("gap            {:.12g}\n", certificate.gap);
  fmt::print("integers       {}\n", integers_of(plan.views.front().law).dump());
  if (audits.empty()) return;
  fmt::print("\nevery input of -1/0/1, every noise vector, every coin, exact weights:\n");
  fmt::print("{:>6} {:>7} {:>9} {:>8}  {:<4} {:<4} {:<4} {:<6} {}\n", "order", "length", "inputs",
             "outputs", "I", "II", "III", "ratio", "exact epsilon");
  const auto word = [](bool holds) { return holds ? "yes" : "NO"; };
  for (const OrderAudit& audit : audits) {
    fmt::print("{:>6} {:>7} {:>9} {:>8}  {:<4} {:<4} {:<4} {:<6} {:.12g}\n", audit.order,
               audit.length, audit.result.num_inputs, audit.result.num_outputs,
               word(audit.result.property_one), word(audit.result.property_two),
               word(audit.result.property_three), word(audit.result.ratio_bounded),
               audit.result.exact_epsilon);
  }
}

void run(const AuditFlags& flags) {
  const Plan plan = flags.plan.plan();
  const Certificate certificate = or_bad_input(certify(plan)).views.front();
  const std::vector<OrderAudit> audits =
      flags.exhaustive ? audit_orders(plan) : std::vector<OrderAudit>{};
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", to_json(plan, certificate, audits).dump(2));
  } else {
    print_text(plan, certificate, audits);
  }
  if (!certificate.certified || !all_passed(audits)) {
    throw failed("the " + std::string(name_of(plan.protocol)) +
                 " protocol is NOT private at epsilon " + plan.epsilon.text());
  }
}

}  // namespace

void add_audit(CLI::App& app) {
  const auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = app.add_subcommand("audit", "The exact privacy certificate of a protocol");
  flags->plan.add_to(*command, true);
  command->add_flag("--exhaustive", flags->exhaustive,
                    "also run every input, noise vector and coin (small --periods, such as 8)");
  add_format(*command, flags->format);
  command->footer(
      "Example: futurerand audit --protocol future_rand --changes 4 --epsilon 1 --periods 8 "
      "--exhaustive");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
