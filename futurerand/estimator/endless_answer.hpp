// EndlessAnswer: the estimates of a metric without an end, as one timeline over all seasons. Its
// rows are shares of all devices; its counts are of participating devices.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/panels.hpp"

namespace futurerand {

// Periods are those of the endless clock. Fails if the question is out of range. Fails for trend, a
// window, or all devices ever enrolled, since panels do not keep them. Requires panels of a valid
// plan.
Result<Answer> answer_panels(const Plan& plan, const Panels& panels, const Question& question);

// The same for a season that is final, by its own periods and for its own devices.
Result<Answer> answer_final(const Plan& plan, std::shared_ptr<const Panel> season,
                            const DeviceEstimate* estimate, const Question& question);

}  // namespace futurerand
