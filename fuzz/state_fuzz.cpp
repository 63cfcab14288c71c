// Any bytes may be a saved client: nothing crashes. Since a fuzzer does not guess checksums, the
// same bytes are tried with a good one too. What is then accepted writes back byte for byte and can
// go on.
#include <algorithm>
#include <cstdlib>

#include "futurerand/client/client_codec.hpp"

using namespace futurerand;

namespace {

MetricTerms terms_of(Protocol protocol, bool heartbeats = false) {
  Plan plan = *make_plan(protocol, 100, 3, *Epsilon::parse("1"));
  plan.heartbeats = heartbeats;
  return {"fuzz", *CertifiedPlan::create(plan), 0, 0};
}

void read(const MetricTerms& terms, std::span<const std::uint8_t> bytes) {
  Result<ClientMemory> state = ClientCodec::read(bytes, terms);
  if (!state) return;
  SealedWriter writer = ClientCodec::writer_for(*state, revision_of(bytes));
  ClientCodec::write(*state, writer);
  const Bytes& again = writer.seal();
  // What is of an earlier version is written as one of the latest.
  if (bytes[8] == again[8] && !std::ranges::equal(again, bytes)) std::abort();
  Device& device = state->device;
  const auto drop = [](const SignRun&) {};
  const Period horizon = device.horizon();
  if (device.now() == horizon) return;
  if (!device.observe(device.now() + 1, true, state->coins, drop)) std::abort();
  if (device.now() < horizon && !device.observe(horizon, false, state->coins, drop)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MetricTerms kTerms[] = {
      terms_of(Protocol::kOptimal), terms_of(Protocol::kHybrid), terms_of(Protocol::kRepeated),
      terms_of(Protocol::kInnovation), terms_of(Protocol::kHybrid, true)};
  if (size == 0) return 0;
  const MetricTerms& terms = kTerms[data[0] % std::size(kTerms)];
  const std::span<const std::uint8_t> content(data + 1, size - 1);
  read(terms, content);
  const bool innovation = terms.plan.innovation_levels() != nullptr;
  const std::uint32_t version =
      terms.plan.plan().heartbeats ? ClientCodec::kHeartbeatVersion : ClientCodec::kVersion;
  SealedWriter writer(innovation ? ClientCodec::kInnovationKind : ClientCodec::kKind,
                      innovation ? ClientCodec::kInnovationVersion : version, {});
  writer.raw(terms.digest());
  writer.raw(content);
  read(terms, writer.seal());
  // The same is tried as version 1, which has no revision.
  Bytes first = {'f', 'r', 'c', 'l', 'i', 'e', 'n', 't', 1, 0, 0, 0};
  const Digest digest = terms.digest();
  first.insert(first.end(), digest.begin(), digest.end());
  first.insert(first.end(), content.begin(), content.end());
  const Digest checksum = blake2b(first);
  first.insert(first.end(), checksum.begin(), checksum.end());
  read(terms, first);
  return 0;
}
