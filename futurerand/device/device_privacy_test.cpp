// The whole device is checked exhaustively. Every Boolean sequence (including more than k changes),
// every noise vector, every coin, every view and every period of joining go through the real
// Device, with the law's exact probabilities. No output may be more than e^epsilon likelier under
// one sequence than under another. The other parts of a device's messages (view, period, grid
// point) are drawn independently of the data. So the test compares outputs within each combination
// of them.
#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using testing_sources::ConstantSource;

// Returns P(0..k) as integers over one denominator.
std::vector<BigInt> integer_probabilities(const Law& law) {
  std::vector<Fraction> all;
  BigInt denominator = 1;
  for (std::uint32_t i = 0; i <= num_signs(law); ++i) all.push_back(probability(law, i));
  for (const Fraction& p : all) denominator = lcm(denominator, p.denominator);
  std::vector<BigInt> integers;
  for (const Fraction& p : all) integers.push_back(p.numerator * (denominator / p.denominator));
  return integers;
}

// Returns the signs of a complete run, as bits by index.
std::uint64_t run(const CertifiedPlan& plan, const DeviceState& start, std::uint32_t values,
                  std::uint64_t coins) {
  Device device = *Device::restore(plan, start);
  ConstantSource source(coins);
  std::uint64_t minus = 0;
  for (Period t = start.joined; t <= device.horizon(); ++t) {
    const bool observed =
        device.observe(t, (values >> (t - 1)) & 1U, source,
                       [&](const SignRun& r) { minus |= r.minus << (r.first_index - 1); });
    if (!observed) std::abort();
  }
  return minus;
}

// Returns the weight of each output under one sequence.
std::vector<BigInt> output_weights(const CertifiedPlan& plan, DeviceState start,
                                   std::uint32_t values, const std::vector<BigInt>& weights) {
  const std::uint32_t indices = plan.plan().views[start.view].num_indices(plan.plan().num_periods);
  std::vector<BigInt> outputs(std::size_t{1} << indices);
  for (std::uint64_t noise = 0; noise >> start.noise.size() == 0; ++noise) {
    start.noise.set_word(0, noise);
    for (std::uint64_t coins = 0; coins >> indices == 0; ++coins) {
      outputs[run(plan, start, values, coins)] += weights[start.noise.count_minus()];
    }
  }
  return outputs;
}

bool view_is_within(const Fraction& bound, const CertifiedPlan& plan, std::uint32_t view,
                    std::uint32_t snapshot_index, Period joined) {
  const Period d = plan.plan().num_periods;
  const std::vector<BigInt> weights = integer_probabilities(plan.plan().views[view].law);
  const DeviceState start{view,
                          joined,
                          snapshot_index,
                          PartialSums(joined),
                          SignVector(num_signs(plan.plan().views[view].law)),
                          0,
                          0};
  std::vector<BigInt> least;
  std::vector<BigInt> most;
  for (std::uint32_t later = 0; later >> (d - joined + 1) == 0; ++later) {
    const std::vector<BigInt> outputs = output_weights(plan, start, later << (joined - 1), weights);
    if (least.empty()) least = most = outputs;
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      least[output] = std::min(least[output], outputs[output]);
      most[output] = std::max(most[output], outputs[output]);
    }
  }
  for (std::size_t output = 0; output < least.size(); ++output) {
    if (most[output].is_zero()) continue;
    if (least[output].is_zero()) return false;
    if (!less_or_equal({most[output], least[output]}, bound)) return false;
  }
  return true;
}

bool protocol_is_within(const Fraction& bound, Protocol protocol, Period periods,
                        std::uint32_t changes) {
  const Plan terms = *make_plan(protocol, periods, changes_for(protocol, changes),
                                *Epsilon::parse("1"), initial_for(protocol));
  const CertifiedPlan plan = *CertifiedPlan::create(terms);
  for (std::uint32_t view = 0; view < terms.views.size(); ++view) {
    const bool snapshot = terms.views[view].kind == ViewKind::kSnapshot;
    const std::uint32_t points = snapshot ? terms.views[view].num_indices(periods) : 1;
    for (std::uint32_t point = 1; point <= points; ++point) {
      for (Period joined = 1; joined <= periods; ++joined) {
        if (!view_is_within(bound, plan, view, snapshot ? point : 0, joined)) return false;
      }
    }
  }
  return true;
}

TEST(DevicePrivacy, HoldsExactlyForEverySequenceOfEveryProtocol) {
  const Fraction bound = exp_below(Epsilon::kNanosPerUnit);
  for (const Protocol protocol : kProtocols) {
    // audit/exhaustive_innovation_test.cpp and exhaustive_pulse_test.cpp have these.
    if (protocol == Protocol::kInnovation || protocol == Protocol::kPulse) continue;
    for (const Period periods : {1U, 2U, 3U, 4U, 5U}) {
      for (const std::uint32_t changes : {1U, 2U, 3U}) {
        EXPECT_TRUE(protocol_is_within(bound, protocol, periods, changes))
            << name_of(protocol) << " d=" << periods << " k=" << changes;
      }
    }
  }
}

// The bound is tight: for these plans, a loss of epsilon - 0.001 would be false.
TEST(DevicePrivacy, IsNoBetterThanItSays) {
  const Fraction less = exp_below(Epsilon::kNanosPerUnit / 1000 * 999);
  for (const Protocol protocol : {Protocol::kOptimal, Protocol::kHybrid, Protocol::kSnapshot,
                                  Protocol::kRepeated, Protocol::kWarner, Protocol::kOnce}) {
    EXPECT_FALSE(protocol_is_within(less, protocol, 5, 2)) << name_of(protocol);
  }
}

}  // namespace
}  // namespace futurerand
