#include "futurerand/wire/certificate_document.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/plan_json.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// The promise of every plan for devices, in the words of `audit`.
constexpr std::string_view kGuarantee = "private over the whole sequence";

// The JSON library writes it: 1.0 and not 1. std::to_chars of a double has large tables, and
// browsers load this.
std::string real_text(double number) { return nlohmann::json(number).dump(); }

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
    case ViewKind::kPulse:
      return "pulses, window " + std::to_string(std::get<PulseLaw>(view.law).window);
    case ViewKind::kOnce:
      return "the value, once";
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

std::string certificate_document(const Plan& plan, const PlanCertificate& certificate,
                                 std::string_view digest, std::string_view version) {
  JsonWriter json;
  json.begin_object().member("protocol", name_of(plan.protocol));
  json.member("periods", plan.num_periods).member("max_changes", plan.max_changes);
  json.key("epsilon").json(real_text(plan.epsilon.value()));
  json.key("exact_epsilon").json(real_text(certificate.exact_epsilon()));
  const std::optional<double> gap = common_gap(certificate);
  json.key("gap").json(gap ? real_text(*gap) : "null");
  json.member("certified", certificate.certified());
  json.member("verdict", certificate.certified() ? "certified" : "not certified");
  json.text_or_null("guarantee", certificate.certified() ? kGuarantee : "");
  json.member("version", version).member("digest", digest);
  if (!plan.segments.empty()) {
    json.member("public", "each device states its " + plan.segments.name() +
                              " in the clear on joining; epsilon does not protect it, and it costs "
                              "none");
  }
  // This is the text whose digest is taken.
  json.key("plan").json(to_json(plan)).key("views").begin_array();
  const auto total = static_cast<double>(plan.total_weight());
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    const Certificate& of_view = certificate.views[v];
    json.begin_object().member("view", describe(view));
    json.member("max_changes", num_signs(view.law));
    json.key("epsilon").json(real_text(plan.epsilon.value()));
    json.key("exact_epsilon").json(real_text(of_view.exact_epsilon));
    json.key("gap").json(real_text(of_view.gap)).member("certified", of_view.certified);
    json.key("share").json(real_text(static_cast<double>(view.weight) / total));
    json.key("integers").json(to_json(view.law)).end_object();
  }
  json.end_array();
  if (const std::optional<double> off = gaps_off(plan)) json.key("gaps_off").json(real_text(*off));
  return std::move(json.end_object()).take();
}

}  // namespace futurerand
