// Any bytes may be a plan: nothing crashes, and an accepted plan survives writing and can be
// certified or refused, but never makes the device fail otherwise.
#include <cstdlib>

#include "futurerand/device/device.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/wire.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace futurerand;
  const Result<Plan> plan = parse_plan({reinterpret_cast<const char*>(data), size});
  if (!plan) return 0;
  const Result<Plan> again = parse_plan(to_json(*plan));
  if (!again || *again != *plan) std::abort();
  // Exact arithmetic on thousands of signs is correct but slow; the tests look at those.
  for (const View& view : plan->views) {
    if (num_signs(view.law) > 64) return 0;
  }
  const Result<CertifiedPlan> certified = CertifiedPlan::create(*plan);
  if (!certified) return 0;
  testing_sources::SeededSource random(1);
  Result<Device> device = Device::join(*certified, 1 + random.below(plan->num_periods), random);
  if (!device) std::abort();
  std::uint32_t next = device->first_index();
  const bool observed = device->observe(plan->num_periods, true, random, [&](const SignRun& run) {
    if (run.first_index != next) std::abort();
    next += run.count * device->stride();
  });
  // Everything due at the end was reported.
  if (!observed || next != device->next_index() || next <= device->last_index()) std::abort();
  return 0;
}
