// Any bytes may be a saved client. Nothing crashes. A fuzzer does not guess checksums, so the same
// bytes are tried with a correct one too. An accepted state writes back byte for byte and works.
#include <algorithm>
#include <cstdlib>

#include "futurerand/client/client_codec.hpp"

using namespace futurerand;

namespace {

MetricTerms terms_of(Protocol protocol) {
  const Plan plan = *make_plan(protocol, 100, 3, *Epsilon::parse("1"));
  return {"fuzz", *CertifiedPlan::create(plan), {0, 0}};
}

void read(const MetricTerms& terms, std::span<const std::uint8_t> bytes) {
  Result<ClientMemory> state = ClientCodec::read(bytes, terms);
  if (!state) return;
  SealedWriter writer(ClientCodec::kKind, revision_of(bytes));
  ClientCodec::write(*state, writer);
  if (!std::ranges::equal(writer.seal(), bytes)) std::abort();
  Device& device = state->device;
  const auto drop = [](const SignRun&) {};
  const Period horizon = device.horizon();
  if (device.now() == horizon) return;
  if (!device.observe(device.now() + 1, true, state->coins, drop)) std::abort();
  if (device.now() < horizon && !device.observe(horizon, false, state->coins, drop)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MetricTerms kTerms[] = {terms_of(Protocol::kOptimal), terms_of(Protocol::kHybrid),
                                       terms_of(Protocol::kRepeated),
                                       terms_of(Protocol::kInnovation)};
  if (size == 0) return 0;
  const MetricTerms& terms = kTerms[data[0] % std::size(kTerms)];
  const std::span<const std::uint8_t> content(data + 1, size - 1);
  read(terms, content);
  SealedWriter writer(ClientCodec::kKind, {});
  writer.raw(terms.digest());
  writer.raw(content);
  read(terms, writer.seal());
  return 0;
}
