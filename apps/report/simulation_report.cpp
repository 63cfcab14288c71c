#include "apps/report/simulation_report.hpp"

#include <cmath>

#include <fmt/core.h>

#include "apps/report/chart.hpp"
#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
std::string guarantee_text(const ProtocolTraits& traits) {
  std::string text(name_of(traits.guarantee));
  if (!traits.online) text += ", offline";
  return text + (traits.note.empty() ? "" : "; " + traits.note);
}

std::string first_answer(const ProtocolTraits& traits) {
  return traits.online ? fmt::format("period {}", traits.first_answer) : "after all";
}

bool has_answer(const SimulationResult& result) { return result.undetermined < 1; }

std::string rmse_text(const SimulationResult& result) {
  return has_answer(result) ? with_commas(result.rmse) : "no answer";
}

std::string max_error_text(const SimulationResult& result) {
  return has_answer(result) ? with_commas(result.max_error) : "-";
}

std::string coverage_text(const SimulationResult& result) {
  return std::isfinite(result.band_coverage) ? fmt::format("{:.1f}%", 100 * result.band_coverage)
                                             : "-";
}

namespace {

std::string value_in_words(const SimulationQuestion& question) {
  const auto [low, high] = question.range;
  switch (question.value) {
    case CodingKind::kNumber:
      return fmt::format(
          "\nnumbers from {:g} to {:g}: each user counts as its share of the range, and a "
          "change is a move by all of it",
          low, high);
    case CodingKind::kCategory:
      return fmt::format("\nlabels ({}): errors are over the counts of all labels",
                         question.labels.value_or(""));
    case CodingKind::kDistribution:
      return fmt::format(
          "\nvalues from {:g} to {:g} in {} buckets: errors are over how many values are below "
          "each of the {} thresholds",
          low, high, question.buckets, question.buckets - 1);
    case CodingKind::kYesNo:
    case CodingKind::kText:
      return "";
  }
  return "";
}

}  // namespace

std::string describe(const SimulationQuestion& question, std::uint64_t num_users) {
  return fmt::format(
      "{} ({}), {}, at most {} each, epsilon {} over the whole horizon;\n{}, engine {}{}{}",
      counted(num_users, "user"), question.source(), counted(question.periods, "period"),
      counted(question.changes, "change"), question.epsilon.text(),
      counted(question.trials, "trial"), name_of(question.engine),
      question.seed ? fmt::format("; seed {}, {}", *question.seed, kSeededNote) : "",
      value_in_words(question));
}

std::string draw_chart(const SimulationResult& result, double level) {
  std::vector<ChartPoint> points;
  for (const SimulatedPeriod& at : result.periods) {
    points.push_back({at.truth, at.estimate, at.band.lower, at.band.upper});
  }
  return draw_chart(points, level);
}

}  // namespace futurerand::apps
