#include "futurerand/documents/panel_document.hpp"

#include <cmath>
#include <vector>

namespace futurerand {
namespace {

std::vector<double> read_figures(JsonObject& object, std::string_view key) {
  std::vector<double> figures;
  for (const nlohmann::json& entry : object.array(key)) {
    const double figure = entry.is_number() ? entry.get<double>() : std::nan("");
    if (!std::isfinite(figure)) {
      object.fail(std::string(key) + " has an element that is no number");
      return {};
    }
    figures.push_back(figure);
  }
  return figures;
}

constexpr double PanelPeriod::*kFigures[] = {&PanelPeriod::value, &PanelPeriod::variance,
                                             &PanelPeriod::devices, &PanelPeriod::reports};
constexpr const char* kFigureNames[] = {"value", "variance", "devices", "reports"};

}  // namespace

void put_panel(JsonWriter& json, const Panel& panel) {
  for (std::size_t i = 0; i < std::size(kFigures); ++i) {
    json.key(kFigureNames[i]).begin_array();
    for (const PanelPeriod& at : panel.periods) json.value(at.*kFigures[i]);
    json.end_array();
  }
  if (!panel.rows.empty()) {
    json.key("rows").begin_array();
    for (const float row : panel.rows) json.value(static_cast<double>(row));
    json.end_array();
  }
  if (panel.strata.empty()) return;
  json.key("segments").begin_array();
  for (const Panel& one : panel.strata) {
    put_panel(json.begin_object(), one);
    json.end_object();
  }
  json.end_array();
}

Panel read_panel(JsonObject& object) {
  Panel panel;
  for (std::size_t i = 0; i < std::size(kFigures); ++i) {
    const std::vector<double> figures = read_figures(object, kFigureNames[i]);
    if (i == 0) panel.periods.resize(figures.size());
    if (figures.size() != panel.periods.size()) {
      object.fail(std::string(kFigureNames[i]) + " has another length than value");
    }
    if (object.error()) return {};
    for (std::size_t t = 0; t < figures.size(); ++t) panel.periods[t].*kFigures[i] = figures[t];
  }
  for (const PanelPeriod& at : panel.periods) {
    if (at.variance < 0 || at.devices < 0 || at.reports < 0) object.fail("figures are negative");
  }
  if (object.has("rows")) {
    for (const double row : read_figures(object, "rows")) {
      panel.rows.push_back(static_cast<float>(row));
    }
  }
  if (!object.has("segments")) return panel;
  for (const nlohmann::json& entry : object.array("segments")) {
    JsonObject one(entry, object.where() + ": segments");
    panel.strata.push_back(read_panel(one));
    if (!one.error() && !panel.strata.back().strata.empty()) one.fail("segments of a segment");
    if (one.error()) object.fail(one.error()->message);
  }
  return panel;
}

}  // namespace futurerand
