#include "futurerand/documents/exported_metric.hpp"

#include <algorithm>

#include "futurerand/documents/annotation_document.hpp"
#include "futurerand/documents/panel_document.hpp"
#include "futurerand/documents/presence_document.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric_json.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kExportFormat = "futurerand metric 1";

std::string text_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <typename Number>
bool add_numbers(std::vector<Number>& to, const std::vector<Number>& more) {
  if (to.size() != more.size()) return false;
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (__builtin_add_overflow(to[i], more[i], &to[i])) return false;
  }
  return true;
}

bool add_view(ViewSumsDocument& to, const ViewSumsDocument& more) {
  return to.order == more.order && add_numbers(to.sums, more.sums) &&
         add_numbers(to.counts, more.counts) && add_numbers(to.spoken, more.spoken) &&
         add_numbers(to.enrolled, more.enrolled) &&
         add_numbers(to.snapshot_devices, more.snapshot_devices);
}

bool add_tables(std::vector<PresenceTable>& to, const std::vector<PresenceTable>& more) {
  if (to.size() != more.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!to[i].add(more[i])) return false;
  }
  return true;
}

bool add_views(std::vector<ViewSumsDocument>& to, const std::vector<ViewSumsDocument>& more) {
  if (to.size() != more.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!add_view(to[i], more[i])) return false;
  }
  return true;
}

bool add_sums(SumsDocument& to, const SumsDocument& more) {
  if (!add_views(to.views, more.views) || to.segments.size() != more.segments.size() ||
      __builtin_add_overflow(to.devices, more.devices, &to.devices)) {
    return false;
  }
  for (std::size_t g = 0; g < to.segments.size(); ++g) {
    if (to.segments[g].segment != more.segments[g].segment ||
        !add_views(to.segments[g].views, more.segments[g].views)) {
      return false;
    }
  }
  return true;
}

// Seasons are listed by number.
bool add_seasons(std::vector<ExportedSeason>& to, const std::vector<ExportedSeason>& more) {
  for (const ExportedSeason& season : more) {
    const auto at = std::lower_bound(
        to.begin(), to.end(), season.season,
        [](const ExportedSeason& one, std::int64_t number) { return one.season < number; });
    if (at == to.end() || at->season != season.season) {
      to.insert(at, season);
      continue;
    }
    if (!add_sums(at->sums, season.sums)) return false;
    add(at->panel, season.panel);
  }
  return true;
}

void put_seasons(JsonWriter& json, const std::vector<ExportedSeason>& seasons) {
  json.key("seasons").begin_array();
  for (const ExportedSeason& season : seasons) {
    json.begin_object().member("season", season.season);
    json.key("sums").json(to_json(season.sums));
    put_panel(json, season.panel);
    json.end_object();
  }
  json.end_array();
}

Result<std::vector<ExportedSeason>> read_seasons(JsonObject& object) {
  std::vector<ExportedSeason> seasons;
  for (const nlohmann::json& entry : object.array("seasons")) {
    JsonObject one(entry, object.where() + ": seasons");
    ExportedSeason season;
    season.season = one.integer32("season", 1, UINT32_MAX);
    const std::string text = text_of(one.object("sums"));
    season.panel = read_panel(one);
    if (one.error()) return *one.error();
    Result<SumsDocument> sums = parse_sums(text);
    if (!sums) return sums.error();
    season.sums = *std::move(sums);
    if (!seasons.empty() && seasons.back().season >= season.season) {
      return Error{one.where() + " are not in order"};
    }
    seasons.push_back(std::move(season));
  }
  return seasons;
}

}  // namespace

std::string to_json(const ExportedMetric& exported) {
  JsonWriter json(1024);
  json.begin_object().member("format", kExportFormat);
  json.key("definition").json(to_json(exported.definition)).member("period", exported.period);
  json.key("sums").json(to_json(exported.sums));
  if (!exported.presence.empty()) put_presence_tables(json.key("presence"), exported.presence);
  if (exported.definition.seasons) put_seasons(json, exported.seasons);
  put_annotations(json, exported.annotations);
  return std::move(json.end_object()).take();
}

Result<ExportedMetric> parse_exported_metric(std::string_view json) {
  const std::string where = "the exported metric";
  const Result<nlohmann::json> parsed = parse_json_object(json, where);
  if (!parsed) return parsed.error();
  // The version first: what else a later one has is not for this one to judge.
  JsonObject any(*parsed, where);
  const std::string& format = any.text("format");
  if (any.error()) return *any.error();
  if (format != kExportFormat) {
    return Error{where + " is of the format " + shown(format) + "; expected '" +
                 std::string(kExportFormat) +
                 "': the futurerand that wrote it, or a newer one, can read it"};
  }
  JsonObject object(
      *parsed, where,
      {"format", "definition", "period", "sums", "presence", "seasons", "annotations"});
  const nlohmann::json& definition = object.object("definition");
  const Period period = object.integer32("period", 0, UINT32_MAX);
  const std::string sums = text_of(object.object("sums"));
  if (object.error()) return *object.error();
  Result<MetricDefinition> metric = read_metric(definition);
  if (!metric) return metric.error();
  Result<SumsDocument> counted = parse_sums(sums);
  if (!counted) return counted.error();
  ExportedMetric exported{*std::move(metric), period, *std::move(counted)};
  if (exported.definition.seasons) {
    Result<std::vector<ExportedSeason>> seasons = read_seasons(object);
    if (!seasons) return seasons.error();
    exported.seasons = *std::move(seasons);
  }
  if (object.has("annotations")) exported.annotations = read_annotations(object);
  if (object.has("presence")) exported.presence = read_presence_tables(object, "presence");
  if (object.error()) return *object.error();
  return exported;
}

Result<ExportedMetric> merged(const ExportedMetric& one, const ExportedMetric& other) {
  const MetricDefinition& first = one.definition;
  const MetricDefinition& second = other.definition;
  const std::string names = "metrics '" + first.name + "' and '" + second.name + "'";
  if (to_json(first.plan) != to_json(second.plan)) {
    return Error{names + " have different plans; expected what collectors counted of one plan"};
  }
  if (first.seasons != second.seasons) {
    return Error{names + " have different seasons; expected the same every and rest"};
  }
  if (first.clock != second.clock) {
    return Error{names + " have different clocks: their periods are not the same time"};
  }
  if (first.inactive_after != second.inactive_after ||
      first.transcript_cap != second.transcript_cap) {
    return Error{names +
                 " have different rules for who is active; expected the same "
                 "inactive_after and transcript_cap"};
  }
  if (!first.seasons && one.sums.devices > 0 && one.sums.views == other.sums.views) {
    return Error{names + " have the very same sums: one file twice would count its devices twice"};
  }
  for (const std::string& source : second.sources) {
    if (std::count(first.sources.begin(), first.sources.end(), source) == 0) continue;
    return Error{names + " overlap: both have devices of the collection " + source +
                 ", which would count twice; expected exports of collectors that served "
                 "different devices"};
  }
  ExportedMetric both = one;
  both.definition.sources.insert(both.definition.sources.end(), second.sources.begin(),
                                 second.sources.end());
  both.period = both.sums.current_period = std::min(one.period, other.period);
  const bool fits = add_sums(both.sums, other.sums) && add_tables(both.presence, other.presence) &&
                    add_seasons(both.seasons, other.seasons);
  for (const Annotation& note : other.annotations) {
    Result<std::vector<Annotation>> all = annotate(both.annotations, note);
    if (!all) return Error{names + ": " + all.error().message};
    both.annotations = *std::move(all);
  }
  if (!fits) return Error{names + " have sums of different shapes, or too large to add"};
  return both;
}

}  // namespace futurerand
