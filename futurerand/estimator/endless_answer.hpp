// EndlessAnswer: the estimates of a metric without an end, as one timeline over all seasons. Its
// rows are shares of all devices; its counts are of participating devices.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/panels.hpp"
#include "futurerand/estimator/segment_answer.hpp"

namespace futurerand {

// Answers of more periods than this are refused: some years of hours.
inline constexpr Period kMostEndlessPeriods = 100'000;

// The counted devices, and the assumption behind the figures, in words.
std::string taking_part(const Calendar& calendar);
std::string endless_assumption();

// Periods are those of the endless clock. Fails if the question is out of range. Fails for trend, a
// window, or all devices ever enrolled, since panels do not keep them. Requires panels of a valid
// plan.
Result<Answer> answer_panels(const Plan& plan, const Panels& panels, const Question& question);

// The same for answer_segments. An estimate must outlive it.
AnswerStratum answer_stratum_of(const Panels& panels);
// The same for a final season, by its own periods and for its own devices.
Result<AnswerStratum> answer_stratum_of(const Plan& plan, std::shared_ptr<const Panel> season,
                                        const DeviceEstimate* estimate, double asked_share = 1);

}  // namespace futurerand
