#include "futurerand/collector/api/estimates.hpp"

#include <charconv>
#include <cmath>
#include <vector>

#include "futurerand/estimator/estimate.hpp"

namespace futurerand {
namespace {

struct Query {
  Period from = 1;
  Period to = 0;
  EstimatorKind estimator = EstimatorKind::kOnline;
  double level = 0.95;
  bool simultaneous = false;
};

void put_number(std::string& out, std::uint64_t value) { out += std::to_string(value); }
void put_number(std::string& out, std::int64_t value) { out += std::to_string(value); }

void put_number(std::string& out, double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  out.append(text, end);
}

template <typename Value>
bool read_number(const std::optional<std::string>& text, Value low, Value high, Value& value) {
  if (!text) return true;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() && value >= low &&
         value <= high;
}

std::optional<ApiResponse> read_query(const MetricSnapshot& metric, const Target& target,
                                      Query& query) {
  const Period last = metric.definition->plan.num_periods;
  const auto bad = [](const std::string& what) { return error_response(400, "bad_query", what); };
  query.to = last;
  if (!read_number(target.find("from"), Period{1}, last, query.from) ||
      !read_number(target.find("to"), Period{1}, last, query.to)) {
    return bad("from and to are periods from 1 to " + std::to_string(last));
  }
  if (!read_number(target.find("level"), 0.0, 1.0, query.level) || query.level <= 0 ||
      query.level >= 1) {
    return bad("level is a probability between 0 and 1, such as 0.95");
  }
  if (const auto name = target.find("estimator")) {
    const auto kind = estimator_named(*name);
    if (!kind) return bad("estimator is online, hindsight or trend");
    query.estimator = *kind;
  }
  if (const auto band = target.find("band")) {
    if (*band != "pointwise" && *band != "simultaneous") {
      return bad("band is pointwise or simultaneous");
    }
    query.simultaneous = *band == "simultaneous";
  }
  return std::nullopt;
}

struct Completeness {
  std::uint64_t reports = 0;
  std::uint64_t expected = 0;
};

// Per period, the reports that were due at its end. Element t-1 is period t.
std::vector<Completeness> completeness(const MetricSnapshot& metric, Period up_to) {
  std::vector<Completeness> periods(up_to);
  const Plan& plan = metric.definition->plan;
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const std::vector<std::uint64_t> expected = metric.sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      const Period due = plan.views[view].due(index);
      if (due > up_to) break;
      periods[due - 1].reports += metric.sums.at(view, index).count;
      periods[due - 1].expected += expected[index - 1];
    }
  }
  return periods;
}

void put_json(std::string& out, const PeriodEstimate& estimate, const Band& band,
              const Completeness& complete) {
  const auto maybe = [&](const char* key, double value) {
    out += key;
    if (std::isfinite(value)) {
      put_number(out, value);
    } else {
      out += "null";
    }
  };
  out += "{\"period\":";
  put_number(out, std::uint64_t{estimate.period});
  maybe(",\"estimate\":", estimate.estimate);
  maybe(",\"stddev\":", estimate.stddev);
  maybe(",\"lower\":", band.lower);
  maybe(",\"upper\":", band.upper);
  out += ",\"reports\":";
  put_number(out, complete.reports);
  out += ",\"expected\":";
  put_number(out, complete.expected);
  out += '}';
}

void put_csv(std::string& out, const PeriodEstimate& estimate, const Band& band,
             const Completeness& complete) {
  put_number(out, std::uint64_t{estimate.period});
  for (const double value : {estimate.estimate, estimate.stddev, band.lower, band.upper}) {
    out += ',';
    if (std::isfinite(value)) put_number(out, value);
  }
  for (const std::uint64_t value : {complete.reports, complete.expected}) {
    out += ',';
    put_number(out, value);
  }
  out += '\n';
}

template <typename Numbers, typename Number>
void put_array(std::string& out, const char* key, Numbers count, Number&& number) {
  out += key;
  out += '[';
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    put_number(out, number(i));
  }
  out += ']';
}

}  // namespace

ApiResponse estimates_response(const MetricSnapshot& metric, Period current, const Target& target,
                               bool csv) {
  Query query;
  if (std::optional<ApiResponse> bad = read_query(metric, target, query)) return *std::move(bad);
  const Period up_to = last_complete(*metric.definition, current);
  const std::vector<PeriodEstimate> estimates =
      estimate(metric.definition->plan, metric.sums, query.estimator, up_to);
  const std::vector<Band> bands = query.simultaneous ? simultaneous_bands(estimates, query.level)
                                                     : pointwise_bands(estimates, query.level);
  const std::vector<Completeness> complete = completeness(metric, up_to);

  ApiResponse response;
  std::string& out = response.body;
  out.reserve(160 * estimates.size() + 512);
  if (csv) {
    response.content_type = "text/csv; charset=utf-8";
    out = "period,estimate,stddev,lower,upper,reports,expected\n";
  } else {
    out = "{\"metric\":\"" + metric.definition->name +
          "\",\"current_period\":" + std::to_string(current) + ",\"estimator\":\"" +
          std::string(name_of(query.estimator)) + "\",\"level\":";
    put_number(out, query.level);
    out += query.simultaneous ? ",\"band\":\"simultaneous\"" : ",\"band\":\"pointwise\"";
    out += ",\"assumption\":\"" + std::string(assumption_of(query.estimator)) + "\",\"periods\":[";
  }
  bool first = true;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (estimates[i].period < query.from || estimates[i].period > query.to) continue;
    if (csv) {
      put_csv(out, estimates[i], bands[i], complete[i]);
    } else {
      if (!first) out += ',';
      put_json(out, estimates[i], bands[i], complete[i]);
    }
    first = false;
  }
  if (!csv) out += "]}\n";
  return response;
}

ApiResponse sums_response(const MetricSnapshot& metric, Period current) {
  const Plan& plan = metric.definition->plan;
  const Sums& sums = metric.sums;
  ApiResponse response;
  std::string& out = response.body;
  out = "{\"metric\":\"" + metric.definition->name +
        "\",\"current_period\":" + std::to_string(current) +
        ",\"devices\":" + std::to_string(metric.devices) + ",\"views\":[";
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    if (view > 0) out += ',';
    const std::uint32_t indices = sums.num_indices(view);
    out += "{\"view\":" + std::to_string(view);
    out += ",\"order\":" + std::to_string(plan.views[view].order);
    put_array(out, ",\"sums\":", indices,
              [&](std::uint32_t i) { return sums.at(view, i + 1).sum; });
    put_array(out, ",\"counts\":", indices,
              [&](std::uint32_t i) { return sums.at(view, i + 1).count; });
    if (may_be_silent(plan.views[view].law)) {
      put_array(out, ",\"spoken\":", indices,
                [&](std::uint32_t i) { return sums.at(view, i + 1).spoken; });
    }
    put_array(out, ",\"enrolled\":", plan.num_periods,
              [&](std::uint32_t i) { return sums.enrolled_in(view, i + 1); });
    if (plan.views[view].kind == ViewKind::kSnapshot) {
      put_array(out, ",\"snapshot_devices\":", indices,
                [&](std::uint32_t i) { return sums.snapshot_devices(view, i + 1); });
    }
    out += '}';
  }
  out += "]}\n";
  return response;
}

std::string newest_estimate(const MetricSnapshot& metric, Period current) {
  const Period up_to = last_complete(*metric.definition, current);
  if (up_to == 0) return {};
  const std::vector<PeriodEstimate> estimates =
      estimate(metric.definition->plan, metric.sums, EstimatorKind::kOnline, up_to);
  const std::vector<Band> bands = pointwise_bands(estimates, 0.95);
  std::string out;
  put_json(out, estimates.back(), bands.back(), completeness(metric, up_to).back());
  return out;
}

}  // namespace futurerand
