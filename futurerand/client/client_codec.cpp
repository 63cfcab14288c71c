#include "futurerand/client/client_codec.hpp"

#include <algorithm>

#include "futurerand/core/plan/symbol.hpp"

namespace futurerand {
namespace {

Error malformed() { return {"the saved client state is malformed", ErrorCode::kDamaged}; }

constexpr std::uint8_t kValueAtEnd = 1;
constexpr std::uint8_t kEnrolled = 2;
constexpr std::uint8_t kMayBeZero = 4;

Result<DeviceState> read_device(SealedReader& reader, std::uint8_t flags) {
  const std::uint32_t view = reader.u32();
  const Period joined = reader.u32();
  const std::uint32_t snapshot_index = reader.u32();
  const Period now = reader.u32();
  const PartialSums sums(now, reader.u32(), flags & kValueAtEnd);
  const std::uint64_t coins = reader.u64();
  const std::uint32_t used_noise = reader.u32();
  const std::uint32_t num_signs = reader.u32();
  if (num_signs / 8 > reader.left()) return malformed();
  const SignVector noise(num_signs, flags & kMayBeZero);
  DeviceState state{view, joined, snapshot_index, sums, noise, used_noise, coins};
  for (std::size_t w = 0; w < state.noise.num_words(); ++w) {
    const std::uint64_t word = reader.u64();
    state.noise.set_word(w, word);
    if (state.noise.word(w) != word) reader.fail();
  }
  for (std::size_t w = 0; noise.may_be_zero() && w < noise.num_words(); ++w) {
    const std::uint64_t word = reader.u64();
    state.noise.set_zero_word(w, word);
    // One symbol has one form: silence is not also a minus.
    if (state.noise.zero_word(w) != word || (word & state.noise.word(w)) != 0) reader.fail();
  }
  return state;
}

// The number of levels and the used signs of each; the number of values that are remembered and
// these, as bits for yes/no; for numbers the phase and its age too.
InnovationMemory read_innovation(SealedReader& reader, std::uint32_t full_scale) {
  InnovationMemory innovation;
  const std::uint32_t num_levels = reader.u32();
  if (num_levels > reader.left() / 4) reader.fail();
  for (std::uint32_t l = 0; l < num_levels && !reader.failed(); ++l) {
    innovation.used.push_back(reader.u32());
  }
  innovation.phase = reader.u32();
  innovation.age = reader.u32();
  const std::uint32_t num_held = reader.u32();
  if (num_held / (full_scale == 1 ? 8 : 1) > reader.left()) reader.fail();
  if (!reader.failed()) innovation.held.reserve(num_held);  // no copies of values stay behind
  std::uint64_t word = 0;
  for (std::uint32_t i = 0; i < num_held && !reader.failed(); ++i) {
    if (full_scale == 1) {
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

void write_innovation(const InnovationMemory& innovation, std::uint32_t full_scale,
                      SealedWriter& writer) {
  writer.u32(static_cast<std::uint32_t>(innovation.used.size()));
  writer.u32s(innovation.used);
  writer.u32(innovation.phase);
  writer.u32(innovation.age);
  writer.u32(static_cast<std::uint32_t>(innovation.held.size()));
  if (full_scale > 1) {
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
      (device.noise.may_be_zero() ? kMayBeZero : 0)));
  writer.u32(device.view);
  writer.u32(device.joined);
  writer.u32(device.snapshot_index);
  writer.u32(device.sums.now());
  writer.u32(device.sums.value());
  writer.u64(device.coins);
  writer.u32(device.used_noise);
  writer.u32(device.noise.size());
  writer.u64s(device.noise.words());
  writer.u64s(device.noise.zero_words());
  if (device.innovation) {
    write_innovation(*device.innovation, state.device.full_scale(), writer);
  }
  erase(device);
  const CoinRatchet::State& coins = state.coins.state();
  writer.raw(coins.key);
  writer.u8(static_cast<std::uint8_t>(coins.words_left));
  writer.u64s(coins.words);
  writer.text(state.unsent);
}

Result<ClientMemory> ClientCodec::read(std::span<const std::uint8_t> bytes,
                                       const MetricTerms& terms) {
  Result<SealedReader> reader = SealedReader::open(bytes, "the saved client state", kKind);
  if (!reader) return reader.error();
  Digest digest;
  reader->raw(digest);
  if (digest != terms.digest()) {
    return Error{"the metric '" + terms.name +
                     "' is not the one that this device joined: its plan, start or period length "
                     "changed; expected the same terms for ever",
                 ErrorCode::kRefused};
  }
  ClientId id;
  reader->raw(id.bytes);
  const std::uint8_t flags = reader->u8();
  Result<DeviceState> device_state = read_device(*reader, flags);
  if (!device_state) return device_state.error();
  if (const auto& levels = terms.plan.innovation_levels()) {
    device_state->innovation = read_innovation(*reader, levels->full_scale);
  }
  Result<CoinRatchet> coins = read_coins(*reader);
  if (!coins) return coins.error();
  std::string unsent = reader->text(kMaxPeriods);
  if (!reader->at_end() || flags > (kValueAtEnd | kEnrolled | kMayBeZero))
    return malformed();

  Result<Device> device = Device::restore(terms.plan, *std::move(device_state));
  if (!device) return device.error();
  const bool are_signs = unsent.empty() || are_symbols(unsent, device->state().noise.may_be_zero());
  if (!are_signs || unsent.size() > device->num_reported()) return malformed();
  // How many words of coins were drawn is known, and four come at a step.
  if (coins->state().words_left != device->words_drawn() * 3 % CoinRatchet::kWordsAStep) {
    return malformed();
  }
  return ClientMemory{
      digest,           id, *std::move(device), *std::move(coins), (flags & kEnrolled) != 0,
      std::move(unsent)};
}

}  // namespace futurerand
