// Accepted and impossible saved states. Each case changes one field of an accepted state, so no
// other check can reject it.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/device/device.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using testing_sources::SeededSource;

CertifiedPlan certified(Protocol protocol, Period periods, std::uint32_t changes) {
  return *CertifiedPlan::create(*make_plan(protocol, periods, changes, *Epsilon::parse("1")));
}

// Returns the state of a device that joined in period 5, of the first view of this kind, and
// observed 1 in each of these periods.
DeviceState observed(const CertifiedPlan& plan, ViewKind kind, std::vector<Period> periods) {
  for (std::uint64_t seed = 3;; ++seed) {
    SeededSource random(seed);
    Device device = *Device::join(plan, 5, random);
    if (plan.plan().views[device.view()].kind != kind) continue;
    for (const Period period : periods) {
      if (!device.observe(period, true, random, [](const SignRun&) {})) std::abort();
    }
    return device.state();
  }
}

class States {
 public:
  States(CertifiedPlan plan, DeviceState good) : plan_(std::move(plan)), good_(std::move(good)) {}
  bool good() const { return static_cast<bool>(Device::restore(plan_, good_)); }
  template <typename Change>
  bool refuses(Change change) const {
    DeviceState state = good_;
    change(state);
    return !Device::restore(plan_, state);
  }

 private:
  CertifiedPlan plan_;
  DeviceState good_;
};

TEST(DeviceState, RefusesStatesThatNoDeviceCanHave) {
  const CertifiedPlan plan = certified(Protocol::kOptimal, 100, 3);
  SeededSource random(3);
  Result<Device> device = Device::join(plan, 5, random);
  while (device->view() != 1) device = Device::join(plan, 5, random);
  ASSERT_TRUE(device->observe(21, true, random, [](const SignRun&) {}));
  const DeviceState good = device->state();
  ASSERT_TRUE(Device::restore(plan, good));
  const auto refused = [&](auto&& change) {
    DeviceState state = good;
    change(state);
    return !Device::restore(plan, state);
  };
  EXPECT_TRUE(refused([](DeviceState& s) { s.view = 7; }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.joined = 0; }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.joined = 101; }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.joined = 23; }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.snapshot_index = 1; }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.sums = PartialSums(101, true, false); }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.sums = PartialSums(3, false, false); }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.sums = PartialSums(4, true, false); }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.sums = PartialSums(20, true, false); }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.noise = SignVector(4); }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.used_noise = 4; }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.coins |= 1U << 8; }));  // index 9 was reported
  EXPECT_FALSE(refused([](DeviceState& s) { s.coins |= 1U << 10; }));
  EXPECT_TRUE(refused([](DeviceState& s) { s.used_noise = 1; }));
}

// Before its first period a device holds 0 and has used nothing.
TEST(DeviceState, BeforeTheFirstPeriod) {
  const CertifiedPlan plan = certified(Protocol::kOptimal, 100, 3);
  const States states(plan, observed(plan, ViewKind::kChanges, {}));
  ASSERT_TRUE(states.good());
  const auto now = [](Period period, bool value, bool at_end) {
    return [=](DeviceState& s) { s.sums = PartialSums(period, value, at_end); };
  };
  EXPECT_TRUE(states.refuses(now(3, false, false)));
  EXPECT_TRUE(states.refuses(now(4, true, false)));
  EXPECT_TRUE(states.refuses(now(4, false, true)));
  EXPECT_TRUE(states.refuses(now(101, false, false)));
  EXPECT_FALSE(states.refuses(now(100, false, false)));
  EXPECT_TRUE(states.refuses([](DeviceState& s) {
    s.joined = 101;
    s.sums = PartialSums(100, false, false);
  }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.noise = SignVector(s.noise.size(), true); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.coins = 1; }));
}

// At the end of an interval its value is the current value. Order 0: each period is an interval.
TEST(DeviceState, AtTheEndOfAnInterval) {
  const CertifiedPlan plan = certified(Protocol::kOptimal, 1, 1);
  SeededSource random(3);
  Device device = *Device::join(plan, 1, random);
  ASSERT_TRUE(device.observe(1, true, random, [](const SignRun&) {}));
  const States states(plan, device.state());
  ASSERT_TRUE(states.good());
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.sums = PartialSums(1, true, false); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.sums = PartialSums(1, false, true); }));
}

TEST(DeviceState, OfASnapshot) {
  const CertifiedPlan plan = certified(Protocol::kSnapshot, 20, 2);
  const States states(plan, observed(plan, ViewKind::kSnapshot, {20}));
  ASSERT_TRUE(states.good());
  const auto other_count = [](DeviceState& s) { s.used_noise = 1 - s.used_noise; };
  EXPECT_TRUE(states.refuses(other_count));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.sums = PartialSums(20, true, true); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.snapshot_index = 0; }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.snapshot_index = 21; }));
}

TEST(DeviceState, OfInnovation) {
  const CertifiedPlan plan = certified(Protocol::kInnovation, 100, 2);
  // Three periods of 1: the memory reaches further back, to before the device joined.
  const States states(plan, observed(plan, ViewKind::kInnovation, {5, 6, 7}));
  ASSERT_TRUE(states.good());
  ASSERT_GE(plan.innovation_levels()->num_lags(), 5U);
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.innovation.reset(); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.sums = PartialSums(7, true, true); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.sums = PartialSums(7, false, false); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.innovation->held.push_back(1); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.innovation->held[2] = 2; }));
  EXPECT_FALSE(states.refuses([](DeviceState& s) { s.innovation->held[2] = 0; }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { ++s.used_noise; }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) {
    s.innovation->held.clear();
    s.sums = PartialSums(7, false, false);
  }));
}

// Three periods of 1, of which a window may hold one, two or all.
TEST(DeviceState, OfPulse) {
  const CertifiedPlan plan = certified(Protocol::kPulse, 100, 1);
  const States states(plan, observed(plan, ViewKind::kPulse, {6, 7, 8}));
  ASSERT_TRUE(states.good());
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.used_noise = 0; }));  // it holds a 1
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.used_noise = 5; }));  // it lived 4 periods
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.sums = PartialSums(8, true, true); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.coins = 1; }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.snapshot_index = 1; }));
  // Read symbols are erased, and there are never more pulses than in the law.
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.noise.set(0, Sign::kMinus); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.noise.erase(); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.innovation.emplace(); }));
  EXPECT_TRUE(states.refuses([](DeviceState& s) { s.sums = PartialSums(8, 2, false); }));
}

TEST(DeviceState, IsOverwrittenWhenItIsErased) {
  const CertifiedPlan plan = certified(Protocol::kInnovation, 100, 2);
  DeviceState state = observed(plan, ViewKind::kInnovation, {5, 6, 7});
  ASSERT_GT(state.noise.count_minus(), 0U);
  const std::vector<std::uint32_t> held = state.innovation->held;
  ASSERT_EQ(std::count(held.begin(), held.end(), 1U), 3);
  ASSERT_TRUE(state.sums.value());
  state.coins = 7;
  erase(state);
  EXPECT_EQ(state.noise.count_minus(), 0U);
  EXPECT_EQ(state.innovation->held, std::vector<std::uint32_t>(held.size()));
  EXPECT_EQ(state.sums, PartialSums(0, false, false));
  EXPECT_EQ(state.coins, 0U);

  const CertifiedPlan changes = certified(Protocol::kOptimal, 100, 3);
  DeviceState without_innovation = observed(changes, ViewKind::kChanges, {5});
  erase(without_innovation);
  EXPECT_FALSE(without_innovation.innovation);
}

}  // namespace
}  // namespace futurerand
