#include "futurerand/estimator/presence/presence.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::add_adversaries;
using test::clipped_psi;
using test::folded;
using test::has_zeros;
using test::innovation_plan;
using test::psi_by_definition;
using test::some_devices;
using test::sparse_plan;
using test::TestBits;
using test::TestDevice;

// Every table, recomputed from the definition for one device after the other.
void expect_defined(const Plan& plan, const Presence& presence,
                    const std::vector<TestDevice>& devices) {
  const ContributionCap cap = *contribution_cap(plan);
  const DeviceEstimate& estimate = presence.estimate();
  for (Period t = 1; t <= plan.num_periods; ++t) {
    double reported = 0, missing = 0, reported_variance = 0, missing_variance = 0;
    std::int64_t num_reported = 0, num_missing = 0;
    std::uint64_t clipped = 0;
    const auto psi = [&](const TestDevice& device, Period at) {
      return estimate.is_capped() ? clipped_psi(plan, cap, device, at)
                                  : psi_by_definition(plan, device, at);
    };
    const auto variance = [&](const TestDevice& device, Period at) {
      return estimate.squared_devices(estimate.variance(at + 1 - device.joined));
    };
    for (const TestDevice& device : devices) {
      if (device.next == device.joined || device.joined > t) continue;
      if (device.next > t) {
        reported += psi(device, t);
        reported_variance += variance(device, t);
        ++num_reported;
        if (std::abs(psi(device, t) - psi_by_definition(plan, device, t)) > 1e-7) ++clipped;
      } else if (device.next == t) {
        missing += psi(device, t - 1);
        missing_variance += variance(device, t - 1);
        ++num_missing;
      }
    }
    EXPECT_NEAR(estimate.devices(presence.reported(t).estimate), reported, 1e-5) << t;
    EXPECT_NEAR(estimate.devices(presence.missing(t).estimate), missing, 1e-5) << t;
    EXPECT_NEAR(estimate.squared_devices(presence.reported(t).variance), reported_variance, 1e-5);
    EXPECT_NEAR(estimate.squared_devices(presence.missing(t).variance), missing_variance, 1e-5);
    EXPECT_EQ(presence.reported(t).devices, num_reported) << t;
    EXPECT_EQ(presence.missing(t).devices, num_missing) << t;
    EXPECT_EQ(presence.clipped(t), estimate.is_capped() ? clipped : 0) << t;
  }
}

std::vector<TestDevice> devices_with_adversaries(const Plan& plan, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<TestDevice> devices = some_devices(plan, 120, random);
  add_adversaries(plan, devices);
  return devices;
}

TEST(Presence, TablesAreThoseOfTheDefinition) {
  for (const Plan& plan : {innovation_plan(70), sparse_plan(140)}) {
    for (const bool capped : {false, true}) {
      const std::vector<TestDevice> devices = devices_with_adversaries(plan, 4);
      expect_defined(plan, folded(plan, devices, capped).presence, devices);
    }
  }
}

// Reports come one by one and in runs, late, after pauses, and are taken back: the tables follow
// from what each device has reported in the end.
TEST(Presence, DependsOnTheTranscriptsAlone) {
  std::mt19937_64 random(16);
  for (const Plan& plan : {innovation_plan(70), sparse_plan(140)}) {
    const std::vector<TestDevice> devices = devices_with_adversaries(plan, 5);
    const Presence expected = folded(plan, devices, true).presence;
    Presence presence = *empty_presence(plan, true);
    std::vector<Period> reported;
    for (const TestDevice& device : devices) reported.push_back(device.joined);
    std::size_t left = devices.size();
    const auto move = [&](std::size_t i, Period to) {
      const TestBits bits(devices[i], has_zeros(plan));
      presence.change(bits.transcript.before(reported[i]), bits.transcript.before(to));
      reported[i] = to;
    };
    while (left > 0) {
      const std::size_t i = random() % devices.size();
      const TestDevice& device = devices[i];
      if (reported[i] == device.next) continue;
      const auto step = static_cast<Period>(1 + random() % 20);
      move(i, std::min(device.next, reported[i] + step));
      if (random() % 4 == 0) {  // some of it is taken back, or the device is forgotten
        move(i, device.joined + static_cast<Period>(random() % (reported[i] + 1 - device.joined)));
      }
      left = 0;
      for (std::size_t j = 0; j < devices.size(); ++j) left += reported[j] < devices[j].next;
    }
    EXPECT_EQ(presence, expected);
    for (std::size_t i = 0; i < devices.size(); ++i) move(i, devices[i].joined);
    EXPECT_EQ(presence, *empty_presence(plan, true));  // of nobody
  }
}

// As workers of a simulation and the shards of a cluster add up theirs. A shard may also take out
// what another has added.
TEST(Presence, OfPartsIsThatOfAll) {
  const Plan plan = sparse_plan(70);
  const std::vector<TestDevice> devices = devices_with_adversaries(plan, 6);
  const Presence whole = folded(plan, devices, true).presence;
  const std::vector<TestDevice> some(devices.begin(), devices.begin() + 40),
      others(devices.begin() + 40, devices.end());
  Presence merged = folded(plan, some, true).presence;
  EXPECT_FALSE(merged == whole);
  merged.merge(folded(plan, others, true).presence);
  EXPECT_EQ(merged, whole);

  std::vector<TestDevice> earlier = devices;
  for (TestDevice& device : earlier) {
    device.next = device.joined + (device.next - device.joined) / 2;
  }
  Presence first = folded(plan, earlier, true).presence, second = *empty_presence(plan, true);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const TestBits bits(devices[i], true);
    second.change(bits.transcript.before(earlier[i].next), bits.transcript);
  }
  first.merge(second);
  EXPECT_EQ(first, whole);
}

TEST(Presence, KeepsStrataApart) {
  const Plan plan = innovation_plan(30);
  std::mt19937_64 random(7);
  const std::vector<TestDevice> devices = some_devices(plan, 60, random);
  Presence presence(DeviceEstimate::of(plan, true), 3);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const TestBits bits(devices[i], false);
    Transcript transcript = bits.transcript;
    transcript.stratum = static_cast<std::uint32_t>(i % 3);
    presence.change(transcript.before(transcript.joined), transcript);
  }
  for (std::uint32_t stratum = 0; stratum < 3; ++stratum) {
    std::vector<TestDevice> own;
    for (std::size_t i = stratum; i < devices.size(); i += 3) own.push_back(devices[i]);
    EXPECT_EQ(presence.tables()[stratum], folded(plan, own, true).presence.tables()[0]);
  }
  const Presence all = folded(plan, devices, true).presence;
  for (Period t = 1; t <= 30; ++t) {
    EXPECT_EQ(presence.reported(t), all.reported(t));
    EXPECT_EQ(presence.missing(t), all.missing(t));
    EXPECT_EQ(presence.clipped(t), all.clipped(t));
  }
}

TEST(Presence, TakesLittleMemory) {
  EXPECT_EQ(empty_presence(innovation_plan(256), true)->memory_bytes(), 256U * 56);
  EXPECT_FALSE(empty_presence(*make_plan(Protocol::kHybrid, 8, 2, *Epsilon::parse("1")), true));
}

}  // namespace
}  // namespace futurerand
