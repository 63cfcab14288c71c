#include "futurerand/client/departure.hpp"

#include <algorithm>

#include "futurerand/client/client_codec.hpp"

namespace futurerand {
namespace {

Error no_departure() { return {"the saved departure is malformed", ErrorCode::kDamaged}; }

}  // namespace

bool Departure::is_saved_in(std::span<const std::uint8_t> bytes) {
  const std::span<const std::uint8_t> kind = bytes_of(kKind);
  return bytes.size() >= kind.size() && std::equal(kind.begin(), kind.end(), bytes.begin());
}

void Departure::write(SealedWriter& writer) const {
  writer.raw(terms);
  writer.raw(id.bytes);
  writer.u32(period);
  writer.u8(forget ? 1 : 0);
  writer.u32(told);
}

Result<Departure> Departure::read_saved(std::span<const std::uint8_t> bytes) {
  Result<SealedReader> reader = SealedReader::open(bytes, "the saved departure", kKind);
  if (!reader) return reader.error();
  Departure departure{};
  reader->raw(departure.terms);
  reader->raw(departure.id.bytes);
  departure.period = reader->u32();
  const std::uint8_t forget = reader->u8();
  departure.forget = forget == 1;
  departure.told = reader->u32();
  if (!reader->at_end() || forget > 1 || departure.period < 1) return no_departure();
  return departure;
}

Result<Departure> Departure::read(std::span<const std::uint8_t> bytes, const MetricTerms& metric) {
  const Result<Departure> departure = read_saved(bytes);
  if (!departure) return departure.error();
  if (departure->terms != metric.digest()) return ClientCodec::other_terms(metric.name);
  const Period horizon = metric.plan.plan().num_periods;
  if (departure->period > horizon || departure->told > horizon) return no_departure();
  return departure;
}

}  // namespace futurerand
