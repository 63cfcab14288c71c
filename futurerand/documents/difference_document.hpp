// A Difference as a document: the JSON of the HTTP API and of `estimate --before --after`, and the
// sentence that everybody shows.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "futurerand/documents/answer_document.hpp"
#include "futurerand/estimator/difference.hpp"

namespace futurerand {

std::string to_json(const Difference& found, const AnswerSource& source);

// "The share is up by 4 percentage points, give or take 1: from 31% ± 1 to 35% ± 1." No clear
// change is said as such. Figures have no more digits than their noise allows.
std::string in_words(const ChangeRow& row, const Difference& found);

// "Nov 9–15, 2026" or "Nov 2 – Dec 6, 2026" where periods have dates, else "periods 2 to 7".
std::string in_words(const PeriodSpan& stretch, const PeriodDates& dates);

}  // namespace futurerand
