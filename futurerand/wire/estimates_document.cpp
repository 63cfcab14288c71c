#include "futurerand/wire/estimates_document.hpp"

#include <cmath>
#include <limits>

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_text.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kTypicalRow = 160;

void put_row(std::string& out, const EstimateRow& row) {
  const auto maybe = [&](std::string_view key, double value) {
    out += key;
    if (std::isfinite(value)) {
      put_number(out, value);
    } else {
      out += "null";
    }
  };
  out += "{\"period\":";
  put_number(out, std::uint64_t{row.period});
  maybe(",\"estimate\":", row.estimate);
  maybe(",\"stddev\":", row.stddev);
  maybe(",\"lower\":", row.lower);
  maybe(",\"upper\":", row.upper);
  out += ",\"reports\":";
  put_number(out, row.reports);
  out += ",\"expected\":";
  put_number(out, row.expected);
  out += '}';
}

double read_number(JsonObject& object, std::string_view key) {
  const nlohmann::json* value = object.find(key);
  if (value != nullptr && value->is_number()) return value->get<double>();
  if (value != nullptr && !value->is_null()) object.fail(std::string(key) + " is no number");
  return std::numeric_limits<double>::quiet_NaN();
}

EstimatesDocument::TranscriptCap read_cap(const nlohmann::json& json, JsonObject& document) {
  JsonObject object(json, document.where());
  const EstimatesDocument::TranscriptCap cap{read_number(object, "rate"),
                                             read_number(object, "bias_at_most")};
  if (object.error()) document.fail("transcript_cap: " + object.error()->message);
  if (std::isnan(cap.rate + cap.bias_at_most)) document.fail("transcript_cap has no numbers");
  return cap;
}

EstimateRow read_row(const nlohmann::json& json, JsonObject& document) {
  JsonObject object(json, document.where());
  const EstimateRow row{object.integer32("period", 1, kMaxPeriods),
                        read_number(object, "estimate"),
                        read_number(object, "stddev"),
                        read_number(object, "lower"),
                        read_number(object, "upper"),
                        object.integer("reports", 0, UINT64_MAX),
                        object.integer("expected", 0, UINT64_MAX)};
  if (object.error()) document.fail("periods: " + object.error()->message);
  return row;
}

}  // namespace

std::string to_json(const EstimateRow& row) {
  std::string out;
  put_row(out, row);
  return out;
}

std::string to_json(const EstimatesDocument& document) {
  std::string out;
  out.reserve(kTypicalRow * document.periods.size() + 512);
  out += "{\"metric\":";
  put_text(out, document.metric);
  out += ",\"current_period\":";
  put_number(out, std::uint64_t{document.current_period});
  if (!document.as_of.empty()) {
    out += ",\"as_of\":";
    put_text(out, document.as_of);
  }
  out += ",\"estimator\":";
  put_text(out, document.estimator);
  out += ",\"level\":";
  put_number(out, document.level);
  out += ",\"band\":";
  put_text(out, document.band);
  out += ",\"estimand\":";
  put_text(out, document.estimand);
  out += ",\"counted\":";
  put_text(out, document.counted);
  out += ",\"assumption\":";
  put_text(out, document.assumption);
  const auto text_or_null = [&](std::string_view key, const std::string& text) {
    out += key;
    if (text.empty()) {
      out += "null";
    } else {
      put_text(out, text);
    }
  };
  text_or_null(",\"note\":", document.note);
  text_or_null(",\"alarm\":", document.alarm);
  out += ",\"one_device_moves_at_most\":";
  if (std::isfinite(document.one_device_moves_at_most)) {
    put_number(out, document.one_device_moves_at_most);
  } else {
    out += "null";
  }
  if (document.transcript_cap) {
    out += ",\"transcript_cap\":{\"rate\":";
    put_number(out, document.transcript_cap->rate);
    out += ",\"bias_at_most\":";
    put_number(out, document.transcript_cap->bias_at_most);
    out += '}';
  }
  out += ",\"periods\":[";
  for (std::size_t i = 0; i < document.periods.size(); ++i) {
    if (i > 0) out += ',';
    put_row(out, document.periods[i]);
  }
  out += "]}";
  return out;
}

Result<EstimatesDocument> parse_estimates(std::string_view json) {
  const Result<nlohmann::json> parsed = parse_json_object(json, "the estimates");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "the estimates");
  EstimatesDocument document{object.text("metric"),
                             object.integer32("current_period", 0, UINT32_MAX),
                             object.text("estimator"),
                             read_number(object, "level"),
                             object.text("band"),
                             object.text("assumption"),
                             {}};
  document.estimand = object.text("estimand");
  if (object.has("counted")) document.counted = object.text("counted");
  const nlohmann::json* note = object.find("note");
  if (note != nullptr && note->is_string()) document.note = object.text("note");
  if (object.has("alarm") && object.find("alarm")->is_string()) {
    document.alarm = object.text("alarm");
  }
  document.one_device_moves_at_most = object.has("one_device_moves_at_most")
                                          ? read_number(object, "one_device_moves_at_most")
                                          : std::numeric_limits<double>::quiet_NaN();
  if (object.has("transcript_cap")) {
    document.transcript_cap = read_cap(*object.find("transcript_cap"), object);
  }
  if (object.has("as_of")) document.as_of = object.text("as_of");
  if (std::isnan(document.level)) object.fail("level is no number");
  for (const nlohmann::json& row : object.array("periods")) {
    document.periods.push_back(read_row(row, object));
  }
  if (object.error()) return *object.error();
  return document;
}

std::string to_csv(const std::vector<EstimateRow>& periods) {
  std::string out = "period,estimate,stddev,lower,upper,reports,expected\n";
  for (const EstimateRow& row : periods) {
    put_number(out, std::uint64_t{row.period});
    for (const double value : {row.estimate, row.stddev, row.lower, row.upper}) {
      out += ',';
      if (std::isfinite(value)) put_number(out, value);
    }
    for (const std::uint64_t value : {row.reports, row.expected}) {
      out += ',';
      put_number(out, value);
    }
    out += '\n';
  }
  return out;
}

}  // namespace futurerand
