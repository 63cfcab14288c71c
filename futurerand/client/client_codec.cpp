#include "futurerand/client/client_codec.hpp"

#include "futurerand/core/plan/symbol.hpp"

namespace futurerand {
namespace {

Error malformed() { return {"the saved client state is malformed", ErrorCode::kDamaged}; }

constexpr std::uint8_t kValue = 1;
constexpr std::uint8_t kValueAtEnd = 2;
constexpr std::uint8_t kEnrolled = 4;
constexpr std::uint8_t kMayBeZero = 8;

Result<DeviceState> read_device(SealedReader& reader, std::uint8_t flags) {
  const std::uint32_t view = reader.u32();
  const Period joined = reader.u32();
  const std::uint32_t snapshot_index = reader.u32();
  const PartialSums sums(reader.u32(), flags & kValue, flags & kValueAtEnd);
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

// Used counts come by level, then the values that are remembered: as many as there are levels but
// one.
InnovationMemory read_innovation(SealedReader& reader) {
  const std::uint32_t num_levels = reader.u32();
  if (num_levels < 1 || num_levels > reader.left() / 4) {
    reader.fail();
    return {{}, SignVector(0)};
  }
  InnovationMemory innovation{std::vector<std::uint32_t>(num_levels), SignVector(num_levels - 1)};
  for (std::uint32_t& used : innovation.used) used = reader.u32();
  for (std::size_t w = 0; w < innovation.held.num_words(); ++w) {
    const std::uint64_t word = reader.u64();
    innovation.held.set_word(w, word);
    if (innovation.held.word(w) != word) reader.fail();
  }
  return innovation;
}

void write_innovation(const InnovationMemory& innovation, SealedWriter& writer) {
  writer.u32(static_cast<std::uint32_t>(innovation.used.size()));
  writer.u32s(innovation.used);
  writer.u64s(innovation.held.words());
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
      (device.sums.value() ? kValue : 0) | (device.sums.value_at_end() ? kValueAtEnd : 0) |
      (state.enrolled ? kEnrolled : 0) | (device.noise.may_be_zero() ? kMayBeZero : 0)));
  writer.u32(device.view);
  writer.u32(device.joined);
  writer.u32(device.snapshot_index);
  writer.u32(device.sums.now());
  writer.u64(device.coins);
  writer.u32(device.used_noise);
  writer.u32(device.noise.size());
  writer.u64s(device.noise.words());
  writer.u64s(device.noise.zero_words());
  if (device.innovation) write_innovation(*device.innovation, writer);
  erase(device);
  const CoinRatchet::State& coins = state.coins.state();
  writer.raw(coins.key);
  writer.u8(static_cast<std::uint8_t>(coins.words_left));
  writer.u64s(coins.words);
  writer.text(state.unsent);
}

Result<ClientMemory> ClientCodec::read(std::span<const std::uint8_t> bytes,
                                       const MetricTerms& terms) {
  const bool is_innovation = terms.plan.innovation_levels() != nullptr;
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
  if (is_innovation) device_state->innovation = read_innovation(*reader);
  Result<CoinRatchet> coins = read_coins(*reader);
  if (!coins) return coins.error();
  std::string unsent = reader->text(kMaxPeriods);
  if (!reader->at_end() || flags > (kValue | kValueAtEnd | kEnrolled | kMayBeZero))
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
