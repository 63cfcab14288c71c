#include "futurerand/collector/api/lifecycle_calls.hpp"

#include <algorithm>

#include "futurerand/collector/api/seasons.hpp"
#include "futurerand/collector/api/sums.hpp"
#include "futurerand/collector/api/write_refusal.hpp"
#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/writer/metric_presence.hpp"
#include "futurerand/documents/annotation_document.hpp"
#include "futurerand/documents/exported_metric.hpp"
#include "futurerand/estimator/coding/candidates.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

// Reads {"archived":false} and the like; an empty body says true.
Result<bool> read_wish(std::string_view body, const std::string& call, const std::string& key) {
  if (body.empty()) return true;
  const Result<nlohmann::json> parsed = parse_json_object(body, "the body");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, call, {key});
  const bool wish = object.boolean(key);
  if (object.error()) return *object.error();
  return wish;
}

Result<std::vector<std::string>> read_candidates(std::string_view body, const Coding& coding) {
  if (coding.kind() != CodingKind::kText) {
    return Error{"candidates are for values of kind text; the metric has values of kind " +
                 std::string(name_of(coding.kind()))};
  }
  const Result<nlohmann::json> parsed = parse_json_object(body, "the body");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "candidates", {"candidates"});
  std::vector<std::string> texts;
  for (const nlohmann::json& entry : object.array("candidates")) {
    const auto* text = entry.get_ptr<const std::string*>();
    if (text == nullptr) return Error{"a candidate is no text; expected texts"};
    texts.push_back(*text);
  }
  if (object.error()) return *object.error();
  const Result<std::vector<CandidateGroup>> groups = group_candidates(coding, texts);
  if (!groups) return groups.error();
  return texts;
}

// Whether tables can be of the devices whose reports the sums have: as many reported each period.
Status check_tables(const std::vector<PresenceTable>& tables, const std::optional<Presence>& empty,
                    const Sums& sums) {
  const Error unfit{"the presence does not have the plan's shape"};
  if (!empty) return tables.empty() ? Status() : unfit;
  if (tables.size() != empty->tables().size()) return unfit;
  for (const PresenceTable& table : tables) {
    if (!table.has_size_of(empty->tables().front(), empty->num_codes())) return unfit;
  }
  for (std::uint32_t g = 0; g < tables.size(); ++g) {
    for (Period t = 1; t <= empty->num_periods(); ++t) {
      const std::int64_t reported = tables[g].reported[t - 1].devices;
      for (const std::int64_t devices : {reported, tables[g].missing[t - 1].devices}) {
        if (devices < 0 || devices > std::int64_t{1} << 48) return unfit;
      }
      if (static_cast<std::uint64_t>(reported) != sums.stratum(g).at(0, t).count) {
        return Error{"the presence counts other devices than the sums, in period " +
                     std::to_string(t)};
      }
    }
  }
  return {};
}

// Fails where the figures cannot be of the plan, or of the time up to the export.
Result<FinalSeasons> read_final_seasons(const ExportedMetric& exported) {
  const Plan& plan = exported.definition.plan;
  const std::size_t codes = plan.coding.has_rows() ? plan.coding.num_codes() : 0;
  FinalSeasons seasons;
  for (const ExportedSeason& season : exported.seasons) {
    const std::string name = "season " + std::to_string(season.season);
    Result<Sums> sums = sums_of(plan, season.sums);
    if (!sums) return Error{name + ": " + sums.error().message};
    const auto fits = [&](const Panel& panel) {
      return panel.periods.size() <= plan.num_periods &&
             panel.rows.size() == panel.periods.size() * codes;
    };
    const Panel& panel = season.panel;
    if (!fits(panel) || panel.strata.size() != plan.segments.values().size() ||
        !std::all_of(panel.strata.begin(), panel.strata.end(), fits) ||
        exported.definition.seasons->first(season.season) > exported.period) {
      return Error{name + " does not have the plan's shape, or begins after the export"};
    }
    seasons.emplace(season.season,
                    std::make_shared<const FinalSeason>(FinalSeason{
                        *std::move(sums), std::make_shared<const Panel>(season.panel)}));
  }
  return seasons;
}

// As the log is to have it. Fails where the sums cannot be what devices of the plan sent.
Result<MetricImported> read_import(const std::string& name, std::string_view body) {
  Result<ExportedMetric> exported = parse_exported_metric(body);
  if (!exported) return exported.error();
  MetricDefinition& definition = exported->definition;
  definition.name = name;
  if (!is_metric_name(name)) return Error{"no metric is called " + shown(name)};
  const Result<PlanCertificate> certificate = certify(definition.plan);
  if (!certificate || !certificate->certified()) {
    return Error{"the plan does not certify its epsilon"};
  }
  if (exported->period > definition.closed_period()) {
    return Error{"its period is after the end of its clock"};
  }
  Result<Sums> sums = sums_of(definition.plan, exported->sums);
  if (!sums) return sums.error();
  std::optional<Presence> presence = empty_presence(definition);
  if (const Status fits = check_tables(exported->presence, presence, *sums); !fits) {
    return fits.error();
  }
  Fold fold(definition.plan, HashKey{}, std::move(presence));
  fold.adopt(*std::move(sums), exported->presence);
  if (!definition.seasons) {
    return MetricImported{to_json(definition), exported->period, FoldCheckpoint::save(fold, 0),
                          to_lines(exported->annotations)};
  }
  const Result<FinalSeasons> seasons = read_final_seasons(*exported);
  if (!seasons) return seasons.error();
  return MetricImported{to_json(definition), exported->period,
                        endless_sums(definition.plan, fold, *seasons),
                        to_lines(exported->annotations)};
}

}  // namespace

namespace {

// The counts of each season so far, with its figures.
std::vector<ExportedSeason> export_seasons(const Snapshot& snapshot, const MetricSnapshot& endless,
                                           const Panels& panels) {
  const MetricDefinition& definition = *endless.definition;
  std::vector<ExportedSeason> exported;
  for (const auto& [number, panel] : panels.seasons) {
    const std::string name = SeasonName{definition.name, number}.text();
    Sums sums(definition.plan);
    if (const auto counting = snapshot.find(name)) sums.merge(counting->sums);
    const auto final_one = endless.final_seasons->find(number);
    if (final_one != endless.final_seasons->end()) sums.merge(final_one->second->sums);
    std::uint64_t devices = 0;
    for (const std::uint64_t enrolled : sums.enrolled_by_period()) devices = enrolled;
    exported.push_back(
        {number, document_of(definition.plan, sums, name, panels.current, devices), *panel});
  }
  return exported;
}

}  // namespace

ApiResponse export_response(const Snapshot& snapshot, const MetricSnapshot& metric, Period current,
                            const Panels* panels) {
  const MetricDefinition& definition = *metric.definition;
  ExportedMetric exported{
      definition, current,
      document_of(definition.plan, metric.sums, definition.name, current, metric.devices),
      metric.presence == nullptr ? std::vector<PresenceTable>() : metric.presence->tables()};
  exported.annotations = metric.annotations;
  if (panels != nullptr) exported.seasons = export_seasons(snapshot, metric, *panels);
  return json_response(to_json(exported));
}

void LifecycleCalls::show(const std::string& name, int status, const Respond& respond) {
  // The writer has published it before it answers. The document is made where it is sent.
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_such_metric(name));
  ApiResponse shown;
  shown.status = status;
  shown.make_body = [this, metric] { return metrics_.document_of(*metric) + '\n'; };
  respond(std::move(shown));
}

void LifecycleCalls::close(const Call& call, const Respond& respond) {
  const std::string& name = call.argument;
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_such_metric(name));
  const Result<bool> closed = read_wish(call.request.body, "close", "closed");
  if (!closed) return respond(error_response(400, "bad_close", closed.error().message));
  const auto answered = [this, name, respond, closed = *closed](const WriteAnswer& answer) {
    if (auto refused = write_refusal(answer.written)) return respond(*std::move(refused));
    if (answer.written == Written::kConflict) {
      return respond(
          error_response(409, "erased",
                         "metric '" + name +
                             "' stays closed: its time is over, or its device records are erased"));
    }
    say_(closed ? Event::kMetricClosed : Event::kMetricReopened,
         "metric '" + name + (closed ? "' is closed" : "' is reopened") + " by the operator");
    show(name, 200, respond);
  };
  if (*closed) {
    writer_.change(MetricEnded{.metric = metric->number, .keeps_devices = true}, answered);
  } else {
    writer_.change(MetricReopened{metric->number}, answered);
  }
}

void LifecycleCalls::archive(const Call& call, const Respond& respond) {
  const std::string& name = call.argument;
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_such_metric(name));
  const Result<bool> archived = read_wish(call.request.body, "archive", "archived");
  if (!archived) return respond(error_response(400, "bad_archive", archived.error().message));
  writer_.change(
      MetricArchived{metric->number, *archived},
      [this, name, respond, archived = *archived](const WriteAnswer& answer) {
        if (auto refused = write_refusal(answer.written)) {
          return respond(*std::move(refused));
        }
        if (answer.written == Written::kConflict) {
          return respond(error_response(409, "not_closed",
                                        "metric '" + name + "' still counts; close it first"));
        }
        say_(Event::kMetricArchived,
             "metric '" + name + (archived ? "' is archived" : "' is no longer archived"));
        show(name, 200, respond);
      });
}

void LifecycleCalls::add_candidates(const Call& call, const Respond& respond) {
  const std::string& name = call.argument;
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_such_metric(name));
  const Result<std::vector<std::string>> texts =
      read_candidates(call.request.body, metric->definition->plan.coding);
  if (!texts) return respond(error_response(400, "bad_candidates", texts.error().message));
  writer_.change(CandidatesAdded{metric->number, to_lines(*texts)}, [this, name, respond](
                                                                        const WriteAnswer& answer) {
    if (auto refused = write_refusal(answer.written)) {
      return respond(*std::move(refused));
    }
    if (answer.written == Written::kConflict) {
      return respond(error_response(400, "bad_candidates",
                                    "metric '" + name + "' would have more than " +
                                        std::to_string(Coding::kMaxLabels) + " candidates"));
    }
    show(name, 200, respond);
  });
}

void LifecycleCalls::annotate(const Call& call, const Respond& respond) {
  const std::string& name = call.argument;
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_such_metric(name));
  const Result<Annotation> note = read_annotation(call.request.body, *metric->definition);
  if (!note) return respond(error_response(400, "bad_annotation", note.error().message));
  writer_.change(
      MetricAnnotated{metric->number, to_lines({*note})},
      [this, name, respond](const WriteAnswer& answer) {
        if (auto refused = write_refusal(answer.written)) {
          return respond(*std::move(refused));
        }
        if (answer.written == Written::kConflict) {
          return respond(error_response(409, "cannot_annotate",
                                        "metric '" + name + "' is closed, or has " +
                                            std::to_string(kMaxAnnotations) +
                                            " annotations; expected an open metric with fewer"));
        }
        show(name, 200, respond);
      });
}

void LifecycleCalls::remove(const Call& call, const Respond& respond) {
  const std::string& name = call.argument;
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_such_metric(name));
  writer_.change(MetricDeleted{metric->number}, [this, name, respond](const WriteAnswer& answer) {
    if (auto refused = write_refusal(answer.written)) return respond(*std::move(refused));
    if (answer.written == Written::kConflict) {
      return respond(error_response(409, "log_kept",
                                    "this collector keeps its whole log (--keep-log); restart it "
                                    "without that flag to delete a metric"));
    }
    say_(Event::kMetricDeleted, "metric '" + name + "' is deleted");
    JsonWriter json;
    json.begin_object().member("deleted", name).end_object();
    respond(json_response(std::move(json).take()));
  });
}

void LifecycleCalls::import(const Call& call, const Respond& respond) {
  const std::string& name = call.argument;
  Result<MetricImported> imported = read_import(name, call.request.body);
  if (!imported) return respond(error_response(400, "bad_import", imported.error().message));
  writer_.change(*std::move(imported), [this, name, respond](const WriteAnswer& answer) {
    if (auto refused = write_refusal(answer.written)) return respond(*std::move(refused));
    if (answer.written == Written::kConflict) {
      return respond(error_response(409, "exists", "a metric '" + name + "' exists"));
    }
    say_(Event::kMetricImported, "imported metric '" + name + "'");
    show(name, 201, respond);
  });
}

}  // namespace futurerand
