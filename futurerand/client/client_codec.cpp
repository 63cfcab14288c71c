#include "futurerand/client/client_codec.hpp"

namespace futurerand {
namespace {

Error malformed() { return {"the saved client state is malformed", ErrorCode::kDamaged}; }

constexpr std::uint8_t kValue = 1;
constexpr std::uint8_t kValueAtEnd = 2;
constexpr std::uint8_t kEnrolled = 4;
constexpr std::uint8_t kMayBeZero = 8;

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

void write_signs(const SignVector& signs, SealedWriter& writer) {
  writer.u64s(signs.words());
  writer.u64s(signs.zero_words());
}

DeviceState read_device(SealedReader& reader, std::uint8_t flags) {
  const std::uint32_t view = reader.u32();
  const Period joined = reader.u32();
  const std::uint32_t snapshot_index = reader.u32();
  const PartialSums sums(reader.u32(), flags & kValue, flags & kValueAtEnd);
  const std::uint64_t coins = reader.u64();
  const std::uint32_t used_noise = reader.u32();
  const std::uint32_t num_signs = reader.u32();
  return {
      view,       joined, snapshot_index, sums, read_signs(reader, num_signs, flags & kMayBeZero),
      used_noise, coins};
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
  write_signs(device.noise, writer);
  if (device.innovation) write_innovation(*device.innovation, writer);
  erase(device);
  const CoinRatchet::State& coins = state.coins.state();
  writer.raw(coins.key);
  writer.u8(static_cast<std::uint8_t>(coins.words_left));
  writer.u64s(coins.words);
  writer.u32(state.num_acknowledged);
  write_signs(state.signs, writer);
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
  DeviceState device_state = read_device(*reader, flags);
  if (is_innovation) device_state.innovation = read_innovation(*reader);
  Result<CoinRatchet> coins = read_coins(*reader);
  if (!coins) return coins.error();
  const std::uint32_t num_acknowledged = reader->u32();
  if (reader->failed() || flags > (kValue | kValueAtEnd | kEnrolled | kMayBeZero)) {
    return malformed();
  }
  Result<Device> device = Device::restore(terms.plan, std::move(device_state));
  if (!device) return device.error();
  SignVector signs = read_signs(*reader, device->num_reported(), device->may_be_zero());
  const bool enrolled = (flags & kEnrolled) != 0;
  if (!reader->at_end() || num_acknowledged > (enrolled ? signs.size() : 0)) return malformed();
  // How many words of coins were drawn is known, and four come at a step.
  if (coins->state().words_left != device->words_drawn() * 3 % CoinRatchet::kWordsAStep) {
    return malformed();
  }
  return ClientMemory{
      digest,          id, *std::move(device), *std::move(coins), enrolled, std::move(signs),
      num_acknowledged};
}

}  // namespace futurerand
