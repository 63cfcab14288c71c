// The comparisons of one `compare`: one for each group of users and each seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/cli/flags.hpp"
#include "apps/report/comparison.hpp"
#include "apps/report/comparison_manifest.hpp"

namespace futurerand::apps {

struct GroupedQuestion {
  SimulationFlags simulation;
  std::vector<std::uint64_t> seeds;               // none: the seed of the simulation
  std::vector<ComparisonManifest::Group> groups;  // none: one population
  std::vector<std::string> protocols;             // all of them if empty
};

// The question that a manifest answers.
GroupedQuestion question_of(const ComparisonManifest& manifest);

// The results of one group.
struct GroupResult {
  std::string name;
  std::vector<Comparison> by_seed;
  Comparison all;  // pooled over the seeds
};

// Runs all of them, with a progress bar. At least one group comes back.
std::vector<GroupResult> run_comparisons(const GroupedQuestion& question);

// All results one by one, and those over several seeds pooled.
nlohmann::ordered_json document_of(const std::vector<GroupResult>& groups);

}  // namespace futurerand::apps
