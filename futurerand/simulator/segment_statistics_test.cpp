// SegmentErrors of results by segment, on real devices: a segment with n_g of n devices has sqrt(n
// / n_g) times the error of the whole, and its bands hold. So do the bands of differences. The
// seeds are fixed.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/device/run_device.hpp"
#include "futurerand/estimator/segment_answer.hpp"
#include "futurerand/simulator/populations/philox.hpp"

namespace futurerand {
namespace {

constexpr Period kSegmentPeriods = 16;
constexpr std::uint64_t kSegmentDevices = 400;
constexpr std::uint64_t kSegmentTrials = 1500;
// Devices with these numbers modulo 20 are in each segment: 50%, 35%, 10% and 5%.
constexpr std::uint64_t kEnds[] = {10, 17, 19, 20};

std::uint32_t segment_of(std::uint64_t device) {
  std::uint32_t stratum = 0;
  while (device % 20 >= kEnds[stratum]) ++stratum;
  return stratum;
}

// Devices of later segments hold 1 more often. Some change once.
Values values_of(std::uint64_t device) {
  const bool first = device / 20 % 5 <= segment_of(device);
  Values values = {{1, first}};
  if (device % 3 == 0) values.push_back({static_cast<Period>(2 + device % 13), !first});
  return values;
}

struct SegmentErrors {
  double squares = 0;
  std::uint64_t covered = 0, rows = 0;

  void add(double share, double truth, const Band& band) {
    squares += (share - truth) * (share - truth);
    covered += band.lower <= truth && truth <= band.upper ? 1 : 0;
    ++rows;
  }
  double rmse() const { return std::sqrt(squares / static_cast<double>(rows)); }
  double coverage() const { return static_cast<double>(covered) / static_cast<double>(rows); }
};

TEST(SegmentStatistics, ErrorsFollowTheSizesAndBandsHold) {
  Plan asked = *make_plan(Protocol::kInnovation, kSegmentPeriods, 1, *Epsilon::parse("2"),
                          Initial::kUnknown);
  asked.segments = *Segments::create("platform", {"a", "b", "c", "d"});
  const CertifiedPlan plan = *CertifiedPlan::create(asked);
  const bool has_zeros = may_be_zero(asked.views[0].law);
  std::vector<std::vector<double>> held(4, std::vector<double>(kSegmentPeriods));
  std::vector<double> sizes(4);
  for (std::uint64_t device = 0; device < kSegmentDevices; ++device) {
    ++sizes[segment_of(device)];
    for (Period t = 1; t <= kSegmentPeriods; ++t) {
      held[segment_of(device)][t - 1] += value_at(values_of(device), t);
    }
  }
  const auto truth = [&](std::uint32_t g, Period t) { return held[g][t - 1] / sizes[g]; };

  SegmentErrors whole, difference;
  std::vector<SegmentErrors> errors(4);
  const SimulationKey key = SimulationKey::from_seed(32);
  for (std::uint64_t trial = 0; trial < kSegmentTrials; ++trial) {
    Sums sums(asked);
    Presence presence = *empty_presence(asked, false);
    for (std::uint64_t device = 0; device < kSegmentDevices; ++device) {
      const std::uint32_t g = segment_of(device);
      PhiloxSource source(key, Stream::kDevice, trial, device);
      Device joined = *Device::join(plan, 1, source);
      sums.enrol(0, 1, 0, 1, g);
      std::uint64_t minus = 0, zero = 0;
      const auto emit = [&](const SignRun& run) {
        minus |= run.minus << (run.first_index - 1);
        zero |= run.silent << (run.first_index - 1);
        for (std::uint32_t i = 0; i < run.count; ++i) {
          sums.add(0, run.first_index + i, one_report(run.at(i)), g);
        }
      };
      ASSERT_TRUE(run_device(joined, values_of(device), source, emit));
      const Transcript transcript{.joined = 1,
                                  .next = kSegmentPeriods + 1,
                                  .minus = &minus,
                                  .zero = has_zeros ? &zero : nullptr,
                                  .stratum = g};
      presence.change(transcript.before(1), transcript);
    }
    const Folded folded{sums, &presence, kSegmentPeriods + 1};
    Question question;
    question.influence = false;
    const Result<Answer> all = answer(asked, folded, question);
    ASSERT_TRUE(all);
    for (const AnswerRow& row : all->rows) {
      double share = 0;
      for (std::uint32_t g = 0; g < 4; ++g) share += held[g][row.period - 1] / kSegmentDevices;
      whole.add(row.share(), share, row.share_band());
    }
    question.by_segment = true;
    const Result<Answer> by = answer(asked, folded, question);
    ASSERT_TRUE(by);
    for (const AnswerRow& row : by->rows) {
      const std::uint32_t g = *asked.segments.find(row.segment);
      errors[g].add(row.share(), truth(g, row.period), row.share_band());
    }
    question.by_segment = false;
    question.segment = "a";
    const Result<Comparison> compared = compare(asked, folded, question, "b");
    ASSERT_TRUE(compared);
    for (const ComparisonRow& row : compared->rows) {
      const double real = truth(0, row.of.period) - truth(1, row.of.period);
      difference.add(row.share_difference, real, row.share_band);
    }
  }
  for (std::uint32_t g = 0; g < 4; ++g) {
    const double expected = std::sqrt(static_cast<double>(kSegmentDevices) / sizes[g]);
    EXPECT_NEAR(errors[g].rmse() / whole.rmse() / expected, 1, 0.03) << g;
    EXPECT_NEAR(errors[g].coverage(), 0.95, 0.01) << g;
  }
  EXPECT_NEAR(whole.coverage(), 0.95, 0.01);
  EXPECT_NEAR(difference.coverage(), 0.95, 0.01);
  EXPECT_NEAR(difference.rmse() / std::hypot(errors[0].rmse(), errors[1].rmse()), 1, 0.03);
}

}  // namespace
}  // namespace futurerand
