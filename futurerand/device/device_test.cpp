#include "futurerand/device/device.hpp"

#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/device/run_device.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/sign_text.hpp"

namespace futurerand {
namespace {

using testing_sources::FailingSource;
using testing_sources::SeededSource;

CertifiedPlan plan_of(Protocol protocol, Period periods, std::uint32_t changes,
                      std::string_view epsilon = "1") {
  return *CertifiedPlan::create(*make_plan(protocol, periods, changes_for(protocol, changes),
                                           *Epsilon::parse(epsilon), initial_for(protocol)));
}

// Returns values[t] for t = 0..d.
std::vector<bool> random_values(Period d, Period joined, SeededSource& random) {
  const std::uint32_t rarity = 1 + random.below(d);
  std::vector<bool> values(d + 1, false);
  for (Period t = joined; t <= d; ++t) {
    values[t] = random.below(rarity) == 0 ? !values[t - 1] : values[t - 1];
  }
  return values;
}

// Returns signs by index; ' ' where nothing was reported.
using Signs = std::string;

void append(Signs& signs, const SignRun& run) {
  ASSERT_GE(run.count, 1U);
  ASSERT_EQ((run.first_index - 1) / 64, (run.first_index + run.count - 2) / 64);
  ASSERT_TRUE(run.count == 64 || (run.minus | run.silent) >> run.count == 0);
  ASSERT_EQ(run.minus & run.silent, 0U);
  PackedSigns packed;
  run.append_to(packed);
  const Signs symbols = to_text(packed);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    ASSERT_EQ(signs[run.first_index + i], ' ');
    signs[run.first_index + i] = symbols[i];
  }
}

// Returns the period of the first 1 from joining on; past the horizon if there is none.
Period first_one(const std::vector<bool>& values, Period joined) {
  Period t = joined;
  while (t < values.size() && !values[t]) ++t;
  return t;
}

// This is what a device must do, index by index, from the definitions.
Signs expected_signs(const CertifiedPlan& plan, const DeviceState& state,
                     const std::vector<bool>& values, RandomSource& coins) {
  const Period d = plan.plan().num_periods;
  const View& view = plan.plan().views[state.view];
  Signs signs(d + 1, ' ');
  // Each change uses the next entry and leaves its coin behind the others.
  std::deque<int> noise;
  for (std::uint32_t i = 0; i < state.noise.size(); ++i) {
    noise.push_back(static_cast<int>(state.noise.at(i)));
  }
  const auto* quiet = std::get_if<SparseLaw>(&view.law);
  const std::uint32_t stride = Schedule(view, d).stride;
  const bool is_innovation = view.kind == ViewKind::kInnovation;
  const std::uint32_t coins_per_word = quiet != nullptr ? 4
                                       : is_innovation  ? 2
                                       : stride > 1     ? 1
                                                        : 64;
  // innovation_randomizer_test.cpp compares this one with its definition.
  std::optional<InnovationRandomizer> innovation;
  if (is_innovation) {
    innovation.emplace(plan.innovation_levels(), state.noise, *state.innovation);
  }
  std::uint64_t word = 0;
  bool first = true;
  for (std::uint32_t j = 1; j <= view.num_indices(d); ++j) {
    const Period end = j << view.order;
    if (end < state.joined) continue;
    if (view.kind == ViewKind::kOnce && j != state.joined) continue;
    if (view.kind == ViewKind::kSnapshot && j % stride != state.snapshot_index % stride) continue;
    if (const auto* pulse = std::get_if<PulseLaw>(&view.law)) {
      // The first 1 leads to the window; before it, and after the window, the rest follows.
      const Period entry = first_one(values, state.joined);
      const bool in_window = entry <= j && j < entry + pulse->window;
      const std::uint32_t slot = in_window   ? j - entry
                                 : j < entry ? pulse->window + (j - state.joined)
                                             : j - state.joined;
      signs[j] = state.noise.is_minus(slot) ? '-' : '+';
      continue;
    }
    const std::uint32_t coin = (j - 1) % coins_per_word;
    if ((first || coin == 0) && !coins.fill({&word, 1})) std::abort();
    first = false;
    if (is_innovation) {
      const auto unit = static_cast<std::uint32_t>(word >> (32 * coin));
      signs[j] = "-0+"[static_cast<int>(innovation->randomize(values[end], unit)) + 1];
      continue;
    }
    int input = 0;
    if (view.kind == ViewKind::kChanges) {
      for (Period t = end - (1U << view.order) + 1; t <= end; ++t) {
        input += int{values[t]} - int{values[t - 1]};
      }
    } else {
      input = values[end] ? 1 : -1;
    }
    int symbol = (word >> coin) & 1U ? -1 : 1;
    if (quiet != nullptr) {
      const std::uint64_t unit = (word >> (16 * coin)) & 0xffff;
      symbol = unit < quiet->nonzero / 2 ? -1 : unit < quiet->nonzero ? 1 : 0;
    }
    if (input != 0) {
      noise.push_back(symbol);
      symbol = input * noise.front();
      noise.pop_front();
    }
    signs[j] = "-0+"[symbol + 1];
  }
  return signs;
}

// Churn one device through values of its own, saving and restoring it now and then.
void expect_what_the_definitions_say(const CertifiedPlan& plan, Period joined, std::uint64_t seed,
                                     SeededSource& random) {
  const Period d = plan.plan().num_periods;
  const std::string_view name = name_of(plan.plan().protocol);
  Result<Device> device = Device::join(plan, joined, random);
  ASSERT_TRUE(device);
  const DeviceState at_start = device->state();
  const std::vector<bool> values = random_values(d, joined, random);
  SeededSource coins(seed);
  Signs signs(d + 1, ' ');
  // With 4 only changes are observed, and whole words of 64 signs leave at once.
  const std::uint32_t skips = random.below(5);
  for (Period t = joined; t <= d; ++t) {
    // The first value is held since joining if the start is unknown, so that it is observed then.
    const bool is_start = t == joined && plan.plan().initial == Initial::kUnknown;
    if (!is_start && values[t] == values[t - 1] && t < d && random.below(4) < skips) continue;
    ASSERT_TRUE(device->observe(t, values[t], coins, [&](const SignRun& r) { append(signs, r); }));
    // A device that is saved and restored anywhere goes on as if nothing had happened.
    if (random.below(5) == 0) {
      const DeviceState saved = device->state();
      device = Device::restore(plan, saved);
      ASSERT_TRUE(device) << name;
      ASSERT_EQ(device->state(), saved);
    }
  }
  SeededSource same_coins(seed);
  ASSERT_EQ(signs, expected_signs(plan, at_start, values, same_coins)) << name;
  // Coins that were used are gone, and the state does not say how often the value changed.
  const DeviceState state = device->state();
  const ViewKind kind = plan.plan().views[state.view].kind;
  if (kind != ViewKind::kInnovation && kind != ViewKind::kPulse) {
    ASSERT_EQ(state.used_noise, kind == ViewKind::kChanges ? 0 : device->num_reported());
  }
  ASSERT_TRUE((device->next_index() - 1) % 64 != 0 || state.coins == 0);
}

TEST(Device, ReportsWhatTheDefinitionsSay) {
  SeededSource random(1);
  for (const Protocol protocol : kProtocols) {
    for (int round = 0; round < 12; ++round) {
      // These need more periods than changes.
      const bool more = protocol == Protocol::kInnovation || protocol == Protocol::kPulse;
      const Period d = 1 + random.below(round % 3 == 0 ? 300 : 40) + (more ? 4 : 0);
      const bool any_epsilon = protocol != Protocol::kBun && protocol != Protocol::kFutureRand;
      const CertifiedPlan plan =
          plan_of(protocol, d, 1 + random.below(4), any_epsilon && round % 4 == 0 ? "4" : "1");
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Period joined = seed % 2 == 0 ? 1 : 1 + random.below(d);
        expect_what_the_definitions_say(plan, joined, seed, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

class CountingSource final : public RandomSource {
 public:
  bool fill(std::span<std::uint64_t> words) override {
    count_ += words.size();
    return words_.fill(words);
  }
  std::size_t count() const { return count_; }

 private:
  SeededSource words_{9};
  std::size_t count_ = 0;
};

// A restored device skips the words that it had drawn, so their number must follow from its
// indices: 64 signs, 4 symbols or 2 innovation share a word, and with a stride each has its own.
TEST(Device, TheWordsThatItDrewFollowFromItsIndices) {
  SeededSource random(2);
  bool strides_of_two = false;
  for (const auto& [protocol, d, epsilon] :
       std::vector<std::tuple<Protocol, Period, const char*>>{{Protocol::kInnovation, 150, "1"},
                                                              {Protocol::kHybrid, 200, "1"},
                                                              {Protocol::kHybrid, 200, "4"},
                                                              {Protocol::kHybrid, 14, "4"},
                                                              {Protocol::kOptimal, 200, "1"},
                                                              {Protocol::kRepeated, 12, "8"}}) {
    const CertifiedPlan plan = plan_of(protocol, d, 3, epsilon);
    for (int round = 0; round < 40; ++round) {
      const Period joined = 1 + random.below(d / 2);
      Device device = *Device::join(plan, joined, random);
      const View& view = plan.plan().views[device.view()];
      const std::uint32_t per_word = may_be_zero(view.law)                ? 4
                                     : view.kind == ViewKind::kInnovation ? 2
                                     : view.kind == ViewKind::kValues     ? 64
                                     : device.stride() > 1                ? 1
                                                                          : 64;
      CountingSource coins;
      std::size_t expected = 0, reported = 0;
      for (Period t = joined; t <= d; ++t) {
        ASSERT_TRUE(device.observe(t, t % 3 == 0, coins, [&](const SignRun& run) {
          for (std::uint32_t j = run.first_index; j < run.first_index + run.count; ++j) {
            if (reported++ == 0 || (j - 1) % per_word == 0) ++expected;
          }
        }));
        ASSERT_EQ(coins.count(), expected) << name_of(protocol) << " period " << t;
        ASSERT_EQ(device.words_drawn(), expected) << name_of(protocol) << " period " << t;
      }
      strides_of_two |= device.stride() == 2 && reported > 1;
    }
  }
  EXPECT_TRUE(strides_of_two);
}

TEST(Device, JoinsWithinTheHorizonOnly) {
  const CertifiedPlan plan = plan_of(Protocol::kHybrid, 20, 2);
  SeededSource random(1);
  EXPECT_FALSE(Device::join(plan, 0, random));
  EXPECT_FALSE(Device::join(plan, 21, random));
  EXPECT_TRUE(Device::join(plan, 20, random));
  EXPECT_EQ(Device::join(plan, 21, random).error().message,
            "joining in period 21 is not possible; expected 1 to 20");
}

TEST(Device, AFailureOfTheDrawsAtAnyPointIsAnError) {
  for (const Protocol protocol : kProtocols) {
    const CertifiedPlan plan = plan_of(protocol, 64, 4);
    std::size_t good = 0;
    while (true) {
      FailingSource source(good);
      if (Device::join(plan, 1, source)) break;
      ++good;
    }
    EXPECT_GE(good, 2U) << name_of(protocol);
  }
}

TEST(Device, AFailureOfTheCoinsIsToldAndEndsTheDevice) {
  const CertifiedPlan plan = plan_of(Protocol::kOptimal, 640, 4);
  SeededSource random(1);
  Result<Device> device = Device::join(plan, 1, random);
  while (device->view() != 0) device = Device::join(plan, 1, random);
  FailingSource coins(3);
  std::uint32_t emitted = 0;
  EXPECT_FALSE(
      device->observe(640, true, coins, [&](const SignRun& run) { emitted += run.count; }));
  EXPECT_EQ(emitted, 192U);
}

// Of 60,000 joins, Pearson's statistic of views, and of grid points, stays below the value that an
// exact sampler passes once in ten million seeds (normal bound); the seed is fixed.
TEST(Device, DrawsViewsByWeightAndSnapshotsUniformly) {
  const CertifiedPlan plan = plan_of(Protocol::kHybrid, 256, 4);
  const std::vector<View>& views = plan.plan().views;
  ASSERT_GE(views.size(), 2U);
  ASSERT_EQ(views.back().kind, ViewKind::kSnapshot);
  std::vector<double> drawn(views.size());
  std::vector<double> points(views.back().num_indices(256));
  SeededSource random(5);
  const int joins = 60'000;
  for (int i = 0; i < joins; ++i) {
    // Whatever the period of joining, both are drawn from the full plan.
    const Result<Device> device = Device::join(plan, 1 + random.below(256), random);
    drawn[device->view()] += 1;
    const std::uint32_t index = device->state().snapshot_index;
    ASSERT_EQ(index > 0, views[device->view()].kind == ViewKind::kSnapshot);
    if (index > 0) points[index - 1] += 1;
  }
  const auto pearson_ok = [](const std::vector<double>& seen, const std::vector<double>& expected) {
    double statistic = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      statistic += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
    }
    const double freedom = static_cast<double>(seen.size()) - 1;
    return statistic < freedom + 6 * std::sqrt(2 * freedom) + 14;
  };
  std::vector<double> expected;
  for (const View& view : views) {
    expected.push_back(joins * static_cast<double>(view.weight) /
                       static_cast<double>(plan.plan().total_weight()));
  }
  EXPECT_TRUE(pearson_ok(drawn, expected));
  EXPECT_TRUE(pearson_ok(
      points,
      std::vector<double>(points.size(), drawn.back() / static_cast<double>(points.size()))));
}

TEST(Device, WithoutCoinsNothingIsReported) {
  for (const Protocol protocol : kProtocols) {
    if (protocol == Protocol::kPulse) continue;  // needs no coins
    const CertifiedPlan plan = *CertifiedPlan::create(*make_plan(
        protocol, 20, changes_for(protocol, 2), *Epsilon::parse("1"), initial_for(protocol)));
    for (const bool changes : {false, true}) {
      testing_sources::SeededSource draws(3);
      Device device = *Device::join(plan, 1, draws);
      testing_sources::FailingSource nothing(0);
      std::vector<ValueFrom> values;
      if (changes) values = {{3, true}, {20, false}};
      EXPECT_FALSE(run_device(device, values, nothing, [](const SignRun&) {})) << name_of(protocol);
    }
  }
}

}  // namespace
}  // namespace futurerand
