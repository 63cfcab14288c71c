#include "futurerand/client/client_codec.hpp"

#include <algorithm>

#include "futurerand/core/coding/label.hpp"

namespace futurerand {
namespace {

Error malformed() { return {"the saved client state is malformed", ErrorCode::kDamaged}; }

constexpr std::string_view kWhat = "the saved client state";
constexpr std::uint8_t kValueAtEnd = 1;
constexpr std::uint8_t kEnrolled = 2;
constexpr std::uint8_t kMayBeZero = 4;
constexpr std::uint8_t kHasSegment = 8;

SignVector read_signs(SealedReader& reader, std::uint32_t size, bool may_be_zero) {
  if (size / 8 > reader.left()) {
    reader.fail();
    return SignVector(0);
  }
  SignVector signs(size, may_be_zero);
  for (std::size_t w = 0; w < signs.num_words(); ++w) {
    const std::uint64_t word = reader.u64();
    signs.set_word(w, word);
    if (signs.word(w) != word) reader.fail();
  }
  for (std::size_t w = 0; may_be_zero && w < signs.num_words(); ++w) {
    const std::uint64_t word = reader.u64();
    signs.set_zero_word(w, word);
    // One symbol has one form: silence is not also a minus.
    if (signs.zero_word(w) != word || (word & signs.word(w)) != 0) reader.fail();
  }
  return signs;
}

// Words of 64 signs: the minuses, and then the zeros if there can be some.
PackedSigns read_reported(SealedReader& reader, std::uint32_t size, bool may_be_zero) {
  PackedSigns signs;
  for (std::uint32_t at = 0; at < size && !reader.failed(); at += 64) {
    const std::uint32_t some = std::min(size - at, 64U);
    const std::uint64_t minus = reader.u64(), zero = may_be_zero ? reader.u64() : 0;
    signs.append(some, minus, zero);
    // One symbol has one form.
    if (signs.minus_bits(at, some) != minus || signs.zero_bits(at, some) != zero) reader.fail();
  }
  return signs;
}

void write_reported(const PackedSigns& signs, bool may_be_zero, SealedWriter& writer) {
  for (std::uint32_t at = 0; at < signs.size(); at += 64) {
    const std::uint32_t some = std::min(signs.size() - at, 64U);
    writer.u64(signs.minus_bits(at, some));
    if (may_be_zero) writer.u64(signs.zero_bits(at, some));
  }
}

SavedReports saved_reports(SealedReader& reader, std::uint8_t flags) {
  SavedReports reports;
  reports.enrolled = (flags & kEnrolled) != 0;
  reports.view = reader.u32();
  reports.joined = reader.u32();
  reports.snapshot_index = reader.u32();
  if ((flags & kHasSegment) != 0) reports.segment = reader.text(kMaxLabelBytes);
  reports.first_index = reader.u32();
  reports.stride = reader.u32();
  reports.num_acknowledged = reader.u32();
  const std::uint32_t num_signs = reader.u32();
  reports.signs = read_reported(reader, num_signs, flags & kMayBeZero);
  return reports;
}

void write_signs(const SignVector& signs, SealedWriter& writer) {
  writer.u64s(signs.words());
  writer.u64s(signs.zero_words());
}

DeviceState read_device(SealedReader& reader, const SavedReports& reports, std::uint8_t flags) {
  const Period now = reader.u32();
  const PartialSums sums(now, reader.u32(), flags & kValueAtEnd);
  const std::uint64_t coins = reader.u64();
  const std::uint32_t used_noise = reader.u32();
  const std::uint32_t num_signs = reader.u32();
  return {reports.view,
          reports.joined,
          reports.snapshot_index,
          sums,
          read_signs(reader, num_signs, flags & kMayBeZero),
          used_noise,
          coins};
}

// A law's counts decide how many bytes each saved count has. The steady level's is not saved: it is
// the rest of all used signs.
bool counts_are_bytes(const InnovationLevels& levels) {
  return levels.largest_recent_count <= 0xFF;
}

// The used signs of each level but the steady one; for numbers the phase and its age; the number of
// values that are remembered and these, as bits for yes/no.
InnovationMemory read_innovation(SealedReader& reader, const InnovationLevels& levels,
                                 std::uint32_t all_used) {
  InnovationMemory innovation;
  innovation.used.reserve(levels.counts.size());
  for (std::uint32_t l = 0; l < levels.steady(); ++l) {
    innovation.used.push_back(counts_are_bytes(levels) ? reader.u8() : reader.u32());
    if (innovation.used.back() > all_used) reader.fail();
    all_used -= std::min(all_used, innovation.used.back());
  }
  innovation.used.push_back(all_used);
  const bool is_number = levels.full_scale > 1;
  innovation.phase = is_number ? reader.u32() : 0;
  innovation.age = is_number ? reader.u32() : levels.num_lags();
  const std::uint32_t num_held = reader.u32();
  if (num_held > levels.num_lags()) reader.fail();
  if (!reader.failed()) innovation.held.reserve(num_held);  // no copies of values stay behind
  std::uint64_t word = 0;
  for (std::uint32_t i = 0; i < num_held && !reader.failed(); ++i) {
    if (!is_number) {
      if (i % 64 == 0) {
        word = reader.u64();
        const std::uint32_t in_word = std::min(64U, num_held - i);
        if (in_word < 64 && word >> in_word != 0) reader.fail();
      }
      innovation.held.push_back(word >> (i % 64) & 1U);
    } else {
      innovation.held.push_back(reader.u32());
    }
  }
  return innovation;
}

void write_innovation(const InnovationMemory& innovation, const InnovationLevels& levels,
                      SealedWriter& writer) {
  const auto recent = std::span(innovation.used).first(levels.steady());
  if (counts_are_bytes(levels)) {
    writer.u8s(recent);
  } else {
    writer.u32s(recent);
  }
  if (levels.full_scale > 1) {
    writer.u32(innovation.phase);
    writer.u32(innovation.age);
  }
  writer.u32(static_cast<std::uint32_t>(innovation.held.size()));
  if (levels.full_scale > 1) {
    writer.u32s(innovation.held);
    return;
  }
  for (std::size_t first = 0; first < innovation.held.size(); first += 64) {
    std::uint64_t word = 0;
    for (std::size_t i = first; i < std::min(first + 64, innovation.held.size()); ++i) {
      word |= std::uint64_t{innovation.held[i]} << (i - first);
    }
    writer.u64(word);
  }
}

Result<CoinRatchet> read_coins(SealedReader& reader) {
  CoinRatchet::State state;
  reader.raw(state.key);
  state.words_left = reader.u8();
  bool used_are_erased = true;
  for (std::uint32_t w = 0; w < CoinRatchet::kWordsAStep; ++w) {
    state.words[w] = reader.u64();
    const bool used = w + state.words_left < CoinRatchet::kWordsAStep;
    used_are_erased &= !used || state.words[w] == 0;
  }
  if (state.words_left > CoinRatchet::kWordsAStep || !used_are_erased) {
    return malformed();
  }
  return CoinRatchet(state);
}

}  // namespace

void ClientCodec::write(const ClientMemory& state, SealedWriter& writer) {
  DeviceState device = state.device.state();
  writer.raw(state.terms);
  writer.raw(state.id.bytes);
  writer.u8(static_cast<std::uint8_t>(
      (device.sums.value_at_end() ? kValueAtEnd : 0) | (state.enrolled ? kEnrolled : 0) |
      (device.noise.may_be_zero() ? kMayBeZero : 0) | (state.segment.empty() ? 0 : kHasSegment)));
  writer.u32(device.view);
  writer.u32(device.joined);
  writer.u32(device.snapshot_index);
  if (!state.segment.empty()) writer.text(state.segment);
  // Sent lines come before the part that needs the plan, so history.hpp shows them without it.
  writer.u32(state.device.first_index());
  writer.u32(state.device.stride());
  writer.u32(state.num_acknowledged);
  writer.u32(state.signs.size());
  write_reported(state.signs, device.noise.may_be_zero(), writer);
  writer.u32(device.sums.now());
  writer.u32(device.sums.value());
  writer.u64(device.coins);
  writer.u32(device.used_noise);
  writer.u32(device.noise.size());
  write_signs(device.noise, writer);
  if (device.innovation) {
    write_innovation(*device.innovation, *state.device.innovation_levels(), writer);
  }
  erase(device);
  const CoinRatchet::State& coins = state.coins.state();
  writer.raw(coins.key);
  writer.u8(static_cast<std::uint8_t>(coins.words_left));
  writer.u64s(coins.words);
}

Result<SavedReports> ClientCodec::read_reports(std::span<const std::uint8_t> bytes) {
  Result<SealedReader> reader = SealedReader::open(bytes, "the saved client state", kKind);
  if (!reader) return reader.error();
  Digest terms;
  reader->raw(terms);
  ClientId id;
  reader->raw(id.bytes);
  const std::uint8_t flags = reader->u8();
  SavedReports reports = saved_reports(*reader, flags);
  reports.id = id;
  if (reader->failed() || reports.num_acknowledged > reports.signs.size()) return malformed();
  return reports;
}

Error ClientCodec::other_terms(const std::string& metric) {
  return {"the metric '" + metric +
              "' is not the one that this device joined: its plan, start or period length "
              "changed; expected the same terms for ever",
          ErrorCode::kRefused};
}

void ClientCodec::write_erased(SealedWriter& writer) { writer.raw(Digest{}); }

Result<bool> ClientCodec::is_of(std::span<const std::uint8_t> bytes, const MetricTerms& terms) {
  Result<SealedReader> reader = SealedReader::open(bytes, kWhat, kKind);
  if (!reader) return reader.error();
  Digest digest;
  reader->raw(digest);
  if (reader->failed()) return malformed();
  return digest == terms.digest();
}

bool ClientCodec::is_erased(std::span<const std::uint8_t> bytes) {
  Result<SealedReader> reader = SealedReader::open(bytes, kWhat, kKind);
  if (!reader) return false;
  Digest digest;
  reader->raw(digest);
  return reader->at_end() && digest == Digest{};
}

Result<ClientMemory> ClientCodec::read(std::span<const std::uint8_t> bytes,
                                       const MetricTerms& terms) {
  Result<SealedReader> reader = SealedReader::open(bytes, kWhat, kKind);
  if (!reader) return reader.error();
  Digest digest;
  reader->raw(digest);
  if (digest != terms.digest()) return other_terms(terms.name);
  ClientId id;
  reader->raw(id.bytes);
  const std::uint8_t flags = reader->u8();
  SavedReports reports = saved_reports(*reader, flags);
  DeviceState device_state = read_device(*reader, reports, flags);
  if (const auto& levels = terms.plan.innovation_levels()) {
    device_state.innovation = read_innovation(*reader, *levels, device_state.used_noise);
  }
  Result<CoinRatchet> coins = read_coins(*reader);
  if (!coins) return coins.error();
  const std::uint32_t num_acknowledged = reports.num_acknowledged;
  if (reader->failed() || flags > (kValueAtEnd | kEnrolled | kMayBeZero | kHasSegment)) {
    return malformed();
  }
  if (!terms.plan.plan().segments.find(reports.segment)) return malformed();
  Result<Device> device = Device::restore(terms.plan, std::move(device_state));
  if (!device) return device.error();
  PackedSigns signs = std::move(reports.signs);
  if (reports.first_index != device->first_index() || reports.stride != device->stride() ||
      signs.size() != device->num_reported()) {
    return malformed();
  }
  const bool enrolled = (flags & kEnrolled) != 0;
  if (!reader->at_end() || num_acknowledged > (enrolled ? signs.size() : 0)) return malformed();
  // How many words of coins were drawn is known, and four come at a step.
  if (coins->state().words_left != device->words_drawn() * 3 % CoinRatchet::kWordsAStep) {
    return malformed();
  }
  return ClientMemory{digest,
                      id,
                      *std::move(device),
                      *std::move(coins),
                      enrolled,
                      std::move(signs),
                      num_acknowledged,
                      std::move(reports.segment)};
}

}  // namespace futurerand
