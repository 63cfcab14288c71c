#include "futurerand/audit/audited_client.hpp"

#include <memory>

#include "futurerand/device/live.hpp"
#include "futurerand/rivals/dbitflip.hpp"
#include "futurerand/rivals/rappor.hpp"
#include "futurerand/rivals/sparse_vector.hpp"
#include "futurerand/rivals/thresh.hpp"
#include "futurerand/simulator/flips.hpp"

namespace futurerand {

ClientRun device_client(CertifiedPlan plan) {
  // Shared: a ClientRun is copied, and a device refers to its plan.
  const auto shared = std::make_shared<const CertifiedPlan>(std::move(plan));
  return [shared](const Flips& flips, RandomSource& source, Transcript& transcript) {
    transcript.clear();
    Result<Device> device = Device::join(*shared, 1, source);
    if (!device) return false;
    const Enrolment enrolment = device->enrolment(ClientId{});
    transcript.header = (std::uint64_t{enrolment.view} << 32) | enrolment.index;
    const Law& law = shared->plan().views[enrolment.view].law;
    const bool silence = may_be_silent(law);
    const auto emit = [&](const SignRun& run) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        transcript.append((run.minus >> i) & 1U);
        if (silence) transcript.append((run.silent >> i) & 1U);
      }
    };
    return live(*device, FlippedValues(flips), source, emit);
  };
}

Result<ClientRun> make_audited_client(std::string_view protocol, const ProtocolSettings& settings) {
  if (const std::optional<Protocol> planned = protocol_named(protocol)) {
    Result<Plan> plan =
        make_plan(*planned, settings.num_periods, settings.max_changes, settings.epsilon);
    if (!plan) return plan.error();
    Result<CertifiedPlan> certified = CertifiedPlan::create(*std::move(plan));
    if (!certified) return certified.error();
    return device_client(*std::move(certified));
  }
  if (protocol == "sparse_vector") return make_sparse_vector_client(settings);
  if (protocol == "thresh") return make_thresh_client(settings);
  if (protocol == "rappor") return make_rappor_client(settings);
  if (protocol == "dbitflip") return make_dbitflip_client(settings);
  return Error{"protocol '" + std::string(protocol) +
               "' has no client to test: expected one whose devices hide something"};
}

}  // namespace futurerand
