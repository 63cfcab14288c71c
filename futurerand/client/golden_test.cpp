// Golden devices: their saved bytes, and the lines that they send next, stay what they are.
// tests/data/golden/client/ has a folder for each: plan.json, the records and next.jsonl. After a
// change on purpose, tools/golden writes them again (FUTURERAND_WRITE_GOLDEN is set then).
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::golden {
namespace {

struct GoldenDevice {
  const char* name;
  Protocol protocol;
  const char* epsilon;
};

constexpr GoldenDevice kDevices[] = {
    {"hybrid", Protocol::kHybrid, "1"},
    {"innovation", Protocol::kInnovation, "1"},
    {"optimal", Protocol::kOptimal, "1"},
    {"repeated", Protocol::kRepeated, "1"},
    {"snapshot", Protocol::kSnapshot, "1"},
    {"sparse", Protocol::kHybrid, "4"},
    {"sparse_innovation", Protocol::kInnovation, "16"},
};

const Epsilon kCeiling = *Epsilon::parse("16");

std::filesystem::path folder_of(const GoldenDevice& device) {
  return std::filesystem::path(FUTURERAND_SOURCE_DIR) / "tests/data/golden/client" / device.name;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
}

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

MetricTerms terms_of(const GoldenDevice& device, const Plan& plan) {
  return {device.name, *CertifiedPlan::create(plan), {1'700'000'000, 3600}};
}

// Joins in period 1 and reports up to period 40; what it sent up to period 12 is acknowledged.
MemoryStateStore saved(const MetricTerms& terms) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, kCeiling);
  testing_sources::SeededSource entropy(11);
  Client client = *Client::open(terms, 1, ledger, store, entropy);
  for (Period t = 1; t <= 40; ++t) {
    EXPECT_TRUE(client.observe(t, t >= 9 && t < 23));
    if (t == 12) {
      const Outbox outbox = client.outbox();
      const std::uint32_t last = outbox.reports.empty() ? 0 : outbox.reports.back().first_index;
      EXPECT_TRUE(client.acknowledge(last));
    }
  }
  return store;
}

// Opens the client from its records, without entropy, and returns what it sends next.
std::string next_lines(const MetricTerms& terms, MemoryStateStore& store) {
  Ledger ledger = *Ledger::open(store, kCeiling);
  testing_sources::FailingSource nothing(0);
  Result<Client> client = Client::open(terms, 1, ledger, store, nothing);
  if (!client) return client.error().message;
  EXPECT_EQ(client->now(), 40U);
  EXPECT_TRUE(client->observe(60, true));
  EXPECT_TRUE(client->observe(100, true));
  client->begin_period(101);
  return to_lines(client->outbox());
}

void write_golden(const GoldenDevice& device) {
  const Plan plan = *make_plan(device.protocol, 128, 3, *Epsilon::parse(device.epsilon));
  const MetricTerms terms = terms_of(device, plan);
  const std::filesystem::path folder = folder_of(device);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  write_text(folder / "plan.json", to_json(plan));
  MemoryStateStore store = saved(terms);
  for (const auto& [name, bytes] : store.records()) write_text(folder / name, text_of(bytes));
  write_text(folder / "next.jsonl", next_lines(terms, store));
}

TEST(GoldenClient, StaysByteForByte) {
  int with_unsent = 0;
  for (const GoldenDevice& device : kDevices) {
    SCOPED_TRACE(device.name);
    if (std::getenv("FUTURERAND_WRITE_GOLDEN") != nullptr) write_golden(device);
    const std::filesystem::path folder = folder_of(device);
    const Result<Plan> plan = parse_plan(read_text(folder / "plan.json"));
    ASSERT_TRUE(plan) << plan.error().message;
    const MetricTerms terms = terms_of(device, *plan);
    MemoryStateStore golden;
    const MemoryStateStore now = saved(terms);
    for (const auto& [name, bytes] : now.records()) {
      const std::string text = read_text(folder / name);
      EXPECT_EQ(text_of(bytes), text) << name;
      ASSERT_TRUE(golden.save(name, bytes_of(text)));
    }
    const Bytes& state = golden.records().at(metric_record(device.name));
    const Result<ClientMemory> memory = ClientCodec::read(state, terms);
    if (memory->num_acknowledged < memory->signs.size()) ++with_unsent;
    EXPECT_EQ(next_lines(terms, golden), read_text(folder / "next.jsonl"));
  }
  EXPECT_GE(with_unsent, 4);
}

}  // namespace
}  // namespace futurerand::golden
