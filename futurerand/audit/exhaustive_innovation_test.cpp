#include "futurerand/audit/exhaustive_innovation.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/device/test/innovation_plans.hpp"

namespace futurerand {
namespace {

void expect_private_and_unbiased(const Plan& plan, Period joined) {
  const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
  ASSERT_TRUE(certified) << certified.error().message;
  const Result<ExhaustiveAudit> audit = audit_innovation_exhaustively(*certified, joined);
  ASSERT_TRUE(audit) << audit.error().message;
  EXPECT_TRUE(audit->passed()) << plan.num_periods << " " << plan.max_changes << " "
                               << plan.epsilon.text() << " " << joined << ": "
                               << audit->property_one << audit->property_two
                               << audit->property_three << audit->ratio_bounded;
  const std::uint32_t bits = plan.coding.kind() == CodingKind::kNumber ? 2 : 1;
  EXPECT_EQ(audit->num_inputs, std::uint64_t{1} << bits * (plan.num_periods - joined + 1));
  if (joined > 1) return;
  // A device with all planned changes uses all signs: the bound is met. With few periods and start
  // levels some sign may always be left.
  const double certified_epsilon = certify(plan)->exact_epsilon();
  EXPECT_LE(audit->exact_epsilon, certified_epsilon + 1e-9);
  const double least = plan.initial == Initial::kZero ? 1 - 1e-9 : 0.95;
  EXPECT_GE(audit->exact_epsilon, least * certified_epsilon);
}

TEST(ExhaustiveInnovation, EveryPlanOfTheDesignIsPrivateAndUnbiased) {
  for (const Period d : {2U, 3U, 4U, 5U, 6U, 7U}) {
    for (std::uint32_t k = 1; k < d && k <= 3; ++k) {
      for (const char* budget : {"1", "2", "4", "8"}) {
        expect_private_and_unbiased(*make_plan(Protocol::kInnovation, d, k, epsilon(budget)), 1);
      }
    }
  }
}

// K = 0 is a constant fact after joining.
TEST(ExhaustiveInnovation, UnknownStartsArePrivateAndUnbiased) {
  for (const Period d : {2U, 3U, 4U, 5U, 6U, 7U}) {
    for (std::uint32_t k = 0; k + 1 < d && k <= 2; ++k) {
      for (const char* budget : {"1", "4"}) {
        const Plan plan =
            *make_plan(Protocol::kInnovation, d, k, epsilon(budget), Initial::kUnknown);
        for (const Period joined : {Period{1}, d / 2 + 1}) {
          expect_private_and_unbiased(plan, joined);
        }
      }
    }
  }
}

// Every history of thirds of the range, of any variation.
TEST(ExhaustiveInnovation, NumbersArePrivateAndUnbiased) {
  const Coding number = *Coding::create(NumberCoding{0, 100, "ms"});
  for (const Initial initial : {Initial::kZero, Initial::kUnknown}) {
    for (const Period d : {3U, 4U, 5U}) {
      for (const std::uint32_t k : {1U, 2U}) {
        if (changes_from_zero(k, initial) >= d) continue;
        const Plan plan = *make_plan(Protocol::kInnovation, d, k, epsilon("1"), initial, number);
        for (const Period joined : {1U, 2U}) expect_private_and_unbiased(plan, joined);
      }
    }
  }
}

TEST(ExhaustiveInnovation, LateJoinersToo) {
  for (const Initial initial : {Initial::kZero, Initial::kUnknown}) {
    for (const Period d : {5U, 6U}) {
      const Plan plan = *make_plan(Protocol::kInnovation, d, 2, epsilon("1"), initial);
      for (Period joined = 1; joined <= d; ++joined) expect_private_and_unbiased(plan, joined);
    }
  }
}

// The weights of the design are one choice of many: privacy must not hang on it.
TEST(ExhaustiveInnovation, OtherWeightsToo) {
  const std::vector<LawLevels> all = {
      {{1, 7, 1}, {1, 5, 1}, {1, 3, 1}, {2, 1, 1}},
      {{2, 100, 1}, {2, 99, 1}, {1, 40, 1}},
      {{1, 3, 1}, {5, 3, 1}},
      {{2, 9, 1}, {1, 9, 1}, {2, 4, 1}},
  };
  for (const LawLevels& levels : all) {
    for (const std::uint32_t theta_share : {3U, 6U}) {
      expect_private_and_unbiased(innovation_plan_of(levels, theta_share, 1, epsilon("1"), 0), 1);
    }
  }
}

// The design is quiet for longer horizons only; the device's code and the certificate are the same
// for these.
TEST(ExhaustiveInnovation, SparseLawsArePrivateAndUnbiased) {
  for (const char* budget : {"4", "8"}) {
    for (const std::uint32_t rarity : {2U, 3U, 7U}) {
      expect_private_and_unbiased(
          innovation_plan_of({{1, 9, 1}, {1, 5, 1}, {3, 2, 1}}, 9, 1, epsilon(budget), rarity), 1);
      expect_private_and_unbiased(
          innovation_plan_of({{2, 4, 1}, {2, 3, 1}}, 4, 2, epsilon(budget), rarity), 1);
      expect_private_and_unbiased(
          innovation_plan_of({{3, 5, 1}, {1, 1, 1}}, 5, 3, epsilon(budget), rarity), 1);
    }
    for (Period joined = 2; joined <= 5; ++joined) {
      expect_private_and_unbiased(
          innovation_plan_of({{1, 9, 1}, {1, 5, 1}, {3, 2, 1}}, 4, 1, epsilon(budget), 2), joined);
    }
  }
}

// tests/data/innovation2_exact.csv has the laws of six devices, by an independent program in exact
// rationals. In that program a device sends coins before it joins.
class ExactFile {
 public:
  ExactFile() : file_(FUTURERAND_SOURCE_DIR "/tests/data/innovation2_exact.csv") {}

  // Reads to the end. Calls check(plan, first period, values, signs, chance) for every output.
  template <typename Check>
  void read(const Check& check) {
    std::string line;
    while (std::getline(file_, line)) {
      std::vector<std::string> cells;
      std::stringstream stream(line);
      for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
      if (cells[0] == "plan") {
        read_plan(cells);
      } else if (cells[0] == "level") {
        auto& law = std::get<WeightedThresholdLaw>(plan_.views[0].law);
        law.levels.push_back({number(cells[5]), number(cells[4]), std::stoull(cells[8])});
        law.num_signs += law.levels.back().count;
        if (cells[2] == "start") ++law.start_levels;
      } else if (cells[0] == "input") {
        read_input(cells);
      } else if (cells[0] == "output") {
        const std::string coins(joined_ - 1, '-');
        if (cells[3].substr(0, joined_ - 1) != coins) continue;  // coins are all alike
        check(plan_, joined_, values_, cells[3].substr(joined_ - 1),
              std::stod(cells[6]) * static_cast<double>(1U << (joined_ - 1)));
      }
    }
  }

 private:
  static std::uint32_t number(const std::string& text) {
    return static_cast<std::uint32_t>(std::stoul(text));
  }

  void read_plan(const std::vector<std::string>& cells) {
    auto* law = plan_.views.empty() ? nullptr : &std::get<WeightedThresholdLaw>(plan_.views[0].law);
    if (cells[2] == "start") {
      plan_ = {Protocol::kInnovation, 0, 0, epsilon("1"), {}};
      plan_.initial = cells[3] == "half" ? Initial::kUnknown : Initial::kZero;
      plan_.views = {{ViewKind::kInnovation, 0, 1, WeightedThresholdLaw{0, {}, 0, 0}}};
    }
    if (cells[2] == "periods") plan_.num_periods = number(cells[3]);
    if (cells[2] == "max_changes") plan_.max_changes = number(cells[3]);
    if (cells[2] == "epsilon")
      plan_.epsilon = epsilon(cells[3] == "1/2" ? "0.5" : cells[3].c_str());
    if (cells[2] == "theta") law->theta = number(cells[3]);
    if (cells[2] == "loud_side_over_2^64") law->high_side = std::stoull(cells[3]);
  }

  void read_input(const std::vector<std::string>& cells) {
    const std::uint32_t scale = number(cells[3].substr(11));
    plan_.coding = scale == 1 ? Coding() : *Coding::create(NumberCoding{0, 1, ""});
    joined_ = 1;
    values_.clear();
    std::stringstream stream(cells[4]);
    for (std::string value; stream >> value;) {
      if (value == "-") {
        ++joined_;
      } else {
        const std::uint32_t full = plan_.coding.full_scale();
        values_.push_back((number(value) * full + scale / 2) / scale);
      }
    }
  }

  std::ifstream file_;
  Plan plan_{Protocol::kInnovation, 0, 0, *Epsilon::parse("1"), {}};
  Period joined_ = 1;
  std::vector<std::uint32_t> values_;
};

TEST(ExhaustiveInnovation, GivesTheLawsOfTheExactFile) {
  int outputs = 0;
  std::map<std::vector<std::uint32_t>, std::vector<double>> laws;
  ExactFile().read([&](const Plan& plan, Period joined, const std::vector<std::uint32_t>& values,
                       const std::string& signs, double expected) {
    if (!laws.contains(values)) {
      const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
      ASSERT_TRUE(certified) << certified.error().message;
      laws[values] = *innovation_law_of(*certified, joined, values);
    }
    std::size_t output = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      output |= std::size_t{signs[i] == '-'} << i;
    }
    // Thirds are rounded to 16 bits.
    EXPECT_NEAR(laws[values][output] / expected, 1, 1e-4) << signs;
    ++outputs;
  });
  EXPECT_EQ(outputs, 64 + 64 + 64 + 16 + 128 + 64);
}

TEST(ExhaustiveInnovation, HasALimit) {
  const Plan plan = *make_plan(Protocol::kInnovation, 11, 2, epsilon("1"));
  EXPECT_FALSE(audit_innovation_exhaustively(*CertifiedPlan::create(plan)));
}

}  // namespace
}  // namespace futurerand
