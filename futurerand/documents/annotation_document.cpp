#include "futurerand/documents/annotation_document.hpp"

#include <algorithm>

#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/documents/period_dates.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

using std::chrono::days;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;

// The last period of the metric.
Period last_period(const MetricDefinition& metric) {
  return metric.seasons ? kNeverPeriod - 1 : metric.plan.num_periods;
}

// A day belongs to the period of its midnight, or to the first period if the metric begins during
// the day.
Result<Annotation> on_date(const std::string& text, const MetricDefinition& metric) {
  const Result<sys_seconds> time = parse_utc_time(text);
  if (!time) return Error{"date: " + time.error().message};
  if (metric.clock.is_manual()) {
    return Error{"date is given; expected period, since the metric has a manual clock"};
  }
  const Result<TimeZone> loaded = TimeZone::load(metric.time_zone);
  const TimeZone zone = loaded ? *loaded : TimeZone();
  sys_seconds at = *time;
  std::string date = text;
  if (is_date(text)) {
    const year_month_day day{std::chrono::floor<days>(*time)};
    const sys_seconds start{std::chrono::seconds(metric.clock.start)};
    const sys_seconds tomorrow = zone.midnight(std::chrono::sys_days(day) + days{1});
    at = zone.midnight(day);
    if (at < start && start < tomorrow) at = start;
  } else {
    date = local_text(zone, at);
  }
  const Period last = last_period(metric);
  const Period period = metric.clock.period_at(at.time_since_epoch().count(), last + 1);
  if (period >= 1 && period <= last) return Annotation{period, std::move(date)};
  const PeriodDates dates(metric.clock, metric.time_zone);
  return Error{"date is " + shown(text) + "; expected from " + dates.begins(1) +
               (metric.seasons ? " on" : " to " + dates.ends(last)) + ", the metric's time"};
}

}  // namespace

Result<Annotation> read_annotation(std::string_view body, const MetricDefinition& metric) {
  const Result<nlohmann::json> parsed = parse_json_object(body, "the body");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "annotation", {"date", "period", "text"});
  const std::string text = object.text("text");
  if (object.has("date") == object.has("period")) object.fail("expected a date or a period");
  Annotation one;
  if (object.has("period")) {
    one.period = object.integer32("period", 1, last_period(metric));
    one.date = PeriodDates(metric.clock, metric.time_zone).begins(one.period);
  } else {
    const std::string date = object.text("date");
    if (object.error()) return *object.error();
    Result<Annotation> dated = on_date(date, metric);
    if (!dated) return dated.error();
    one = *std::move(dated);
  }
  if (object.error()) return *object.error();
  if (const Status fits = check_annotation_text(text); !fits) return fits.error();
  one.text = text;
  return one;
}

void put_annotations(JsonWriter& json, const std::vector<Annotation>& annotations) {
  if (annotations.empty()) return;
  json.key("annotations").begin_array();
  for (const Annotation& one : annotations) {
    json.begin_object().member("period", one.period).text_or_null("date", one.date);
    json.member("text", one.text).end_object();
  }
  json.end_array();
}

std::vector<Annotation> read_annotations(JsonObject& object) {
  std::vector<Annotation> all;
  for (const nlohmann::json& entry : object.array("annotations")) {
    JsonObject one(entry, object.where() + ": annotations", {"period", "date", "text"});
    Annotation read;
    read.period = one.integer32("period", 1, UINT32_MAX);
    const nlohmann::json* const date = one.find("date");
    if (date != nullptr && !date->is_null()) read.date = one.text("date");
    read.text = one.text("text");
    const Status fits = check_annotation_text(read.text + read.date);
    if (!one.error() && (!fits || read.text.empty())) one.fail("a text is no line of text");
    if (one.error()) {
      object.fail(one.error()->message);
      return {};
    }
    Result<std::vector<Annotation>> more = annotate(std::move(all), read);
    if (!more) {
      object.fail(more.error().message);
      return {};
    }
    all = *std::move(more);
  }
  return all;
}

}  // namespace futurerand
