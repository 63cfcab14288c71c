// Comparison: the result of `compare`, for its text, its JSON and its page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/report/error_curves.hpp"
#include "apps/report/simulation_report.hpp"
#include "futurerand/documents/csv_writer.hpp"

namespace futurerand::apps {

struct Comparison : ComparisonAnswer {
  SimulationQuestion question;              // without its panel
  std::vector<ErrorCurve> against_changes;  // predicted, for other k; only for the page
};

// The columns of a result as CSV. They are empty for an unavailable protocol.
inline constexpr std::string_view kComparisonColumns =
    "protocol,users,periods,max_changes,epsilon,trials,rmse,max_error,predicted_rmse,band_coverage,"
    "bits_per_user,first_answer,guarantee,seconds,online,clipping_bias";
void put_row(CsvWriter& csv, const Comparison& comparison, const TimedResult& timed);
void put_row(CsvWriter& csv, const Comparison& comparison, const Unavailable& missing);

// Writes a LaTeX table (booktabs) of the results, with confidence intervals of the errors for two
// trials or more. Its first line, a comment, has the setting.
std::string comparison_latex(const Comparison& comparison, std::string_view group,
                             const std::vector<std::uint64_t>& seeds);

// Explains the columns of a table of results, a few on each line.
std::vector<std::string> figures_legend(double level);

// Warns in one sentence about estimates too noisy to be useful; empty if there are none.
std::string too_noisy_protocols(const Comparison& comparison);

// Writes one self-contained page: no network, no script.
std::string comparison_page(const Comparison& comparison);

}  // namespace futurerand::apps
