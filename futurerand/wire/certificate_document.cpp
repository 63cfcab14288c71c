#include "futurerand/wire/certificate_document.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// What every plan that devices follow promises, in the words of `audit`.
constexpr std::string_view kGuarantee = "private over the whole sequence";

}  // namespace

std::optional<double> common_gap(const PlanCertificate& certificate) {
  const double first = certificate.views.front().gap;
  for (const Certificate& view : certificate.views) {
    if (view.gap != first) return std::nullopt;
  }
  return first;
}

std::string describe(const View& view) {
  switch (view.kind) {
    case ViewKind::kChanges:
      return "changes over " + std::to_string(Period{1} << view.order);
    case ViewKind::kSnapshot:
      return "snapshot every " + std::to_string(Period{1} << view.order);
    case ViewKind::kValues:
      return "every value";
    case ViewKind::kInnovation:
      return "innovation of every period";
  }
  std::abort();
}

std::optional<double> gaps_off(const Plan& plan) {
  const auto* law = std::get_if<WeightedThresholdLaw>(&plan.views.front().law);
  if (law == nullptr) return std::nullopt;
  const std::vector<LevelMoments> moments = moments_of(*law);
  double off = 0;
  for (std::size_t l = 0; l < moments.size(); ++l) {
    const double stated = std::ldexp(static_cast<double>(law->levels[l].gap),
                                     -static_cast<int>(WeightedThresholdLaw::kGapBits));
    off = std::max(off, std::abs(stated / moments[l].mean - 1));
  }
  return off;
}

nlohmann::ordered_json certificate_document(const Plan& plan, const PlanCertificate& certificate,
                                            std::string_view digest, std::string_view version) {
  using Json = nlohmann::ordered_json;
  const std::optional<double> gap = common_gap(certificate);
  // This is the text whose digest is taken; it is parsed in its order, so that it can be printed
  // back.
  const Json written = Json::parse(to_json(plan), nullptr, false);
  Json json = {{"protocol", name_of(plan.protocol)},
               {"periods", plan.num_periods},
               {"max_changes", plan.max_changes},
               {"epsilon", plan.epsilon.value()},
               {"exact_epsilon", certificate.exact_epsilon()},
               {"gap", gap ? Json(*gap) : Json(nullptr)},
               {"certified", certificate.certified()},
               {"verdict", certificate.certified() ? "certified" : "not certified"},
               {"guarantee", kGuarantee},
               {"version", version},
               {"digest", digest},
               {"plan", written},
               {"views", Json::array()}};
  if (const std::optional<double> off = gaps_off(plan)) json["gaps_off"] = *off;
  const auto total = static_cast<double>(plan.total_weight());
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    json["views"].push_back({{"view", describe(view)},
                             {"max_changes", num_signs(view.law)},
                             {"epsilon", plan.epsilon.value()},
                             {"exact_epsilon", certificate.views[v].exact_epsilon},
                             {"gap", certificate.views[v].gap},
                             {"certified", certificate.views[v].certified},
                             {"share", static_cast<double>(view.weight) / total},
                             {"integers", written["views"][v]["law"]}});
  }
  return json;
}

}  // namespace futurerand
