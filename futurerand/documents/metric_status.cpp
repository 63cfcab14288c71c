#include "futurerand/documents/metric_status.hpp"

#include <algorithm>

#include "futurerand/documents/annotation_document.hpp"
#include "futurerand/documents/period_dates.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

void put_certificate(JsonWriter& json, const PlanCertificate& certificate) {
  const auto put = [&json](bool certified, double exact_epsilon) {
    json.begin_object().member("certified", certified).member("exact_epsilon", exact_epsilon);
  };
  put(certificate.certified(), certificate.exact_epsilon());
  json.key("views").begin_array();
  for (const Certificate& view : certificate.views) {
    put(view.certified, view.exact_epsilon);
    json.member("gap", view.gap).end_object();
  }
  json.end_array().end_object();
}

// Returns nanos * times / 10^9 as a decimal without trailing zeros. Three years have fewer than
// 10^8 seasons, so it fits.
std::string decimal_text(std::int64_t nanos, std::int64_t times) {
  const std::int64_t all = nanos * times;
  std::string digits = std::to_string(all % Epsilon::kNanosPerUnit + Epsilon::kNanosPerUnit);
  digits[0] = '.';
  while (digits.back() == '0') digits.pop_back();
  if (digits == ".") digits.clear();
  return std::to_string(all / Epsilon::kNanosPerUnit) + digits;
}

constexpr std::int64_t kYearSeconds = 365 * 86'400;

// Windows of consecutive periods, each with the largest loss over it. The first window is the rest,
// which meets one season. The others are lives of one and three years.
void put_promise(JsonWriter& json, const MetricDefinition& metric) {
  const Calendar& calendar = *metric.seasons;
  const std::int64_t year = std::max<std::int64_t>(kYearSeconds / metric.clock.length, 1);
  json.key("epsilon_in_any").begin_array();
  for (const std::int64_t window :
       {calendar.rest() > 0 ? calendar.rest() : calendar.season(), year, 3 * year}) {
    const std::int64_t seasons = calendar.seasons_in(window);
    json.begin_object().member("periods", window).member("seasons", seasons);
    json.member("epsilon", decimal_text(metric.plan.epsilon.nanos(), seasons)).end_object();
  }
  json.end_array();
}

void put_live_seasons(JsonWriter& json, const std::vector<LiveSeason>& seasons) {
  json.key("live_seasons").begin_array();
  for (const LiveSeason& live : seasons) {
    json.begin_object().member("season", live.season).member("from", live.from);
    json.member("to", live.to).member("devices", live.devices).end_object();
  }
  json.end_array();
}

}  // namespace

std::string metric_document(const MetricLifecycle& metric, Instant now, const MetricCounts& counts,
                            const PlanCertificate* certificate) {
  JsonWriter json(1024);
  put_metric(json.begin_object(), *metric.definition);
  const PeriodDates dates(metric.definition->clock, metric.definition->time_zone);
  const Period last = metric.definition->plan.num_periods;
  const bool has_end = !metric.definition->seasons;
  json.text_or_null("from", dates.from(1)).text_or_null("begins", dates.begins(1));
  json.text_or_null("to", has_end ? dates.to(last) : "");
  json.text_or_null("ends", has_end ? dates.ends(last) : "");
  json.member("current_period", metric.current_period(now)).member("state", metric.state(now));
  if (metric.ended_early()) json.member("ended", true);
  if (metric.archived) json.member("archived", true);
  if (metric.definition->seasons) {
    put_live_seasons(json, counts.live_seasons);
    put_promise(json, *metric.definition);
  }
  if (!metric.candidates.empty()) json.array("candidates", metric.candidates);
  put_annotations(json, metric.annotations);
  std::uint64_t reports = 0;
  for (const ViewCounts& view : counts.views) reports += view.reports;
  json.member("devices", counts.devices).member("reports", reports);
  json.member("accepted", counts.lines.accepted).member("duplicates", counts.lines.duplicates);
  json.member("rejected", counts.lines.rejected).member("early", counts.lines.early);
  json.member("lines_since", counts.lines_since);
  json.key("views").begin_array();
  for (const ViewCounts& view : counts.views) {
    json.begin_object().member("devices", view.devices).member("reports", view.reports);
    json.end_object();
  }
  json.end_array().key("certificate");
  if (certificate != nullptr) {
    put_certificate(json, *certificate);
  } else {
    json.value(nullptr);
  }
  return std::move(json.end_object()).take();
}

}  // namespace futurerand
