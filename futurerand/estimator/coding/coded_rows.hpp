// CodedRows: the rows of an answer about values, from the sums by row in presence.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <memory>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/estimator/active_counts.hpp"
#include "futurerand/estimator/answer_row.hpp"
#include "futurerand/estimator/coding/coded_counts.hpp"
#include "futurerand/estimator/coding/value_question.hpp"

namespace futurerand {

// More rows than this are refused. The page asks for far fewer.
inline constexpr std::size_t kMaxCodedRows = 100'000;

struct CodedRange {
  Period from;  // 1 <= from; empty if to < from
  Period to;    // the last period that is over, or an earlier one
  double level;
  bool simultaneous;  // over all rows of an answer for `horizon` periods
  Period horizon;
  Period window = 1;   // each row is the mean over so many periods
  double resting = 0;  // the share of unobserved devices; rows include them
};

// The source of each period's figures.
class CodedPeriods {
 public:
  virtual ~CodedPeriods() = default;
  virtual ActiveCount count(Period t) const = 0;
  // Gives the sums by row of `from` and of each period after it.
  class Walk {
   public:
    virtual ~Walk() = default;
    virtual CodedSums next() = 0;
  };
  virtual std::unique_ptr<Walk> walk(Period from) const = 0;
};

// Fails if the coding has no such rows, has no such label, or they are too many. Requires a coding
// with rows, and periods of it.
Result<std::vector<AnswerRow>> coded_rows(const Coding& coding, const CodedPeriods& periods,
                                          const CodedRange& range, const ValueQuestion& question);

// The same from the sums by row in presence. Requires sums and presence of the plan, and range.to <
// rule.current.
Result<std::vector<AnswerRow>> coded_rows(const Plan& plan, const Sums& sums,
                                          const Presence& presence, const InactiveRule& rule,
                                          const CodedRange& range, const ValueQuestion& question);

// Returns by how much one device can move an answer at most, if it moves a yes/no count by one.
double coded_influence(const Coding& coding, const ValueQuestion& question);

}  // namespace futurerand
