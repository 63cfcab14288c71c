#include <optional>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/version.hpp"
#include "apps/cli/words.hpp"
#include "apps/commands/audit_flags.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kNoShuffler =
    "no shuffler ships with futurerand: this is what one would give";

}  // namespace

void add_central(const AuditFlags& flags, const Result<double>& central, Json& json) {
  json["shuffled"] = {{"users", flags.users},
                      {"central_epsilon", central ? Json(*central) : Json(nullptr)},
                      {"delta", flags.delta},
                      {"note", kNoShuffler}};
  if (!central) json["shuffled"]["reason"] = central.error().message;
}

void print_central(const AuditFlags& flags, const Result<double>& central) {
  if (central) {
    fmt::print(
        "shuffled       ({:.4f}, {:g}) for what is published, among {}\n               ({})\n",
        *central, flags.delta, counted(flags.users, "user"), kNoShuffler);
  } else {
    fmt::print("shuffled       no central guarantee: {}\n", central.error().message);
  }
}

// Rivals have no integers to certify, so what they lose is computed in floating point.
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
                 {"periods", settings.num_periods},
                 {"max_changes", settings.max_changes},
                 {"epsilon", budget},
                 {"exact_epsilon", loss.epsilon ? Json(*loss.epsilon) : Json(nullptr)},
                 {"gap", nullptr},
                 {"certified", certified},
                 {"verdict", certified ? "certified" : "not certified"},
                 {"guarantee", name_of(guarantee)},
                 {"meaning", loss.meaning},
                 {"version", kVersion},
                 {"digest", nullptr},
                 {"plan", nullptr},
                 {"views", Json::array()}};
    if (!loss.epsilon) json["unbounded"] = true;
    add_central(flags, central, json);
    if (empirical) json["empirical"] = to_json(flags.empirical, *empirical);
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}: {}, at most {}, epsilon {}\n\n", name, counted(settings.num_periods, "period"),
               counted(settings.max_changes, "change"), settings.epsilon.text());
    fmt::print("certified      {}\n",
               certified ? "yes (in floating point: it has no integers)" : "NO");
    fmt::print("guarantee      {}{}\n", name_of(guarantee),
               protocol->traits().online ? "" : "; answers only after the last period");
    fmt::print("exact epsilon  {} over the whole sequence\n               ({})\n",
               loss.epsilon ? fmt::format("{:.12g}", *loss.epsilon) : "unbounded", loss.meaning);
    print_central(flags, central);
    if (empirical) print_text(flags.empirical, *empirical);
  }
  if (!certified || (empirical && empirical->epsilon_at_least > budget)) {
    throw not_certified(name + " is not certified: it is not private at epsilon " +
                        settings.epsilon.text() + " over the whole sequence");
  }
}

}  // namespace futurerand::apps
