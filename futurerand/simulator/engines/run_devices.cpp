#include <atomic>
#include <optional>

#include "futurerand/device/run_device.hpp"
#include "futurerand/simulator/engines/engines.hpp"
#include "futurerand/simulator/engines/view_reports.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

struct Received {
  SimulatedSums simulated;
  std::vector<ViewReports> views;
  // Each worker opens its own; a copy of the zero has none yet.
  std::shared_ptr<RandomSource> entropy;
  bool failed = false;

  void merge(const Received& other) {
    simulated.merge(other.simulated);
    for (std::size_t v = 0; v < views.size(); ++v) views[v].merge(other.views[v]);
    failed |= other.failed;
  }
};

bool is_clipped(const Plan& plan, const View& view, const Values& values) {
  if (view.kind == ViewKind::kSnapshot || view.kind == ViewKind::kValues) return false;
  if (view.kind != ViewKind::kChanges) {
    return variation(values, plan.initial) >
           std::uint64_t{plan.max_changes} * plan.coding.full_scale();
  }
  const std::uint32_t kept = num_signs(view.law);
  if (values.size() <= kept) return false;
  std::uint32_t nonzero = 0;
  for_each_nonzero_sum(flips_of(values), view.order, view.num_indices(plan.num_periods),
                       [&](IntervalIndex, int) { ++nonzero; });
  return nonzero > kept;
}

// One user joins in period 1 and reports to the horizon.
bool receive_life(const CertifiedPlan& plan, const Values& values, RandomSource& source,
                  Received& received) {
  Result<Device> device = Device::join(plan, 1, source);
  if (!device) return false;
  const Enrolment enrolment = device->enrolment(ClientId{});
  SimulatedSums& simulated = received.simulated;
  simulated.sums.enrol(enrolment.view, enrolment.period, enrolment.index);
  ViewReports& reports = received.views[enrolment.view];
  const auto emit = [&reports](const SignRun& run) { reports.add(run); };
  if (!run_device(*device, values, source, emit)) return false;
  const View& view = plan.plan().views[enrolment.view];
  if (is_clipped(plan.plan(), view, values)) ++simulated.clipped_users;
  return true;
}

}  // namespace

Result<SimulatedSums> run_devices(const CertifiedPlan& plan, const Population& population,
                                  const Trial& trial) {
  Received zero{{Sums(plan.plan()), 0}, {}, nullptr};
  for (const View& view : plan.plan().views) {
    zero.views.emplace_back(view.num_indices(plan.plan().num_periods), may_be_zero(view.law));
  }
  Received received =
      fold_users<Values>(population, trial.workers, zero,
                         [&](Received& sum, std::uint64_t user, const Values& values) {
                           if (sum.failed) return;
                           if (trial.entropy) {
                             if (!sum.entropy) sum.entropy = trial.entropy();
                             if (!receive_life(plan, values, *sum.entropy, sum)) sum.failed = true;
                           } else {
                             PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
                             if (!receive_life(plan, values, source, sum)) sum.failed = true;
                           }
                         });
  if (received.failed)
    return Error{"the devices' source of randomness failed; nothing was sent",
                 ErrorCode::kNoEntropy};
  for (std::uint32_t v = 0; v < received.views.size(); ++v) {
    received.views[v].fold_into(received.simulated.sums, v);
  }
  return received.simulated;
}

}  // namespace futurerand
