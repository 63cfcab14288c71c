#include "futurerand/simulator/device_client.hpp"

#include <array>
#include <memory>

#include "futurerand/device/run_device.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

Values values_of(const Flips& flips, std::uint32_t full_scale) {
  const std::array<std::uint32_t, 4> numbers = {full_scale, full_scale / 3, 2 * full_scale / 3, 0};
  const bool is_number = full_scale > 1;
  Values values = {{1, 0}};
  for (std::size_t i = 0; i < flips.size(); ++i) {
    if (flips[i] == 1) values.clear();
    const std::uint32_t yes_no = i % 2 == 0 ? 1 : 0;
    values.push_back({flips[i], is_number ? numbers[i % numbers.size()] : yes_no});
  }
  return values;
}

}  // namespace

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
    return run_device(*device, values_of(flips, device->full_scale()), source, emit);
  };
}

}  // namespace futurerand
