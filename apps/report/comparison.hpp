// Comparison: what `compare` found, for its text, its JSON and its page.
#pragma once

#include <string>
#include <vector>

#include "apps/report/error_curves.hpp"
#include "apps/report/simulation_report.hpp"

namespace futurerand::apps {

struct Comparison : ComparisonAnswer {
  SimulationFlags flags;
  SimulationQuestion question;              // without its panel
  std::vector<ErrorCurve> against_changes;  // predicted, for other k; only for the page
};

// Returns the columns of a result, without line ends; those of a protocol that cannot serve are
// empty.
std::string csv_header();
std::string csv_row(const Comparison& comparison, const TimedResult& timed);
std::string csv_row(const Comparison& comparison, const Unavailable& missing);

// Says what the columns of a table of results mean, a line for each few of them.
std::vector<std::string> figures_legend(double level);

// Warns in one sentence about estimates that are too noisy to be useful; empty if none is.
std::string too_noisy_protocols(const Comparison& comparison);

// Writes one self-contained page: no network, no script.
std::string comparison_page(const Comparison& comparison);

}  // namespace futurerand::apps
