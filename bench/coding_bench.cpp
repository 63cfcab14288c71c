// Decoding all labels of all periods from sums by row, and one code of one value on the device.
#include <string>

#include <benchmark/benchmark.h>

#include "futurerand/core/coding/decode.hpp"
#include "futurerand/core/coding/row.hpp"

namespace futurerand {
namespace {

Coding labels(std::int64_t count) {
  CategoryCoding settings;
  for (std::int64_t i = 0; i < count; ++i) settings.labels.push_back("label " + std::to_string(i));
  return *Coding::create(std::move(settings));
}

void decode_all(benchmark::State& state) {
  const Coding coding = labels(state.range(0));
  const auto periods = static_cast<std::size_t>(state.range(1));
  std::vector<double> sums(coding.num_codes() * periods);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(i % 1009);
  for (auto _ : state) {
    std::vector<double> counts = sums;
    for (std::size_t t = 0; t < periods; ++t) {
      decode_counts(coding, std::span(counts).subspan(t * coding.num_codes(), coding.num_codes()),
                    1e6);
    }
    benchmark::DoNotOptimize(counts.data());
  }
}

void device_state(benchmark::State& state) {
  const Coding coding = labels(state.range(0));
  const std::string label = coding.labels().back();
  const CodingRow row = row_of(coding, {1, 2, 3});
  for (auto _ : state) benchmark::DoNotOptimize(coding.held(row, label));
}

BENCHMARK(decode_all)
    ->ArgNames({"labels", "periods"})
    ->Args({64, 256})
    ->Args({1024, 1024})
    ->Args({65'536, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(device_state)->ArgName("labels")->Arg(64)->Arg(65'536);

}  // namespace
}  // namespace futurerand
