// Devices of `innovation` plans for tests of presence: their reports, their estimates by the
// definition, and their fold in the collector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"

namespace futurerand::test {

struct TestDevice {
  Period joined;
  Period next;             // the first missing period
  std::vector<int> signs;  // element t-1 is period t

  // Tells, a bit a period, where it sent this sign.
  std::vector<std::uint64_t> where(int sign) const {
    std::vector<std::uint64_t> words((signs.size() + 63) / 64);
    for (std::size_t t = joined - 1; t < signs.size(); ++t) {
      if (signs[t] == sign) words[t / 64] |= std::uint64_t{1} << (t % 64);
    }
    return words;
  }
};

// The bits of a device's transcript, and the transcript while they live.
struct TestBits {
  explicit TestBits(const TestDevice& device, bool has_zeros)
      : minus(device.where(-1)),
        zero(device.where(0)),
        transcript{device.joined, device.next, minus.data(), has_zeros ? zero.data() : nullptr} {}
  TestBits(const TestBits&) = delete;

  std::vector<std::uint64_t> minus, zero;
  Transcript transcript;
};

inline Plan innovation_plan(Period periods) {
  return *make_plan(Protocol::kInnovation, periods, 2, *Epsilon::parse("2"));
}

// Most reports of honest devices are zero.
inline Plan sparse_plan(Period periods) {
  return *make_plan(Protocol::kInnovation, periods, 1, *Epsilon::parse("4"));
}

inline bool has_zeros(const Plan& plan) { return may_be_zero(plan.views[0].law); }

inline std::vector<TestDevice> some_devices(const Plan& plan, std::size_t count,
                                            std::mt19937_64& random) {
  const Period d = plan.num_periods;
  std::vector<TestDevice> devices;
  for (std::size_t i = 0; i < count; ++i) {
    TestDevice device{static_cast<Period>(1 + random() % d), d + 1, std::vector<int>(d)};
    if (i % 3 == 0) device.joined = 1;
    if (i % 2 == 0) {
      device.next = static_cast<Period>(device.joined + random() % (d + 2 - device.joined));
    }
    for (Period t = device.joined; t < device.next; ++t) {
      const bool zero = has_zeros(plan) && random() % 8 != 0;
      device.signs[t - 1] = zero ? 0 : random() % 2 == 0 ? 1 : -1;
    }
    devices.push_back(device);
  }
  return devices;
}

// Makes every fifth device an adversary that sends one sign in every period.
inline void add_adversaries(const Plan& plan, std::vector<TestDevice>& devices) {
  const Period d = plan.num_periods;
  for (std::size_t i = 0; i < devices.size(); i += 5) {
    TestDevice& device = devices[i];
    device.joined = 1 + static_cast<Period>(i % 4);
    if (device.next < d / 2) device.next = d - static_cast<Period>(i % 3);
    device.next = std::max(device.next, device.joined);
    for (Period t = device.joined; t < device.next; ++t) {
      device.signs[t - 1] = i % 3 == 0 ? -1 : 1;
    }
  }
}

// One device's own estimate of its value in period t: x_t = s_t / kappa + alpha / 2 + sum over j of
// phi_j x_(t-j), straight from the definition of the filter.
inline double psi_by_definition(const Plan& plan, const TestDevice& device, Period t) {
  const auto& levels = std::get<WeightedThresholdLaw>(plan.views[0].law).levels;
  const double kappa = static_cast<double>(levels.front().gap + levels.back().gap);
  std::vector<double> x(t + 1);
  for (Period s = device.joined; s <= t; ++s) {
    x[s] = device.signs[s - 1] * 0x1p40 / kappa + static_cast<double>(levels.back().gap) / kappa;
    for (std::size_t j = 1; j < levels.size() && j < s; ++j) {
      x[s] += static_cast<double>(levels[j - 1].gap - levels[j].gap) / kappa * x[s - j];
    }
  }
  return x[t];
}

inline double clipped_psi(const Plan& plan, const ContributionCap& cap, const TestDevice& device,
                          Period t) {
  const std::size_t age = t - device.joined;
  return std::clamp(psi_by_definition(plan, device, t), cap.least[age], cap.most[age]);
}

struct TestFold {
  Sums sums;
  Presence presence;
};

// As the collector does it.
inline TestFold folded(const Plan& plan, const std::vector<TestDevice>& devices,
                       bool capped = false) {
  TestFold fold{Sums(plan), *empty_presence(plan, capped)};
  for (const TestDevice& device : devices) {
    fold.sums.enrol(0, device.joined, 0);
    for (Period t = device.joined; t < device.next; ++t) {
      fold.sums.add(0, t, one_report(static_cast<Sign>(device.signs[t - 1])));
    }
    const TestBits bits(device, has_zeros(plan));
    fold.presence.change(bits.transcript.before(device.joined), bits.transcript);
  }
  return fold;
}

}  // namespace futurerand::test
