// Flags that several commands share, with their ranges and defaults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/study/ranges.hpp"

namespace futurerand::apps {

enum class Format { kText, kJson, kCsv };

// Adds --format; it takes csv only where a command has a table.
void add_format(CLI::App& command, Format& format, bool with_csv = false);

// Adds --delta, of the central guarantee when reports are shuffled.
void add_delta(CLI::App& command, double& delta);

// The check of a flag whose value may be asked for in this range (study/ranges.hpp).
template <typename T>
CLI::Range in_range(const AllowedRange<T>& range) {
  return CLI::Range(range.low, range.high);
}

// Checks that a text is a number. CLI::Range lets nan through, which is neither below nor above.
std::string is_number(const std::string& text);

// Joins names as "a, b, c", for messages.
std::string join(const std::vector<std::string_view>& names);

// These are --estimator and --level.
struct EstimatorFlags {
  std::string estimator = "online";
  double level = 0.95;

  void add_to(CLI::App& command);

  EstimatorKind kind() const;
};

// These are --protocol, --periods, --changes and --epsilon.
struct PlanFlags {
  std::string protocol = "hybrid";
  Period periods = 256;
  std::uint32_t changes = 4;
  std::string epsilon = "1";

  void add_to(CLI::App& command, bool with_protocol);

  Protocol chosen_protocol() const;
  Epsilon budget() const;
  Plan plan() const;
};

}  // namespace futurerand::apps
