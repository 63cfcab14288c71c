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

// The largest shift of a period by adversaries, beside its bound.
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
  // For a metric without an end: the noise of the step into a season relative to others, or none
  // for one cycle only.
  std::optional<double> step_noise_ratio = {};
};

// Fails if the question is outside the protocol's range, and once stopped.
Result<SimulationAnswer> run_simulation(const SimulationQuestion& question,
                                        const Progress& progress);

// The treatment of a protocol unable to serve the question: fail, or list it as unavailable.
enum class Unserved { kRefused, kListed };

struct Unavailable {
  std::string protocol;
  std::string reason;
};

struct ComparisonAnswer {
  std::uint64_t num_users = 0;
  // Protocols are never listed as equals. Those with privacy over the whole sequence come first,
  // whatever their error. Then the error decides.
  std::vector<TimedResult> results = {};
  std::vector<Unavailable> unavailable = {};
};

// Sorts results into this order.
void sort_results(std::vector<TimedResult>& results);

// Runs several protocols over one population; all of them if none is named. It ignores churn.
Result<ComparisonAnswer> run_comparison(const std::vector<std::string>& protocols,
                                        const SimulationQuestion& question, Unserved unserved,
                                        const Progress& progress);

}  // namespace futurerand
