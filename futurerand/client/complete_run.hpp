// CompleteRun: all that one device of period 1 ever sends, for those who know its values
// beforehand: files, demonstrations. Nothing of it is durable.
#pragma once

#include <string>

#include "futurerand/client/drawn_device.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/device/run_device.hpp"

namespace futurerand {

struct CompleteRun {
  Enrolment enrolment;
  Report report;  // without signs if nothing was ever due

  // `changes` is a range of ValueFrom whose periods rise strictly. Fails if the source fails.
  template <typename Changes>
  static Result<CompleteRun> of(const CertifiedPlan& plan, const Changes& changes,
                                RandomSource& entropy) {
    Result<DrawnDevice> drawn = DrawnDevice::draw(plan, 1, entropy);
    if (!drawn) return drawn.error();
    Device& device = drawn->device;
    CompleteRun run{device.enrolment(drawn->id), {drawn->id, device.first_index(), {}}};
    const auto keep = [&run](const SignRun& signs) { signs.append_to(run.report.signs); };
    if (!run_device(device, changes, drawn->coins, keep)) {
      return Error{"the coins failed; nothing was reported", ErrorCode::kNoEntropy};
    }
    return run;
  }
};

// Returns lines of the wire, each with its newline.
std::string to_lines(const CompleteRun& run);

}  // namespace futurerand
