// Earlier versions saved these states and went on to send these lines: every later version goes on
// from them, bit for bit. tests/data/golden/client_v*/ has a folder for each of several devices.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

MemoryStateStore store_in(const std::filesystem::path& folder) {
  MemoryStateStore store;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().has_extension()) continue;
    const std::string text = read_text(entry.path());
    EXPECT_TRUE(store.save(entry.path().filename().string(), bytes_of(text)));
  }
  return store;
}

void expect_golden(const std::string& version, std::uint64_t generation,
                   std::uint32_t saved_as = ClientCodec::kVersion) {
  const std::filesystem::path all =
      std::filesystem::path(FUTURERAND_SOURCE_DIR) / "tests/data/golden" / version;
  int devices = 0;
  for (const auto& folder : std::filesystem::directory_iterator(all)) {
    const std::string name = folder.path().filename().string();
    SCOPED_TRACE(version + " " + name);
    const MetricTerms terms{
        name, *CertifiedPlan::create(*parse_plan(read_text(folder.path() / "plan.json"))),
        1'700'000'000, 3600};
    MemoryStateStore store = store_in(folder.path());
    ASSERT_EQ(store.records().size(), 2U);
    EXPECT_EQ(revision_of(store.records().at(metric_record(name))).generation, generation);
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("16"));
    testing_sources::FailingSource nothing(0);
    Result<Client> client = Client::open(terms, 1, ledger, store, nothing);
    ASSERT_TRUE(client) << client.error().message;
    EXPECT_EQ(client->now(), 40U);
    ASSERT_TRUE(client->observe(60, true));
    ASSERT_TRUE(client->observe(100, true));
    client->begin_period(101);
    EXPECT_EQ(to_lines(client->outbox()), read_text(folder.path() / "then.jsonl"));
    // Whatever it was, it is saved as the latest.
    const Bytes& saved = store.records().at(metric_record(name));
    EXPECT_EQ(saved[ClientCodec::kKind.size()], saved_as);
    EXPECT_EQ(revision_of(saved).generation, generation + 2);
    ++devices;
  }
  EXPECT_EQ(devices, 5);
}

TEST(GoldenClient, VersionOneGoesOn) { expect_golden("client_v1", 0); }
TEST(GoldenClient, VersionTwoGoesOn) { expect_golden("client_v2", 41); }
// Version 3 is that of metrics with heartbeats; what was said up to period 32 was acknowledged.
TEST(GoldenClient, VersionThreeGoesOn) {
  expect_golden("client_v3", 42, ClientCodec::kHeartbeatVersion);
}

}  // namespace
}  // namespace futurerand
