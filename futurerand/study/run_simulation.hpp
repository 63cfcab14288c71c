// Runs real devices and the real estimator over a population, and measures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/study/simulation_question.hpp"

namespace futurerand {

struct TimedResult {
  SimulationResult result;
  double seconds;
};

// How far liars moved the period that they moved the most, beside the bound for it.
struct Moved {
  std::uint64_t liars = 0;
  Period period = 0;
  double each = 0;
  double most = 0;
};

struct SimulationAnswer {
  std::uint64_t num_users;
  TimedResult timed;
  bool has_churn = false;  // devices come and go, or lie: the figures count the estimand's
  Estimand estimand = Estimand::kEnrolled;
  std::optional<Moved> moved = {};
  // Of a metric without an end: how much noisier the step into a season is than others, or none for
  // one cycle only.
  std::optional<double> step_noise_ratio = {};
};

// Fails where the protocol cannot serve the question, and once stopped.
Result<SimulationAnswer> run_simulation(const SimulationQuestion& question,
                                        const Progress& progress);

// This says what to do with a protocol that cannot serve the question: fail, or list it as
// unavailable.
enum class Unserved { kRefused, kListed };

struct Unavailable {
  std::string protocol;
  std::string reason;
};

struct ComparisonAnswer {
  std::uint64_t num_users = 0;
  // Protocols are never listed as equals: those that are private over the whole sequence come
  // first, whatever their error; then by error.
  std::vector<TimedResult> results = {};
  std::vector<Unavailable> unavailable = {};
};

// Sorts results into that order.
void sort_results(std::vector<TimedResult>& results);

// Runs several protocols over one population; all of them if none is named. It ignores churn.
Result<ComparisonAnswer> run_comparison(const std::vector<std::string>& protocols,
                                        const SimulationQuestion& question, Unserved unserved,
                                        const Progress& progress);

}  // namespace futurerand
