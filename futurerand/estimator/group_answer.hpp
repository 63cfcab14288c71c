// Answers of a metric that is one of a group, from the devices that drew it to all devices of the
// group. docs/groups.md says what is estimated and why.
//
// Each device of the group is among the n observed ones with probability s, whatever its values
// are. So the observed share is unbiased for the group's. Its band includes the sampling of the
// devices (sampling_variance). The group has about n / s devices. A count is the share times that
// number, and its band includes the error of both.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include "futurerand/estimator/answer.hpp"

namespace futurerand {

// Scales the rows and figures of an answer. Their errors must include the sampling. A share of 1
// changes nothing.
void scale_to_group(double asked_share, Answer& found);

}  // namespace futurerand
