// An Answer as a document: the one JSON and the one CSV that the HTTP API, its events, the command
// `estimate` and Python give. docs/http.md describes both.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/documents/period_dates.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/segment_answer.hpp"
#include "futurerand/wire/annotation.hpp"

namespace futurerand {

// Where an answer comes from.
struct AnswerSource {
  std::string metric = {};  // its name; empty (null): a file of reports
  bool seeded = false;      // devices with known randomness may report; never real data
  PeriodDates dates = {};   // when its periods are
  std::string as_of = {};  // UTC time up to which all accepted reports are counted; empty (no key):
                           // all of them are
  std::vector<Annotation> annotations = {};
};

std::string to_json(const Plan& plan, const Answer& answer, const AnswerSource& source);
std::string to_json(const AnswerRow& row, const PeriodDates& dates,
                    const std::optional<NumberScale>& scale = {});
// With annotations there is a column of them: the notes of each period, separated by "; ".
std::string to_csv(const Answer& answer, const PeriodDates& dates,
                   const std::vector<Annotation>& annotations = {});

// The same for two segments and the difference between them.
std::string to_json(const Plan& plan, const Comparison& comparison, const AnswerSource& source);
std::string to_csv(const Comparison& comparison, const PeriodDates& dates);

// Reads the rows of that JSON document.
Result<std::vector<AnswerRow>> parse_answer_rows(std::string_view json);

// The warning of an answer as a sentence; empty if there is none.
std::string warning_of(const Answer& answer);

}  // namespace futurerand
