// The metric's part of futurerand.h.
#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/wire/certificate_document.hpp"
#include "futurerand/wire/metric_json.hpp"
#include "futurerand/wire/wire.hpp"

using namespace futurerand;
using namespace futurerand::c;

namespace {

fr_code give_certificate(const Plan& plan, char** json, fr_error* error) {
  const Result<PlanCertificate> certificate = certify(plan);
  if (!certificate) return fail(certificate.error(), error);
  return give_text(certificate_document(plan, *certificate, plan_digest(plan), FUTURERAND_VERSION),
                   json, error);
}

fr_code no_text(const char* what, fr_error* error) {
  return fail(Error{"no " + std::string(what) + "; expected its JSON text"}, error);
}

}  // namespace

fr_code fr_metric_accept(const char* json, size_t size, fr_metric** metric, fr_error* error) {
  if (const fr_code code = clear_out(metric, error)) return code;
  std::string_view text;
  if (!read_text(json, size, text)) return no_text("metric", error);
  return guarded(error, [&] {
    const Result<PublishedMetric> published = parse_published_metric(text);
    if (!published) return fail(published.error(), error);
    Result<MetricTerms> terms = MetricTerms::accept(published->definition);
    if (!terms) return fail(terms.error(), error);
    *metric = new fr_metric{*std::move(terms), published->current_period};
    return succeed(error);
  });
}

fr_code fr_metric_accept_pinned(const char* json, size_t size, const char* digest,
                                fr_metric** metric, fr_error* error) {
  if (const fr_code code = clear_out(metric, error)) return code;
  if (digest == nullptr) return fail(Error{"no digest; expected sha256:..."}, error);
  const fr_code code = fr_metric_accept(json, size, metric, error);
  if (code != FR_OK) return code;
  return guarded(error, [&] {
    const Status pinned = (*metric)->terms.check_digest(digest);
    if (pinned) return succeed(error);
    fr_metric_close(metric);
    return fail(pinned.error(), error);
  });
}

fr_code fr_metric_create(const char* name, const char* plan_json, size_t size, int64_t start,
                         int64_t period_seconds, fr_metric** metric, fr_error* error) {
  if (const fr_code code = clear_out(metric, error)) return code;
  std::string_view text;
  if (!read_text(plan_json, size, text)) return no_text("plan", error);
  if (name == nullptr) return fail(Error{"the metric has no name; expected one"}, error);
  return guarded(error, [&] {
    Result<Plan> plan = parse_plan(text);
    if (!plan) return fail(plan.error(), error);
    Result<CertifiedPlan> certified = CertifiedPlan::create(*std::move(plan));
    if (!certified) return fail(certified.error(), error);
    MetricTerms terms{name, *std::move(certified), {start, period_seconds}};
    if (const Status valid = terms.validate(); !valid) return fail(valid.error(), error);
    *metric = new fr_metric{std::move(terms)};
    return succeed(error);
  });
}

fr_code fr_metric_certificate(const fr_metric* metric, char** json, fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  if (metric == nullptr) return closed("metric", error);
  return guarded(error, [&] { return give_certificate(metric->terms.plan.plan(), json, error); });
}

fr_code fr_certify(const char* plan_json, size_t size, char** json, fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  std::string_view text;
  if (!read_text(plan_json, size, text)) return no_text("plan", error);
  return guarded(error, [&] {
    const Result<Plan> plan = parse_plan(text);
    if (!plan) return fail(plan.error(), error);
    return give_certificate(*plan, json, error);
  });
}

fr_code fr_metric_period_at(const fr_metric* metric, int64_t seconds, uint32_t* period,
                            fr_error* error) {
  if (period == nullptr) return fail(Error{"no place for the period; expected its address"}, error);
  if (metric == nullptr) return closed("metric", error);
  if (metric->terms.clock.is_manual()) {
    return fail(Error{"the metric's periods are moved by hand; expected to ask the collector"},
                error);
  }
  *period = metric->terms.period_at(seconds);
  return succeed(error);
}

fr_code fr_metric_current_period(const fr_metric* metric, uint32_t* period, fr_error* error) {
  if (period == nullptr) return fail(Error{"no place for the period; expected its address"}, error);
  if (metric == nullptr) return closed("metric", error);
  *period = metric->current_period;
  return succeed(error);
}

void fr_metric_close(fr_metric** metric) {
  if (metric == nullptr) return;
  delete std::exchange(*metric, nullptr);
}
