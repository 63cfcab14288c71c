#include <cmath>

#include "apps/report/comparison.hpp"

namespace futurerand::apps {
namespace {

void put_setting(CsvWriter& csv, const Comparison& comparison, const std::string& protocol) {
  const SimulationQuestion& plan = comparison.question;
  csv.cell(protocol).cell(comparison.num_users).cell(plan.periods).cell(plan.changes);
  csv.cell(plan.epsilon.text());
}

}  // namespace

void put_row(CsvWriter& csv, const Comparison& comparison, const TimedResult& timed) {
  const SimulationResult& result = timed.result;
  const ProtocolTraits& traits = result.traits;
  put_setting(csv, comparison, traits.name);
  csv.cell(result.trials)
      .cell(result.rmse)
      .cell(has_answer(result) ? result.max_error : NAN)
      .cell(result.predicted_rmse);
  csv.cell(result.band_coverage).cell(traits.bits_per_user).cell(traits.first_answer);
  csv.cell(name_of(traits.guarantee)).cell(timed.seconds).cell(traits.online);
  csv.cell(result.clipping_bias);
}

void put_row(CsvWriter& csv, const Comparison& comparison, const Unavailable& missing) {
  put_setting(csv, comparison, missing.protocol);
  constexpr int kResults = 11;
  for (int i = 0; i < kResults; ++i) csv.cell("");
}

}  // namespace futurerand::apps
