#include <optional>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/commands/audit_flags.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {

using Json = nlohmann::ordered_json;

void add_central(const AuditFlags& flags, const Result<double>& central, Json& json) {
  json["shuffled"] = {{"users", flags.users},
                      {"central_epsilon", central ? Json(*central) : Json(nullptr)},
                      {"delta", flags.delta}};
  if (!central) json["shuffled"]["reason"] = central.error().message;
}

void print_central(const AuditFlags& flags, const Result<double>& central) {
  if (central) {
    fmt::print("shuffled       ({:.4f}, {:g}) for what is published, among {} users\n", *central,
               flags.delta, flags.users);
  } else {
    fmt::print("shuffled       no central guarantee: {}\n", central.error().message);
  }
}

// Rivals have no integers to certify: what they lose is computed in floating point.
void audit_rival(const AuditFlags& flags) {
  const std::string& name = flags.plan.protocol;
  const ProtocolSettings settings = flags.settings();
  const auto protocol = or_bad_input(make_simulated_protocol(name, settings));
  if (flags.exhaustive) {
    throw bad_input("--exhaustive: " + name +
                    " has no integers to enumerate; expected one of the protocols that devices run "
                    "from a plan");
  }
  const Guarantee guarantee = protocol->traits().guarantee;
  const SequenceLoss loss = protocol->sequence_loss();
  const double budget = settings.epsilon.value();
  const bool whole = guarantee == Guarantee::kWholeSequence;
  const bool certified = whole && loss.epsilon && *loss.epsilon <= budget * (1 + 1e-12);
  const Result<double> central = protocol->published_epsilon(flags.users, flags.delta);
  std::optional<EmpiricalAudit> empirical;
  if (flags.empirical.asked) {
    empirical = run_empirical(flags.empirical, name, settings, or_bad_input(protocol->client()));
  }
  if (flags.format == Format::kJson) {
    Json json = {{"protocol", name},
                 {"max_changes", settings.max_changes},
                 {"epsilon", budget},
                 {"exact_epsilon", loss.epsilon ? Json(*loss.epsilon) : Json(nullptr)},
                 {"gap", nullptr},
                 {"certified", certified},
                 {"guarantee", name_of(guarantee)},
                 {"meaning", loss.meaning}};
    if (!loss.epsilon) json["unbounded"] = true;
    add_central(flags, central, json);
    if (empirical) json["empirical"] = to_json(flags.empirical, *empirical);
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}: {} periods, at most {} changes, epsilon {}\n\n", name, settings.num_periods,
               settings.max_changes, settings.epsilon.text());
    fmt::print("guarantee      {}{}\n", name_of(guarantee),
               protocol->traits().online ? "" : "; answers only after the last period");
    fmt::print("exact epsilon  {} over the whole sequence\n               ({})\n",
               loss.epsilon ? fmt::format("{:.12g}", *loss.epsilon) : "unbounded", loss.meaning);
    print_central(flags, central);
    if (empirical) print_text(flags.empirical, *empirical);
  }
  if (whole && empirical && empirical->epsilon_at_least > budget) {
    throw failed("the " + name + " protocol is NOT private at epsilon " + settings.epsilon.text());
  }
}

}  // namespace futurerand::apps
