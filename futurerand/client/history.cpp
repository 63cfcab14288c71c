#include "futurerand/client/history.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/departure.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

std::string_view standing_name(Standing standing) {
  switch (standing) {
    case Standing::kTakesPart:
      return "takes_part";
    case Standing::kLeft:
      return "left";
    case Standing::kForgotten:
      return "forgotten";
    case Standing::kOver:
      return "over";
    case Standing::kLost:
      return "lost";
  }
  return "lost";
}

// Returns a run of signs as one line.
std::string run_of(const ClientId& client, const SavedReports& reports, std::uint32_t begin,
                   std::uint32_t end) {
  return to_line(Report{client, reports.first_index + begin * reports.stride,
                        reports.signs.part(begin, end - begin)});
}

// Reads a record, if it is of this metric's client.
Status read_record(StateStore& store, const std::string& record, MetricHistory& metric) {
  Result<std::optional<Bytes>> bytes = store.load(record);
  if (!bytes) return bytes.error();
  if (!bytes->has_value()) return {};
  if (ClientCodec::is_erased(**bytes)) {
    metric.standing = Standing::kOver;
    return {};
  }
  const ClientId& client = metric.entry.client;
  if (Departure::is_saved_in(**bytes)) {
    const Result<Departure> departure = Departure::read_saved(**bytes);
    if (!departure) return departure.error();
    if (departure->id != client) return {};
    metric.standing = departure->forget ? Standing::kForgotten : Standing::kLeft;
    std::vector<std::string>& lines = departure->told > 0 ? metric.sent : metric.waiting;
    lines.push_back(departure->forget ? to_line(Forget{client})
                                      : to_line(Leave{client, departure->period}));
    return {};
  }
  const Result<SavedReports> reports = ClientCodec::read_reports(**bytes);
  erase(**bytes);
  if (!reports) return reports.error();
  if (reports->id != client) return {};
  metric.standing = Standing::kTakesPart;
  (reports->enrolled ? metric.sent : metric.waiting).push_back(to_line(reports->enrolment()));
  const std::uint32_t told = reports->num_acknowledged, all = reports->signs.size();
  if (told > 0) metric.sent.push_back(run_of(client, *reports, 0, told));
  if (all > told) metric.waiting.push_back(run_of(client, *reports, told, all));
  return {};
}

// A season has one of two records, which a later one takes over. A record without a client does not
// say which season it was.
Status read_metric(const Ledger& ledger, StateStore& store, MetricHistory& metric) {
  const std::string name = metric.entry.metric;
  const std::uint64_t season = metric.entry.season;
  if (season == 0) return read_record(store, metric_record(name), metric);
  const Ledger::Series* series = ledger.find_series(name);
  if (series != nullptr && season < series->last_season) metric.standing = Standing::kOver;
  for (const std::uint32_t slot : {0U, 1U}) {
    MetricHistory found{metric.entry, Standing::kLost, {}, {}};
    if (const Status read = read_record(store, season_record(name, slot), found); !read) {
      return read;
    }
    if (found.standing != Standing::kLost) metric = std::move(found);
    if (!metric.sent.empty() || !metric.waiting.empty()) return {};
  }
  return {};
}

std::string budget_left(const DeviceHistory& history) {
  return budget_text(
      std::max<std::int64_t>(0, history.limits.ceiling.nanos() - history.spent_nanos));
}

}  // namespace

std::string odds_in_words(std::int64_t epsilon_nanos) {
  const double epsilon = static_cast<double>(epsilon_nanos) / Epsilon::kNanosPerUnit;
  const double percent = 100 / (1 + std::exp(-epsilon));
  // As few decimals as tell it from certainty. Whole numbers, because printing others is a large
  // part of what a page would load.
  std::string shown = "99.999999999";
  std::int64_t scale = 1;
  for (std::size_t decimals = 0; decimals <= 8; ++decimals, scale *= 10) {
    const auto rounded = static_cast<std::int64_t>(percent * static_cast<double>(scale) + 0.5);
    if (rounded >= 100 * scale) continue;
    shown = std::to_string(rounded);
    if (decimals > 0) shown.insert(shown.size() - decimals, ".");
    break;
  }
  return "whatever anyone thought before, 50% cannot become more than " + shown + "%";
}

Result<DeviceHistory> read_history(const Ledger& ledger, StateStore& store) {
  const Result<UserDecision> participation = read_participation(store);
  if (!participation) return participation.error();
  const Result<MachineBinding> machine = read_machine_binding(store);
  if (!machine) return machine.error();
  DeviceHistory history{*participation, *machine, ledger.limits(), ledger.spent_nanos(), {}};
  for (const Ledger::Entry& entry : ledger.entries()) {
    MetricHistory& metric =
        history.metrics.emplace_back(MetricHistory{entry, Standing::kLost, {}, {}});
    if (const Status read = read_metric(ledger, store, metric); !read) return read.error();
  }
  return history;
}

std::string to_json(const DeviceHistory& history) {
  JsonWriter out;
  out.begin_object().member("participation", name_of(history.participation));
  out.member("machine", name_of(history.machine));
  out.member("ceiling", history.limits.ceiling.text());
  out.member("spent", budget_text(history.spent_nanos)).member("left", budget_left(history));
  out.member("meaning", odds_in_words(history.spent_nanos)).key("metrics").begin_array();
  for (const MetricHistory& metric : history.metrics) {
    out.begin_object().member("metric", metric.entry.metric).key("season");
    out.value(metric.entry.season == 0 ? std::nullopt : std::optional(metric.entry.season));
    out.member("epsilon", metric.entry.epsilon.text());
    out.member("client", to_hex(metric.entry.client))
        .member("standing", standing_name(metric.standing));
    for (const auto& [key, lines] :
         {std::pair("sent", &metric.sent), {"waiting", &metric.waiting}}) {
      out.key(key).begin_array();
      for (const std::string& line : *lines) out.value(line);
      out.end_array();
    }
    out.member("meaning", odds_in_words(metric.entry.epsilon.nanos())).end_object();
  }
  return std::move(out.end_array().end_object()).take();
}

std::string to_text(const DeviceHistory& history) {
  std::string text = "participation  " + std::string(name_of(history.participation)) + "\n";
  text += "machine        " + std::string(name_of(history.machine)) + "\n";
  text += "epsilon        " + budget_text(history.spent_nanos) + " of " +
          history.limits.ceiling.text() + " spent, " + budget_left(history) + " left\n";
  text += "meaning        " + odds_in_words(history.spent_nanos) + "\n";
  for (const MetricHistory& metric : history.metrics) {
    text += "\n" + metric.entry.metric;
    if (metric.entry.season != 0) text += ", season " + std::to_string(metric.entry.season);
    text += ": epsilon " + metric.entry.epsilon.text() + ", " +
            std::string(standing_name(metric.standing)) + "\n";
    for (const std::string& line : metric.sent) text += "  sent     " + line + "\n";
    for (const std::string& line : metric.waiting) text += "  waiting  " + line + "\n";
  }
  return text;
}

}  // namespace futurerand
