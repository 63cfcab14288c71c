#include "futurerand/client/plan_digest.hpp"
#include "futurerand/study/audit.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const LengthAudit& run) {
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

Json to_json(const AuditQuestion& question, const EmpiricalAudit& audit) {
  return {{"epsilon_at_least", audit.epsilon_at_least},
          {"confidence", question.confidence},
          {"samples", question.samples},
          {"seeded", question.seed.has_value()},
          {"pairs", audit.num_pairs},
          {"likely_changes", audit.likely},
          {"unlikely_changes", audit.unlikely},
          {"event_positions", audit.positions},
          {"judged", audit.judged},
          {"seen_likely", audit.seen_likely},
          {"seen_unlikely", audit.seen_unlikely}};
}

// The effect of shuffling on the server's published estimates.
void add_central(const AuditQuestion& question, const Result<double>& central, Json& json) {
  json["shuffled"] = {{"users", question.users},
                      {"central_epsilon", central ? Json(*central) : Json(nullptr)},
                      {"delta", question.delta},
                      {"note", kNoShuffler}};
  if (!central) json["shuffled"]["reason"] = central.error().message;
}

}  // namespace

Json to_json(const AuditQuestion& question, const PlanAudit& audit, std::string_view version) {
  Json json = Json::parse(
      certificate_document(audit.plan, audit.certificate, plan_digest(audit.plan), version));
  add_central(question, audit.central, json);
  if (audit.empirical) json["empirical"] = to_json(question, *audit.empirical);
  for (const LengthAudit& run : audit.exhaustive) json["exhaustive"].push_back(to_json(run));
  if (audit.seasons) put_budget(*audit.seasons, json["seasons"]);
  return json;
}

Json to_json(const AuditQuestion& question, const RivalAudit& audit, std::string_view version) {
  const ProtocolSettings& settings = audit.settings;
  const SequenceLoss& loss = audit.loss;
  Json json = {{"protocol", audit.name},
               {"periods", settings.num_periods},
               {"max_changes", settings.max_changes},
               {"epsilon", settings.epsilon.value()},
               {"exact_epsilon", loss.epsilon ? Json(*loss.epsilon) : Json(nullptr)},
               {"gap", nullptr},
               {"certified", false},
               {"verdict", audit.keeps_epsilon ? "keeps epsilon, not certified" : "not private"},
               {"guarantee", name_of(audit.guarantee)},
               {"meaning", loss.meaning},
               {"version", version},
               {"digest", nullptr},
               {"plan", nullptr},
               {"views", Json::array()}};
  if (!loss.epsilon) json["unbounded"] = true;
  add_central(question, audit.central, json);
  if (audit.empirical) json["empirical"] = to_json(question, *audit.empirical);
  return json;
}

}  // namespace futurerand
