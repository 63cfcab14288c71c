#include "futurerand/client/client.hpp"

#include <algorithm>

#include <sodium.h>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// By hash, so that any name is a file name on any system.
std::string record_of(const std::string& metric) {
  const Digest digest = blake2b(bytes_of(metric));
  ClientId half;
  std::copy_n(digest.begin(), half.bytes.size(), half.bytes.begin());
  return "metric-" + to_hex(half);
}

bool draw_bytes(RandomSource& entropy, std::span<std::uint8_t> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    if (!entropy.fill({&word, 1})) return false;
    for (std::size_t b = 0; b < 8; ++b) bytes[i + b] = static_cast<std::uint8_t>(word >> (8 * b));
    sodium_memzero(&word, sizeof word);
  }
  return true;
}

}  // namespace

std::string to_lines(const Outbox& outbox) {
  std::string lines;
  if (outbox.enrolment) lines += to_line(*outbox.enrolment) + "\n";
  if (outbox.report) lines += to_line(*outbox.report) + "\n";
  return lines;
}

Result<Client> Client::join(const MetricTerms& terms, Period period, Ledger& ledger,
                            StateStore& store, RandomSource& entropy) {
  if (const Status valid = terms.validate(); !valid) return valid.error();
  const Epsilon epsilon = terms.plan.plan().epsilon;
  if (const Status allowed = ledger.check(terms.name, epsilon); !allowed) return allowed.error();
  const std::string record = record_of(terms.name);
  Result<std::optional<Bytes>> earlier = store.load(record);
  if (!earlier) return earlier.error();
  if (earlier->has_value()) {
    erase(**earlier);
    return Error{"there is a state of the metric '" + terms.name +
                 "' that the ledger does not know; expected both or neither"};
  }

  const Error no_entropy{"the random source failed; the device did not join"};
  ClientId id;
  if (!draw_bytes(entropy, id.bytes)) return no_entropy;
  Result<Device> device = Device::join(terms.plan, period, entropy);
  if (!device) return device.error();
  std::array<std::uint8_t, 32> key;
  const bool drawn = draw_bytes(entropy, key);
  CoinRatchet coins(key);
  sodium_memzero(key.data(), key.size());
  if (!drawn) return no_entropy;

  // The ledger first: what may have been sent must have been paid for.
  if (const Status charged = ledger.charge(terms.name, epsilon); !charged) return charged.error();
  Client client(store, record, terms.digest(), id, *std::move(device), coins);
  if (const Status saved = client.commit(client); !saved) return saved.error();
  return client;
}

Result<Client> Client::load(const MetricTerms& terms, StateStore& store) {
  if (const Status valid = terms.validate(); !valid) return valid.error();
  const std::string record = record_of(terms.name);
  Result<std::optional<Bytes>> bytes = store.load(record);
  if (!bytes) return bytes.error();
  if (!bytes->has_value()) {
    return Error{"this device has no state of the metric '" + terms.name + "'; expected to join"};
  }
  Result<Client> client = ClientCodec::read(**bytes, terms, store, record);
  erase(**bytes);
  return client;
}

Status Client::observe(Period period, bool value) {
  const Period horizon = device_.horizon();
  if (closed()) {
    return Error{"the metric is closed: its horizon of " + std::to_string(horizon) +
                 " periods is over"};
  }
  if (period <= device_.now()) {
    return Error{"period " + std::to_string(period) + " is over; expected a period after " +
                 std::to_string(device_.now())};
  }
  if (period > horizon) {
    period = horizon;
    value = device_.value();
  }
  Client next(*this);
  const bool randomized = next.device_.observe(
      period, value, next.coins_, [&](const SignRun& run) { run.append_to(next.unsent_); });
  if (!randomized) return Error{"the coins failed; nothing was reported"};
  return commit(std::move(next));
}

Outbox Client::outbox() const {
  Outbox outbox;
  outbox.next_index = device_.next_index();
  if (!enrolled_) outbox.enrolment = device_.enrolment(id_);
  if (!unsent_.empty()) {
    const auto count = static_cast<std::uint32_t>(unsent_.size());
    outbox.report = Report{id_, device_.next_index() - count * device_.stride(), unsent_};
  }
  return outbox;
}

Status Client::acknowledge(std::uint32_t next_index) {
  if (next_index > device_.next_index()) {
    return Error{"index " + std::to_string(next_index) +
                 " is acknowledged as expected next; this device expects at most " +
                 std::to_string(device_.next_index())};
  }
  const std::uint32_t stride = device_.stride();
  const std::size_t still_unsent = std::min<std::size_t>(
      unsent_.size(), (device_.next_index() - next_index + stride - 1) / stride);
  if (enrolled_ && still_unsent == unsent_.size()) return {};
  Client next(*this);
  next.enrolled_ = true;
  next.unsent_.erase(0, unsent_.size() - still_unsent);
  return commit(std::move(next));
}

Status Client::commit(Client next) {
  SealedWriter writer(ClientCodec::kKind, ClientCodec::kVersion);
  ClientCodec::write(next, writer);
  const Status saved = store_->save(record_, writer.seal());
  if (saved) std::swap(*this, next);
  next.device_.erase();
  return saved;
}

}  // namespace futurerand
