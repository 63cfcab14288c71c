// The manifest of `compare`: a JSON document with everything needed to run the same comparison
// again, and with its results.
//
//   {"futurerand": VERSION, "compare": {...}, "document": {"results": [...], ...}}
//
// `compare` has the arguments of Python's function of this name. With groups of users
// {"groups": {NAME: {"compare": {...}}, ...}} takes its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/report/comparison.hpp"

namespace futurerand::apps {

// Writes the manifest. No seeds: the comparison's own.
std::string comparison_manifest(
    const std::vector<std::pair<std::string, const Comparison*>>& groups,
    const std::vector<std::string>& protocols, const std::vector<std::uint64_t>& seeds,
    const nlohmann::ordered_json& document);

// A manifest as read from a file.
class ComparisonManifest {
 public:
  struct Group {
    std::string name;                    // empty for a comparison without groups
    std::string values;                  // a file; empty: the built-in population
    std::optional<std::uint64_t> users;  // none: the default, or as many as in the file
  };

  // Throws bad_input if the file is no manifest, has no seed, or has users that only Python's
  // memory had.
  explicit ComparisonManifest(const std::string& path);

  // Without users. It has the seed, unless there are several.
  const SimulationQuestion& question() const { return question_; }
  const std::vector<std::string>& protocols() const { return protocols_; }  // empty: all
  const std::vector<std::uint64_t>& seeds() const { return seeds_; }        // empty: one
  const std::vector<Group>& groups() const { return groups_; }              // at least one

  // Throws failed if this document has other results. Times do not count.
  void check_results(const nlohmann::ordered_json& document) const;

 private:
  Group read_group(const std::string& name, const nlohmann::ordered_json& arguments);

  std::string path_, version_;
  SimulationQuestion question_;
  std::vector<std::string> protocols_;
  std::vector<std::uint64_t> seeds_;
  std::vector<Group> groups_;
  nlohmann::json results_;
};

}  // namespace futurerand::apps
