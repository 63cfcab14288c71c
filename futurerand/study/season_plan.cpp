#include "futurerand/study/season_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "futurerand/core/plan/season_prediction.hpp"

namespace futurerand {
namespace {

// One period, parts and multiples of the window, and a life.
std::set<Period> lengths_for(Period window, Period life) {
  std::set<Period> lengths = {1, life};
  for (const double times : {1.0 / 6, 1.0 / 3, 2.0 / 3, 1.0, 2.0, 4.0}) {
    const auto length = static_cast<Period>(std::lround(times * window));
    if (length >= 4 && length <= life) lengths.insert(length);
  }
  return lengths;
}

}  // namespace

Result<SeasonPlan> make_season_plan(const PlanQuestion& question, const Progress& progress) {
  const Result<Coding> coding = question.coding();
  if (!coding) return coding.error();
  if (question.initial != Initial::kUnknown) {
    return Error{
        "initial zero: devices of a metric without an end join at any time; expected "
        "unknown"};
  }
  SeasonPlan plan;
  const std::set<Period> lengths = lengths_for(*question.window, question.life);
  double done = 0;
  for (const Period length : lengths) {
    progress.show(done++ / static_cast<double>(lengths.size()));
    if (progress.stopped()) return interrupted();
    const Result<Calendar> calendar = calendar_for(length, *question.window);
    if (!calendar) return calendar.error();
    const Protocol protocol = length == 1 ? Protocol::kOnce : Protocol::kInnovation;
    const std::uint32_t changes = changes_in_season(length, question.change_every);
    const Result<Plan> season =
        make_plan(protocol, length, changes, question.epsilon, question.initial, *coding);
    if (!season) continue;  // too many changes for this number of periods
    SeasonChoice choice{*calendar, protocol, changes};
    choice.share_sd = season_share_sd(*season, *calendar, question.resolution) /
                      std::sqrt(static_cast<double>(question.users));
    choice.in_window = calendar->seasons_in(*question.window);
    choice.in_life = calendar->seasons_in(question.life);
    plan.choices.push_back(choice);
  }
  if (plan.choices.empty()) return Error{"no season serves; expected a larger change_every"};
  const double least =
      std::min_element(plan.choices.begin(), plan.choices.end(), [](const auto& a, const auto& b) {
        return a.share_sd < b.share_sd;
      })->share_sd;
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    if (plan.choices[i].share_sd <= kErrorAllowance * least) plan.best = i;
  }
  return plan;
}

}  // namespace futurerand
