#include "futurerand/documents/answer_document.hpp"

#include <array>
#include <limits>

#include "futurerand/documents/annotation_document.hpp"
#include "futurerand/documents/csv_writer.hpp"
#include "futurerand/documents/too_noisy.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/wire/coding_json.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/segments_json.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kTypicalRow = 280;

// The mean of a number and its error, on its scale.
struct Mean {
  double value, stddev, lower, upper;
};

Mean mean_of(const AnswerRow& row, const NumberScale& scale) {
  const Band share = row.share_band();
  const double range = scale.high - scale.low;
  return {scale.mean_of(row.share()), range * row.share_stddev(), scale.mean_of(share.lower),
          scale.mean_of(share.upper)};
}

void put_dates(JsonWriter& json, Period period, const PeriodDates& dates) {
  json.text_or_null("from", dates.from(period)).text_or_null("to", dates.to(period));
  json.text_or_null("dates", dates.text(period));
}

void put_row(JsonWriter& json, const AnswerRow& row, const PeriodDates& dates,
             const std::optional<NumberScale>& scale) {
  const Band share = row.share_band();
  json.begin_object().member("period", row.period);
  if (!row.segment.empty()) json.member("segment", row.segment);
  if (!row.label.empty()) json.member("label", row.label);
  put_dates(json, row.period, dates);
  json.member("estimate", row.estimate).member("stddev", row.stddev);
  json.member("lower", row.band.lower).member("upper", row.band.upper);
  json.member("share", row.share());
  json.member("share_lower", share.lower).member("share_upper", share.upper);
  if (scale) {
    const Mean mean = mean_of(row, *scale);
    json.member("mean", mean.value).member("mean_stddev", mean.stddev);
    json.member("mean_lower", mean.lower).member("mean_upper", mean.upper);
  }
  if (row.quantile) {
    json.member("value", row.quantile->value).member("value_lower", row.quantile->band.lower);
    json.member("value_upper", row.quantile->band.upper);
  }
  json.member("reports", row.reports).member("expected", row.expected);
  json.member("devices", row.devices).end_object();
}

double read_number(JsonObject& object, std::string_view key) {
  const nlohmann::json* value = object.find(key);
  if (value != nullptr && value->is_number()) return value->get<double>();
  if (value != nullptr && !value->is_null()) object.fail(std::string(key) + " is no number");
  return std::numeric_limits<double>::quiet_NaN();
}

AnswerRow read_row(const nlohmann::json& json, JsonObject& document) {
  JsonObject object(json, document.where());
  AnswerRow row;
  row.period = object.integer32("period", 1, UINT32_MAX);
  row.estimate = read_number(object, "estimate");
  row.stddev = read_number(object, "stddev");
  row.band = {read_number(object, "lower"), read_number(object, "upper")};
  row.devices = object.integer("devices", 0, UINT64_MAX);
  row.reports = object.integer("reports", 0, UINT64_MAX);
  row.expected = object.integer("expected", 0, UINT64_MAX);
  if (object.has("segment")) row.segment = object.text("segment");
  if (object.has("label")) row.label = object.text("label");
  if (object.has("value")) {
    row.quantile =
        ValueBand{read_number(object, "value"),
                  {read_number(object, "value_lower"), read_number(object, "value_upper")}};
  }
  if (object.error()) document.fail("periods: " + object.error()->message);
  return row;
}

std::string notes_of(const std::vector<Annotation>& annotations, Period period) {
  std::string notes;
  for (const Annotation& one : annotations) {
    if (one.period == period) notes += (notes.empty() ? "" : "; ") + one.text;
  }
  return notes;
}

void put_segments(JsonWriter& json, const std::vector<AnswerSegment>& segments, double level) {
  json.key("segments").begin_array();
  for (const AnswerSegment& one : segments) {
    json.begin_object().member("segment", one.name).member("devices", one.devices);
    json.text_or_null("note", one.note);
    const std::string warning =
        one.too_noisy ? too_noisy_text(one.devices, *one.too_noisy, level) : "";
    json.text_or_null("warning", warning).end_object();
  }
  json.end_array();
}

AnswerSegment segment_of(const Answer& answer) {
  return {answer.segment, answer.devices, answer.note, answer.too_noisy};
}

// The subject of an answer, up to the number of devices.
void put_plan(JsonWriter& json, const Plan& plan, const Answer& answer,
              const AnswerSource& source) {
  json.text_or_null("metric", source.metric);
  json.key("plan").begin_object();
  json.member("protocol", name_of(plan.protocol)).member("periods", plan.num_periods);
  json.member("max_changes", plan.max_changes).member("initial", name_of(plan.initial));
  json.member("epsilon", plan.epsilon.text());
  if (plan.coding != Coding()) json.key("value").json(to_json(plan.coding));
  if (!plan.segments.empty()) json.key("segment").json(to_json(plan.segments));
  json.end_object();
  json.member("seeded", source.seeded).member("current_period", answer.current);
  if (!source.as_of.empty()) json.member("as_of", source.as_of);
  if (answer.asked_share != 1) json.member("asked_share", answer.asked_share);
}

// How it was estimated, and for whom.
void put_method(JsonWriter& json, const Answer& answer) {
  json.member("estimator", name_of(answer.estimator)).member("level", answer.level);
  json.member("band", answer.simultaneous ? "simultaneous" : "pointwise");
  json.member("window", answer.window);
  json.member("estimand", name_of(answer.estimand)).member("counted", answer.counted);
  json.member("assumption", answer.assumption);
}

// The difference of two means and its error, on the scale of the value.
Mean mean_difference(const ComparisonRow& row, const NumberScale& scale) {
  const double range = scale.high - scale.low;
  return {range * row.share_difference, range * row.share_stddev, range * row.share_band.lower,
          range * row.share_band.upper};
}

void put_row(JsonWriter& json, const ComparisonRow& row, const PeriodDates& dates,
             const std::optional<NumberScale>& scale) {
  json.begin_object().member("period", row.of.period);
  if (!row.of.label.empty()) json.member("label", row.of.label);
  put_dates(json, row.of.period, dates);
  json.member("difference", row.difference).member("stddev", row.stddev);
  json.member("lower", row.band.lower).member("upper", row.band.upper);
  json.member("share_difference", row.share_difference);
  json.member("share_stddev", row.share_stddev);
  json.member("share_lower", row.share_band.lower).member("share_upper", row.share_band.upper);
  if (scale) {
    const Mean mean = mean_difference(row, *scale);
    json.member("mean_difference", mean.value).member("mean_stddev", mean.stddev);
    json.member("mean_lower", mean.lower).member("mean_upper", mean.upper);
  }
  json.member("estimate", row.of.estimate).member("share", row.of.share());
  json.member("devices", row.of.devices);
  json.member("against_estimate", row.against.estimate);
  json.member("against_share", row.against.share());
  json.member("against_devices", row.against.devices).end_object();
}

}  // namespace

std::string warning_of(const Answer& answer) {
  return answer.too_noisy ? too_noisy_text(answer.devices, *answer.too_noisy, answer.level) : "";
}

std::string to_json(const AnswerRow& row, const PeriodDates& dates,
                    const std::optional<NumberScale>& scale) {
  JsonWriter json;
  put_row(json, row, dates, scale);
  return std::move(json).take();
}

std::string to_json(const Plan& plan, const Answer& answer, const AnswerSource& source) {
  JsonWriter json(kTypicalRow * answer.rows.size() + 1024);
  put_plan(json.begin_object(), plan, answer, source);
  json.member("devices", answer.devices);
  put_method(json, answer);
  json.text_or_null("note", answer.note).text_or_null("warning", warning_of(answer));
  json.text_or_null("alarm", answer.alarm.text);
  json.member("one_device_moves_at_most", answer.one_device_moves);
  if (answer.cap_bias) {
    json.key("transcript_cap").begin_object();
    json.member("rate", kCapRate).member("bias_at_most", *answer.cap_bias).end_object();
  }
  if (!answer.segment.empty()) json.member("segment", answer.segment);
  if (!answer.segments.empty()) put_segments(json, answer.segments, answer.level);
  put_annotations(json, source.annotations);
  json.key("periods").begin_array();
  for (const AnswerRow& row : answer.rows) put_row(json, row, source.dates, answer.scale);
  return std::move(json.end_array().end_object()).take();
}

std::string to_json(const Plan& plan, const Comparison& comparison, const AnswerSource& source) {
  const Answer& of = comparison.of;
  JsonWriter json(2 * kTypicalRow * comparison.rows.size() + 1024);
  put_plan(json.begin_object(), plan, of, source);
  put_method(json, of);
  json.member("segment", of.segment).member("against", comparison.against.segment);
  put_segments(json, {segment_of(of), segment_of(comparison.against)}, of.level);
  json.key("periods").begin_array();
  for (const ComparisonRow& row : comparison.rows) put_row(json, row, source.dates, of.scale);
  return std::move(json.end_array().end_object()).take();
}

Result<std::vector<AnswerRow>> parse_answer_rows(std::string_view json) {
  const Result<nlohmann::json> parsed = parse_json_object(json, "the estimates");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "the estimates");
  std::vector<AnswerRow> rows;
  for (const nlohmann::json& row : object.array("periods")) rows.push_back(read_row(row, object));
  if (object.error()) return *object.error();
  return rows;
}

std::string to_csv(const Answer& answer, const PeriodDates& dates,
                   const std::vector<Annotation>& annotations) {
  std::string header = "period";
  if (answer.has_segments) header += ",segment";
  if (answer.has_labels) header += ",label";
  header += ",from,to,estimate,stddev,lower,upper,share,share_lower,share_upper,reports,expected";
  if (dates.has_dates()) header += ",begins,ends";
  if (answer.has_quantiles) header += ",value,value_lower,value_upper";
  if (answer.scale) header += ",mean,mean_stddev,mean_lower,mean_upper";
  if (!annotations.empty()) header += ",annotations";
  CsvWriter csv(header);
  for (const AnswerRow& row : answer.rows) {
    const Band share = row.share_band();
    csv.cell(row.period);
    if (answer.has_segments) csv.cell(row.segment);
    if (answer.has_labels) csv.cell(row.label);
    csv.cell(dates.from(row.period)).cell(dates.to(row.period));
    csv.cell(row.estimate).cell(row.stddev).cell(row.band.lower).cell(row.band.upper);
    csv.cell(row.share()).cell(share.lower).cell(share.upper);
    csv.cell(row.reports).cell(row.expected);
    if (dates.has_dates()) csv.cell(dates.begins(row.period)).cell(dates.ends(row.period));
    if (row.quantile) {
      const auto& [value, band] = *row.quantile;
      csv.cell(value).cell(band.lower).cell(band.upper);
    }
    if (answer.scale) {
      const Mean mean = mean_of(row, *answer.scale);
      csv.cell(mean.value).cell(mean.stddev).cell(mean.lower).cell(mean.upper);
    }
    if (!annotations.empty()) csv.cell(notes_of(annotations, row.period));
    csv.end_row();
  }
  return std::move(csv).take();
}

std::string to_csv(const Comparison& comparison, const PeriodDates& dates) {
  std::string header = comparison.of.has_labels ? "period,label" : "period";
  header +=
      ",from,to,segment,against,difference,stddev,lower,upper,share_difference,share_stddev,"
      "share_lower,share_upper,estimate,share,devices,against_estimate,against_share,"
      "against_devices";
  if (dates.has_dates()) header += ",begins,ends";
  if (comparison.of.scale) header += ",mean_difference,mean_stddev,mean_lower,mean_upper";
  CsvWriter csv(header);
  for (const ComparisonRow& row : comparison.rows) {
    const Period period = row.of.period;
    csv.cell(period);
    if (comparison.of.has_labels) csv.cell(row.of.label);
    csv.cell(dates.from(period)).cell(dates.to(period));
    csv.cell(row.of.segment).cell(row.against.segment);
    csv.cell(row.difference).cell(row.stddev).cell(row.band.lower).cell(row.band.upper);
    csv.cell(row.share_difference).cell(row.share_stddev);
    csv.cell(row.share_band.lower).cell(row.share_band.upper);
    csv.cell(row.of.estimate).cell(row.of.share()).cell(row.of.devices);
    csv.cell(row.against.estimate).cell(row.against.share()).cell(row.against.devices);
    if (dates.has_dates()) csv.cell(dates.begins(period)).cell(dates.ends(period));
    if (comparison.of.scale) {
      const Mean mean = mean_difference(row, *comparison.of.scale);
      csv.cell(mean.value).cell(mean.stddev).cell(mean.lower).cell(mean.upper);
    }
    csv.end_row();
  }
  return std::move(csv).take();
}

}  // namespace futurerand
