// CodedRows: the rows of an answer about values, from the sums by row that presence keeps.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/estimator/active_counts.hpp"
#include "futurerand/estimator/answer_row.hpp"
#include "futurerand/estimator/coding/value_question.hpp"

namespace futurerand {

// More rows than this are refused. The page asks for far fewer.
inline constexpr std::size_t kMaxCodedRows = 100'000;

struct CodedRange {
  InactiveRule rule;
  Period from;  // 1 <= from; empty if to < from
  Period to;    // below rule.current
  Period window;
  double level;
  bool simultaneous;  // over all rows of an answer for the whole horizon
};

// Fails if the coding has no such rows, has no such label, or they are too many. Requires a coding
// with rows, and sums and presence of the plan.
Result<std::vector<AnswerRow>> coded_rows(const Plan& plan, const Sums& sums,
                                          const Presence& presence, const CodedRange& range,
                                          const ValueQuestion& question);

// Returns by how much one device can move an answer at most, if it moves a yes/no count by one.
double coded_influence(const Coding& coding, const ValueQuestion& question);

}  // namespace futurerand
