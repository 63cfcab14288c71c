// The device against its model in Coq (proofs/device.v): the same chance for every output of every
// input of a small plan. tests/proof_test.py compares the file with the model's own output.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/audit/exhaustive_innovation.hpp"
#include "futurerand/core/base/test/epsilon.hpp"

namespace futurerand {
namespace {

// The integers are those of proofs/device_case.v.
Plan modelled_plan(Initial initial) {
  constexpr std::uint64_t kHighSide = 10'195'318'397'504'231'908U;
  WeightedThresholdLaw law{
      4, {{1, 5, 380'000'000'000}, {1, 3, 210'000'000'000}, {2, 2, 140'000'000'000}}, 4, kHighSide};
  if (initial == Initial::kUnknown) {
    law.levels[1] = {1, 4, 290'000'000'000};
    law.start_levels = 1;
  }
  return {Protocol::kInnovation, 4, 1, epsilon("1"), {{ViewKind::kInnovation, 0, 1, law}}, initial};
}

std::vector<BigInt> read_numbers() {
  std::ifstream file(FUTURERAND_SOURCE_DIR "/tests/data/innovation_model.txt");
  std::vector<BigInt> numbers;
  for (std::string number; file >> number;) numbers.emplace_back(number);
  return numbers;
}

TEST(InnovationModel, GivesEveryOutputTheChanceThatTheDeviceGivesIt) {
  const std::vector<BigInt> model = read_numbers();
  ASSERT_EQ(model.size(), 2U * 16U * 16U);
  std::size_t number = 0;
  for (const Initial initial : {Initial::kZero, Initial::kUnknown}) {
    const Result<CertifiedPlan> plan = CertifiedPlan::create(modelled_plan(initial));
    ASSERT_TRUE(plan) << plan.error().message;
    const auto outputs = innovation_outputs(*plan);
    ASSERT_TRUE(outputs) << outputs.error().message;
    for (std::size_t input = 0; input < 16; ++input) {
      for (std::size_t output = 0; output < 16; ++output) {
        EXPECT_EQ((*outputs)[input][output], model[number++]) << input << " " << output;
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
