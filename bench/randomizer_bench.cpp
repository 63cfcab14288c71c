// Draws of the noise vector by law and k, and reports a second from inputs of length 1024.
#include <array>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/sign_randomizer.hpp"
#include "futurerand/entropy/system_entropy.hpp"

namespace futurerand {
namespace {

LawSampler sampler_of(LawName name, std::uint32_t k) {
  return *LawSampler::create(*make_law(name, k, *Epsilon::parse("1")));
}

void draw(benchmark::State& state, LawName name) {
  const LawSampler sampler = sampler_of(name, static_cast<std::uint32_t>(state.range(0)));
  SystemEntropy entropy;
  for (auto _ : state) benchmark::DoNotOptimize(sampler.draw(entropy));
  state.SetItemsProcessed(state.iterations());
}

// A device's work for a sequence: draw b, take coins, randomize. Inputs differ from user to user,
// four changes each at random places.
void reports(benchmark::State& state, LawName name) {
  constexpr std::size_t kLength = 1024, kChanges = 4, kUsers = 256;
  const LawSampler sampler = sampler_of(name, kChanges);
  SystemEntropy entropy;
  std::vector<std::array<std::int8_t, kLength>> users(kUsers);
  for (auto& inputs : users) {
    inputs.fill(0);
    std::array<std::uint64_t, kChanges> places{};
    if (!entropy.fill(places)) return state.SkipWithError("no entropy");
    for (std::size_t j = 0; j < kChanges; ++j) {
      inputs[places[j] % kLength] = j % 2 == 0 ? 1 : -1;
    }
  }
  std::array<std::uint64_t, kLength / 64> coins{};
  std::size_t user = 0;
  for (auto _ : state) {
    Result<SignVector> noise = sampler.draw(entropy);
    if (!noise || !entropy.fill(coins)) return state.SkipWithError("no entropy");
    SignRandomizer randomizer(*std::move(noise));
    const auto& inputs = users[user++ % kUsers];
    int sum = 0;
    for (std::size_t i = 0; i < kLength; ++i) {
      const bool coin = (coins[i / 64] >> (i % 64)) & 1U;
      sum += static_cast<int>(randomizer.randomize(inputs[i], coin));
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLength));
}

const bool kRegistered = [] {
  for (const LawName name : kLawNames) {
    const std::string law(name_of(name));
    benchmark::RegisterBenchmark(("draw/" + law).c_str(), draw, name)
        ->Arg(4)
        ->Arg(64)
        ->Arg(1024)
        ->Arg(4096);
    benchmark::RegisterBenchmark(("reports/" + law).c_str(), reports, name);
  }
  return true;
}();

}  // namespace
}  // namespace futurerand
