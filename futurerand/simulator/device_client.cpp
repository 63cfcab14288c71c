#include "futurerand/simulator/device_client.hpp"

#include <memory>

#include "futurerand/device/run_device.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {

ClientRun device_client(CertifiedPlan plan) {
  // The plan is shared, because a ClientRun is copied and a device refers to its plan.
  const auto shared = std::make_shared<const CertifiedPlan>(std::move(plan));
  return [shared](const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
    transcript.clear();
    Result<Device> device = Device::join(*shared, 1, source);
    if (!device) return false;
    const Enrolment enrolment = device->enrolment(ClientId{});
    transcript.header = (std::uint64_t{enrolment.view} << 32) | enrolment.index;
    const Law& law = shared->plan().views[enrolment.view].law;
    const bool silence = may_be_zero(law);
    const auto emit = [&](const SignRun& run) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        transcript.append((run.minus >> i) & 1U);
        if (silence) transcript.append((run.silent >> i) & 1U);
      }
    };
    return run_device(*device, FlippedValues(flips), source, emit);
  };
}

}  // namespace futurerand
