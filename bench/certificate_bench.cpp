// From (k, epsilon) to the law's integers, and from those to the certificate, by law.
#include <string>

#include <benchmark/benchmark.h>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/privacy/certificate.hpp"

namespace futurerand {
namespace {

void make(benchmark::State& state, LawName name) {
  const Epsilon epsilon = *Epsilon::parse("1");
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_law(name, static_cast<std::uint32_t>(state.range(0)), epsilon));
  }
}

void certificate(benchmark::State& state, LawName name) {
  const Epsilon epsilon = *Epsilon::parse("1");
  const Law law = *make_law(name, static_cast<std::uint32_t>(state.range(0)), epsilon);
  for (auto _ : state) benchmark::DoNotOptimize(certify(law, epsilon));
}

const bool kRegistered = [] {
  for (const LawName name : kLawNames) {
    const std::string law(name_of(name));
    for (auto* added :
         {benchmark::RegisterBenchmark(("make/" + law).c_str(), make, name),
          benchmark::RegisterBenchmark(("certify/" + law).c_str(), certificate, name)}) {
      added->Arg(64)->Arg(4096)->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace futurerand
