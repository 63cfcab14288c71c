#include "futurerand/client/machine_binding.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using test::CountingStore;
using testing_sources::SeededSource;

constexpr std::string_view kHere = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kThere = "0123456789abcdef0123456789abcdee";

TEST(MachineBinding, IsTheSameMachineForEver) {
  MemoryStateStore store;
  SeededSource entropy(1);
  EXPECT_EQ(*read_machine_binding(store), MachineBinding::kUnbound);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(bind_to_machine(store, kHere, entropy));
  EXPECT_EQ(*read_machine_binding(store), MachineBinding::kBound);
  // It was saved once: a counter in hardware steps once.
  EXPECT_EQ(revision_of(store.records().at("machine")).generation, 1U);
}

// A copy retires where it is noticed, and the original does not know of it.
TEST(MachineBinding, ACopyOnAnotherMachineRetiresForGood) {
  MemoryStateStore store;
  SeededSource entropy(1);
  ASSERT_TRUE(bind_to_machine(store, kHere, entropy));
  MemoryStateStore copy = store;
  for (const std::string_view machine : {kThere, kHere, kThere}) {
    const Status refused = bind_to_machine(copy, machine, entropy);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
    EXPECT_EQ(action_of(refused.error().code), ErrorAction::kGiveUp);
    EXPECT_EQ(refused.error().message.find(machine), std::string::npos);
  }
  EXPECT_EQ(*read_machine_binding(copy), MachineBinding::kRetired);
  EXPECT_TRUE(bind_to_machine(store, kHere, entropy));
}

TEST(MachineBinding, ACopyIsRefusedEvenIfNothingCanBeSaved) {
  CountingStore store;
  SeededSource entropy(1);
  ASSERT_TRUE(bind_to_machine(store, kHere, entropy));
  store.good_saves = store.saves;
  EXPECT_EQ(bind_to_machine(store, kThere, entropy).error().code, ErrorCode::kRefused);
}

// The identity is not in the record, and two folders of one machine have nothing in common.
TEST(MachineBinding, TheRecordDoesNotHaveTheIdentity) {
  SeededSource entropy(1);
  Bytes records[2];
  for (Bytes& record : records) {
    MemoryStateStore store;
    ASSERT_TRUE(bind_to_machine(store, kHere, entropy));
    record = store.records().at("machine");
    const std::string text(record.begin(), record.end());
    EXPECT_EQ(text.find(kHere), std::string::npos);
    EXPECT_EQ(text.find(kHere.substr(0, 8)), std::string::npos);
  }
  ASSERT_EQ(records[0].size(), records[1].size());
  // 21 bytes of head and one flag are alike, and of 96 others hardly any.
  std::size_t alike = 0;
  for (std::size_t i = 0; i < records[0].size(); ++i) alike += records[0][i] == records[1][i];
  EXPECT_LT(alike, 21 + 1 + 12U);
}

TEST(MachineBinding, DamageAndMissingEntropyFailClosed) {
  MemoryStateStore store;
  testing_sources::FailingSource nothing(0);
  EXPECT_EQ(bind_to_machine(store, kHere, nothing).error().code, ErrorCode::kNoEntropy);
  EXPECT_TRUE(store.records().empty());
  SeededSource entropy(1);
  ASSERT_TRUE(bind_to_machine(store, kHere, entropy));
  const Bytes good = store.records().at("machine");
  for (std::size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= 1;
    ASSERT_TRUE(store.save("machine", bad));
    EXPECT_EQ(bind_to_machine(store, kHere, entropy).error().code, ErrorCode::kDamaged) << i;
    EXPECT_EQ(read_machine_binding(store).error().code, ErrorCode::kDamaged) << i;
  }
}

TEST(MachineBinding, TheSystemsIdentityIsHexadecimalOrNone) {
  const std::string identity = system_machine_identity();
  EXPECT_TRUE(identity.empty() || identity.size() == 32);
#ifdef _WIN32
  EXPECT_FALSE(identity.empty());
#endif
  EXPECT_EQ(identity, system_machine_identity());
}

}  // namespace
}  // namespace futurerand
