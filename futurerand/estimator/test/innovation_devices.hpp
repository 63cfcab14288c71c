// Devices of `innovation` plans for tests of who is there: what each told, and how the collector
// folds them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "futurerand/estimator/active.hpp"

namespace futurerand::test {

struct TestDevice {
  Period joined;
  Period next;
  std::vector<int> signs;  // element t-1 is period t

  // Tells, a bit a period, where it sent this sign.
  std::vector<std::uint64_t> where(int sign) const {
    std::vector<std::uint64_t> words((signs.size() + 63) / 64);
    for (std::size_t t = joined - 1; t < signs.size(); ++t) {
      if (signs[t] == sign) words[t / 64] |= std::uint64_t{1} << (t % 64);
    }
    return words;
  }
  Told told(const std::vector<std::uint64_t>& minus, const std::uint64_t* silent = nullptr) const {
    return {0, joined, next, joined, next, minus.data(), silent};
  }
  bool is_gone(const GoneRule& rule) const { return next + rule.gone_after <= rule.current; }
  // The first period in which it does not count as there: the first of the step that it left in,
  // once it is gone.
  Period left(const GoneRule& rule, Period step) const {
    return is_gone(rule) ? next - (next - 1) % step : next;
  }
};

inline Plan innovation_plan(Period periods) {
  return *make_plan(Protocol::kInnovation, periods, 2, *Epsilon::parse("2"));
}

inline Plan sparse_innovation_plan(Period periods) {
  return *make_plan(Protocol::kInnovation, periods, 1, *Epsilon::parse("4"));
}

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
      const bool silent = may_be_zero(plan.views[0].law) && random() % 8 != 0;
      device.signs[t - 1] = silent ? 0 : random() % 2 == 0 ? 1 : -1;
    }
    devices.push_back(device);
  }
  return devices;
}

struct TestFold {
  Sums sums;
  Presence presence;
};

// As the collector does it while `current` runs. Some are put into rows before these are merged,
// and some after.
inline TestFold folded(const Plan& plan, const std::vector<TestDevice>& devices, Period current,
                       bool transcript_cap = false, const LeavingRule& rule = {1, kMaxGoneAfter}) {
  TestFold fold{Sums(plan),
                Presence(plan, transcript_cap ? TranscriptLimits::of(plan) : nullptr, rule)};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const TestDevice& device = devices[i];
    if (i == devices.size() / 3) fold.presence.merge_gone(current / 2);
    if (i == devices.size() / 3 * 2) fold.presence.merge_gone(current);
    fold.sums.enrol(0, device.joined, 0);
    for (Period t = device.joined; t < device.next; ++t) {
      fold.sums.add(0, t, one_report(static_cast<Sign>(device.signs[t - 1])));
    }
    const std::vector<std::uint64_t> minus = device.where(-1), silent = device.where(0);
    const bool quiet = may_be_zero(plan.views[0].law);
    const Told told = device.told(minus, quiet ? silent.data() : nullptr);
    if (device.next > device.joined)
      fold.presence.add_newcomers(device.joined, told.first_report());
    if (transcript_cap && device.next > device.joined) fold.presence.hear(told, device.joined);
    if (device.next + 2 <= current && device.next <= plan.num_periods) fold.presence.put(told);
  }
  return fold;
}

}  // namespace futurerand::test
