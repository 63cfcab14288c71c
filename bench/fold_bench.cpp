// The cost of a parsed report: finding its client and counting its sign, and the share of the hash.
// Our SipHash-1-3 and libsodium's SipHash-2-4 are measured side by side: ours stays for its speed.
#include <random>

#include <benchmark/benchmark.h>
#include <sodium/crypto_shorthash.h>

#include "futurerand/collector/writer/commit_batch.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kBatch = 1000;
constexpr HashKey kKey{1, 2};

ClientId random_id(std::mt19937_64& random) {
  ClientId id;
  for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random());
  return id;
}

void hash_of_ours(benchmark::State& state) {
  std::mt19937_64 random(1);
  ClientId id = random_id(random);
  for (auto _ : state) {
    ++id.bytes[0];
    benchmark::DoNotOptimize(keyed_hash(kKey, id));
  }
}

void hash_of_libsodium(benchmark::State& state) {
  std::mt19937_64 random(1);
  ClientId id = random_id(random);
  for (auto _ : state) {
    ++id.bytes[0];
    std::uint64_t hash = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&hash), id.bytes.data(), id.bytes.size(),
                     reinterpret_cast<const unsigned char*>(&kKey));
    benchmark::DoNotOptimize(hash);
  }
}

// Makes a finished metric of this body. Returns its devices, which reported `told` of its periods.
std::vector<ClientId> fill(State& collector, const std::string& body, std::size_t num_clients,
                           std::uint32_t told) {
  {
    CommitBatch creation(collector, Instant{});
    creation.create(*define_metric("m", body, Instant{}));
  }
  collector.metric(0).manual_period = collector.metric(0).definition->plan.num_periods + 1;
  std::mt19937_64 random(1);
  std::vector<ClientId> clients;
  Batch batch;
  for (std::size_t i = 0; i < num_clients; ++i) {
    clients.push_back(random_id(random));
    batch.messages.push_back(Enrolment{clients.back(), 0, 1, 0});
    batch.lines.push_back(1);
    if (told == 0) continue;
    PackedSigns signs;
    for (std::uint32_t t = 0; t < told; ++t) signs.push_back(sign_of(random() % 2 == 0));
    batch.messages.push_back(Report{clients.back(), 1, signs});
    batch.lines.push_back(1);
  }
  (void)CommitBatch(collector, Instant{}).add(batch, 0, batch.messages.size());
  return clients;
}

// Folds reports with one sign, in batches of 1,000.
void fold_into(benchmark::State& state, const std::string& body, std::size_t num_clients,
               std::uint32_t told) {
  State collector(kKey);
  const std::vector<ClientId> clients = fill(collector, body, num_clients, told);
  std::mt19937_64 random(1);
  Batch batch;
  std::size_t at = 0;
  std::uint32_t index = told + 1;
  for (auto _ : state) {
    state.PauseTiming();
    batch.messages.clear();
    batch.lines.assign(kBatch, 1);
    for (std::size_t i = 0; i < kBatch; ++i) {
      batch.messages.push_back(Report{clients[at], index, {1, sign_of(random() % 2 == 0)}});
      if (++at == num_clients) at = 0, ++index;
    }
    state.ResumeTiming();
    CommitBatch group(collector, Instant{});
    if (group.add(batch, 0, batch.messages.size()).counts.accepted != kBatch)
      state.SkipWithError("not accepted");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

void fold(benchmark::State& state) {
  fold_into(
      state,
      R"({"periods":1048576,"max_changes":4,"epsilon":"1","protocol":"optimal","clock":"manual"})",
      200'000, 0);
}

// The first argument is the number of periods; half of them were reported before. Transcripts are
// kept. The second argument says whether they are clipped (1) or not (0).
void fold_innovation(benchmark::State& state) {
  fold_into(
      state,
      R"({"max_changes":4,"epsilon":"1","protocol":"innovation","clock":"manual","periods":)" +
          std::to_string(state.range(0)) + R"(,"transcript_cap":)" +
          (state.range(1) == 1 ? "true}" : "false}"),
      20'000, static_cast<std::uint32_t>(state.range(0) / 2));
}

// Forgets one device among a million, each in a commit of its own: all of the CPU time that it
// takes apart from parsing the line. The disk's sync comes on top.
void forget_one(benchmark::State& state) {
  State collector(kKey);
  const std::vector<ClientId> clients = fill(
      collector,
      R"({"periods":256,"max_changes":4,"epsilon":"1","protocol":"innovation","clock":"manual"})",
      1'000'000, 64);
  std::size_t at = 0;
  for (auto _ : state) {
    Batch batch;
    batch.messages.push_back(Forget{clients[at++]});
    batch.lines.push_back(1);
    CommitBatch commit(collector, Instant{});
    if (commit.add(batch, 0, 1).counts.accepted != 1) state.SkipWithError("not accepted");
  }
}

BENCHMARK(hash_of_ours);
BENCHMARK(forget_one)->Iterations(2000)->Unit(benchmark::kMicrosecond);
BENCHMARK(hash_of_libsodium);
BENCHMARK(fold);
BENCHMARK(fold_innovation)
    ->ArgsProduct({{256, 1024}, {0, 1}})
    ->Iterations(2000)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace futurerand
