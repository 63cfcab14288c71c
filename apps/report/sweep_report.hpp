// The result of a sweep, as a table with bars, as CSV, as JSON and as a page with a chart.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/report/comparison.hpp"

namespace futurerand::apps {

struct SweepPoint {
  std::string value;  // of the parameter, as it was typed
  Comparison comparison;
};

struct SweepResult {
  std::string parameter;
  std::vector<SweepPoint> points;
};

// Every value and protocol has its row everywhere; an unavailable one has its reason.
std::string to_text(const SweepResult& sweep);
std::string to_csv(const SweepResult& sweep);
nlohmann::ordered_json to_json(const SweepResult& sweep);
// Writes one self-contained page: no network, no script.
std::string sweep_page(const SweepResult& sweep);

}  // namespace futurerand::apps
