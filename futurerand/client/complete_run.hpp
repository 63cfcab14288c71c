// CompleteRun: all messages of one device, for callers with all its values in advance: files,
// demonstrations. Nothing is durable.
#pragma once

#include <string>
#include <vector>

#include "futurerand/client/drawn_device.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/coding/row.hpp"
#include "futurerand/device/run_device.hpp"

namespace futurerand {

struct CompleteRun {
  Enrolment enrolment;
  Report report;  // without signs if nothing was ever due

  // `changes` is a range of ValueFrom whose periods rise strictly, with codes as values. A yes/no
  // device joins in period 1, others with their first value, or in period 1 with code 0 if there is
  // none. Fails if the source fails.
  template <typename Changes>
  static Result<CompleteRun> of(const CertifiedPlan& plan, const Changes& changes,
                                RandomSource& entropy) {
    const Coding& coding = plan.plan().coding;
    const bool joins_late = coding.kind() != CodingKind::kYesNo && changes.begin() != changes.end();
    const Period joined = joins_late ? (*changes.begin()).period : 1;
    Result<DrawnDevice> drawn = DrawnDevice::draw(plan, joined, entropy);
    if (!drawn) return drawn.error();
    Device& device = drawn->device;
    CompleteRun run{device.enrolment(drawn->id), {drawn->id, device.first_index(), {}}};
    const auto keep = [&run](const SignRun& signs) { signs.append_to(run.report.signs); };
    // A code becomes what the device holds; a yes/no value and a number are held as they are.
    const bool is_coded = coding.full_scale() == 1 && coding.num_rows() > 1;
    const CodingRow row = row_of(coding, drawn->id.bytes);
    std::vector<ValueFrom> held;
    for (const ValueFrom change : changes) {
      const std::uint32_t value = is_coded ? Coding::state(row, change.value) : change.value;
      held.push_back({change.period, value});
    }
    if (!run_device(device, held, drawn->coins, keep)) {
      return Error{"the coins failed; nothing was reported", ErrorCode::kNoEntropy};
    }
    return run;
  }
};

// Returns lines of the wire, each with its newline.
std::string to_lines(const CompleteRun& run);

}  // namespace futurerand
