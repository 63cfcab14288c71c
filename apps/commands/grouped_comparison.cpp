#include "apps/commands/grouped_comparison.hpp"

#include <algorithm>
#include <utility>

#include "apps/cli/interrupt.hpp"
#include "apps/cli/progress_bar.hpp"
#include "apps/commands/sweep_command.hpp"
#include "futurerand/study/pooled_result.hpp"
#include "futurerand/study/simulation_document.hpp"

namespace futurerand::apps {
namespace {

// Requires comparisons of the same protocols.
Comparison pool(const std::vector<Comparison>& by_seed) {
  Comparison all = by_seed.front();
  if (by_seed.size() == 1) return all;
  all.question.seed.reset();  // there are several
  for (TimedResult& timed : all.results) {
    std::vector<SimulationResult> results;
    timed.seconds = 0;
    for (const Comparison& one : by_seed) {
      for (const TimedResult& found : one.results) {
        if (found.result.traits.name != timed.result.traits.name) continue;
        results.push_back(found.result);
        timed.seconds += found.seconds;
      }
    }
    timed.result = pooled(results);
  }
  sort_results(all.results);
  return all;
}

}  // namespace

GroupedQuestion question_of(const ComparisonManifest& manifest) {
  GroupedQuestion question;
  question.simulation.asked = manifest.question();
  question.protocols = manifest.protocols();
  question.seeds = manifest.seeds();
  question.groups = manifest.groups();
  if (question.groups.front().name.empty()) {
    question.simulation.values = question.groups.front().values;
    question.simulation.asked.users = question.groups.front().users;
    question.groups.clear();
  }
  return question;
}

std::vector<GroupResult> run_comparisons(const GroupedQuestion& question) {
  ProgressBar bar("compare");
  const Unserved unserved = question.protocols.empty() ? Unserved::kListed : Unserved::kRefused;
  std::vector<ComparisonManifest::Group> groups = question.groups;
  if (groups.empty()) groups.push_back({"", question.simulation.values, {}});
  const std::size_t seeds = std::max<std::size_t>(1, question.seeds.size());
  const auto parts = static_cast<double>(groups.size() * seeds);
  double done = 0;
  std::vector<GroupResult> found;
  for (const ComparisonManifest::Group& group : groups) {
    SimulationFlags simulation = question.simulation;
    simulation.values = group.values;
    if (group.users) simulation.asked.users = group.users;
    std::vector<Comparison> by_seed;
    for (std::size_t i = 0; i < seeds; ++i, ++done) {
      if (!question.seeds.empty()) simulation.asked.seed = question.seeds[i];
      const Progress part{&catch_interrupts(),
                          [&](double share) { bar.show((done + share) / parts); }};
      by_seed.push_back(compare_by(simulation, question.protocols, unserved, part));
    }
    Comparison all = pool(by_seed);
    found.push_back({group.name, std::move(by_seed), std::move(all)});
  }
  return found;
}

nlohmann::ordered_json document_of(const std::vector<GroupResult>& groups) {
  nlohmann::ordered_json document;
  for (const GroupResult& group : groups) {
    const auto append = [&](const char* list, nlohmann::ordered_json rows) {
      for (auto& row : rows) {
        if (!group.name.empty()) row["group"] = group.name;
        document[list].push_back(std::move(row));
      }
    };
    for (const char* list : {"results", "unavailable"}) {
      if (!document.contains(list)) document[list] = nlohmann::ordered_json::array();
    }
    for (const Comparison& one : group.by_seed)
      append("results", to_json(one.question, one)["results"]);
    append("unavailable", to_json(group.all.question, group.all)["unavailable"]);
    if (group.by_seed.size() > 1)
      append("pooled", to_json(group.all.question, group.all)["results"]);
  }
  return document;
}

}  // namespace futurerand::apps
