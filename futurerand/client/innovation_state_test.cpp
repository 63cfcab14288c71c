// The saved state of a device that reports innovation: its bytes stay what they are.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/client_codec.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

struct Kind {
  std::uint32_t nonzero;
  const char* file;
};

constexpr Kind kKinds[] = {
    {65'536, FUTURERAND_SOURCE_DIR "/tests/data/client/innovation.state"},
    {16'384, FUTURERAND_SOURCE_DIR "/tests/data/client/innovation_sparse.state"},
};

MetricTerms innovation_terms(const Kind& kind) {
  // The law is written out, not designed: a later design must not change what was saved.
  const WeightedThresholdLaw law{
      24,
      {{2, 530, 200'000'000'000}, {2, 180, 80'000'000'000}, {20, 170, 70'000'000'000}},
      900,
      std::uint64_t{1} << 63,
      kind.nonzero};
  const Plan plan{
      Protocol::kInnovation, 24, 2, *Epsilon::parse("16"), {{ViewKind::kInnovation, 0, 1, law}}};
  return {"news", *CertifiedPlan::create(plan), 0, 0};
}

// The state was saved after eleven periods, of which some were acknowledged.
Bytes saved_state(const MetricTerms& terms) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, *Epsilon::parse("16"));
  testing_sources::SeededSource entropy(5);
  Client client = *Client::open(terms, 2, ledger, store, entropy);
  for (Period t = 2; t <= 12; ++t) {
    EXPECT_TRUE(client.observe(t, t >= 5 && t < 9));
  }
  EXPECT_TRUE(client.acknowledge(8));
  return store.records().rbegin()->second;
}

Bytes golden_state(const Kind& kind) {
  std::ifstream file(kind.file, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

TEST(InnovationState, IsByteForByteWhatItWas) {
  for (const Kind& kind : kKinds) {
    const MetricTerms terms = innovation_terms(kind);
    const Bytes golden = golden_state(kind);
    ASSERT_FALSE(golden.empty());
    EXPECT_EQ(saved_state(terms), golden);
    Result<ClientMemory> memory = ClientCodec::read(golden, terms);
    ASSERT_TRUE(memory) << memory.error().message;
    SealedWriter writer = ClientCodec::writer_for(*memory, revision_of(golden));
    ClientCodec::write(*memory, writer);
    EXPECT_EQ(writer.seal(), golden);
    EXPECT_TRUE(memory->device.observe(24, true, memory->coins, [](const SignRun&) {}));
  }
}

TEST(InnovationState, RefusesAnyFlippedBit) {
  for (const Kind& kind : kKinds) {
    const MetricTerms terms = innovation_terms(kind);
    const Bytes good = golden_state(kind);
    for (std::size_t i = 0; i < good.size(); ++i) {
      Bytes bad = good;
      bad[i] = static_cast<std::uint8_t>(bad[i] ^ 1U);
      EXPECT_FALSE(ClientCodec::read(bad, terms)) << i;
    }
  }
}

// This is run by hand after a change on purpose (which needs a new version).
TEST(InnovationState, DISABLED_WriteTheGoldenFile) {
  for (const Kind& kind : kKinds) {
    const Bytes bytes = saved_state(innovation_terms(kind));
    std::ofstream(kind.file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace
}  // namespace futurerand
