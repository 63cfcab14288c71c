// Labels through the device's own code, exhaustively: every sequence of labels and every row. The
// row is public, so outputs are compared row by row.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/audit/exhaustive_innovation.hpp"
#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/coding/row.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {
namespace {

constexpr Period kAuditedPeriods = 4;
constexpr std::uint32_t kAuditedLabels = 4;

// The base-4 digits of a number are the labels of a sequence.
std::vector<std::uint32_t> label_sequence(std::uint32_t number) {
  std::vector<std::uint32_t> labels;
  for (Period t = 0; t < kAuditedPeriods; ++t) {
    labels.push_back(number % kAuditedLabels);
    number /= kAuditedLabels;
  }
  return labels;
}

std::uint32_t changes_of(const std::vector<std::uint32_t>& labels) {
  std::uint32_t changes = 0;
  for (std::size_t t = 1; t < labels.size(); ++t) changes += labels[t] != labels[t - 1] ? 1U : 0U;
  return changes;
}

// The mean of 2 psi - 1 at each period: y_t = 2 E[report_t] / kappa + sum over j of phi_j y_(t-j).
std::vector<double> mean_signs(const Plan& plan, const std::vector<double>& law) {
  const std::vector<std::uint64_t> gaps =
      std::get<WeightedThresholdLaw>(plan.views[0].law).filter_gaps();
  const double kappa = static_cast<double>(gaps.front() + gaps.back());
  std::vector<double> means;
  for (std::size_t t = 0; t < kAuditedPeriods; ++t) {
    double report = 0;
    for (std::size_t output = 0; output < law.size(); ++output) {
      report += (output >> t & 1U) != 0 ? -law[output] : law[output];
    }
    double mean = 2 * report * 0x1p40 / kappa;
    for (std::size_t j = 1; j < gaps.size() && j <= t; ++j) {
      mean += static_cast<double>(gaps[j - 1] - gaps[j]) / kappa * means[t - j];
    }
    means.push_back(mean);
  }
  return means;
}

TEST(ExhaustiveLabels, ArePrivateOverTheWholeSequenceAndUnbiased) {
  for (const std::uint32_t changes : {0U, 1U, 2U}) {
    const Coding coding = *Coding::create(CategoryCoding{{"a", "b", "c", "d"}, std::nullopt});
    const Plan plan = *make_plan(Protocol::kInnovation, kAuditedPeriods, changes, epsilon("1"),
                                 Initial::kUnknown, coding);
    const CertifiedPlan certified = *CertifiedPlan::create(plan);
    const double bound = certify(plan)->exact_epsilon();
    std::vector<std::vector<double>> laws;  // by the states of a device, a bit a period
    for (std::uint32_t states = 0; states < 1U << kAuditedPeriods; ++states) {
      std::vector<std::uint32_t> held;
      for (Period t = 0; t < kAuditedPeriods; ++t) held.push_back(states >> t & 1U);
      laws.push_back(*innovation_law_of(certified, 1, held));
    }
    double loss = 0;
    const std::uint32_t sequences = 1U << 2 * kAuditedPeriods;
    std::vector<std::vector<double>> own(sequences, std::vector<double>(kAuditedPeriods));
    for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
      std::vector<double> most(laws[0].size(), 0), least(laws[0].size(), 1);
      for (std::uint32_t number = 0; number < sequences; ++number) {
        const std::vector<std::uint32_t> labels = label_sequence(number);
        std::uint32_t states = 0;
        for (Period t = 0; t < kAuditedPeriods; ++t) {
          states |= Coding::state(row, labels[t]) << t;
        }
        for (std::size_t output = 0; output < laws[states].size(); ++output) {
          most[output] = std::max(most[output], laws[states][output]);
          least[output] = std::min(least[output], laws[states][output]);
        }
        // The count of a label: (1 + sum over rows of chance/chance sign y) / R, for one device.
        const std::vector<double> means = mean_signs(plan, laws[states]);
        for (Period t = 0; t < kAuditedPeriods; ++t) {
          const double sign = Coding::state(row, labels[t]) == 1 ? 1 : -1;
          own[number][t] += sign * means[t] / coding.num_codes();
        }
      }
      for (std::size_t output = 0; output < most.size(); ++output) {
        loss = std::max(loss, std::log(most[output] / least[output]));
      }
    }
    EXPECT_LE(loss, bound + 1e-9) << changes;
    EXPECT_GE(loss, 0.95 * bound) << changes;
    for (std::uint32_t number = 0; number < sequences; ++number) {
      if (changes_of(label_sequence(number)) > changes) continue;
      for (const double mean : own[number]) {
        EXPECT_NEAR(mean + 1.0 / coding.num_codes(), 1, 1e-6) << changes << " " << number;
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
