// Any bytes as a saved client: no crash; and since a fuzzer does not guess checksums, also the same
// bytes with a good one. What is then accepted writes back byte for byte and can go on.
#include <algorithm>
#include <cstdlib>

#include "futurerand/client/client.hpp"
#include "futurerand/client/client_codec.hpp"

using namespace futurerand;

namespace {

MetricTerms terms_of(Protocol protocol) {
  return {"fuzz", *CertifiedPlan::create(*make_plan(protocol, 100, 3, *Epsilon::parse("1"))), 0, 0};
}

void load(const MetricTerms& terms, std::span<const std::uint8_t> bytes) {
  MemoryStateStore store;
  Result<Client> client = ClientCodec::read(bytes, terms, store);
  if (!client) return;
  SealedWriter writer = ClientCodec::writer_for(*client);
  ClientCodec::write(*client, writer);
  if (!std::ranges::equal(writer.seal(), bytes)) std::abort();
  if (client->closed()) return;
  if (!client->observe(client->now() + 1, true)) std::abort();
  if (!client->observe(101, false) || !client->closed()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MetricTerms kTerms[] = {terms_of(Protocol::kOptimal), terms_of(Protocol::kHybrid),
                                       terms_of(Protocol::kRepeated),
                                       terms_of(Protocol::kInnovation)};
  if (size == 0) return 0;
  const MetricTerms& terms = kTerms[data[0] % std::size(kTerms)];
  const std::span<const std::uint8_t> content(data + 1, size - 1);
  load(terms, content);
  const bool news = terms.plan.news_levels() != nullptr;
  SealedWriter writer(news ? ClientCodec::kNewsKind : ClientCodec::kKind,
                      news ? ClientCodec::kNewsVersion : ClientCodec::kVersion);
  writer.raw(terms.digest());
  writer.raw(content);
  load(terms, writer.seal());
  return 0;
}
