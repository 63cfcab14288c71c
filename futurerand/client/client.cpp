#include "futurerand/client/client.hpp"

#include <algorithm>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/drawn_device.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/core/plan/symbol.hpp"
#include "futurerand/entropy/checked_entropy.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// A line of so many signs, with all that is around them, is one that a collector takes.
constexpr std::uint32_t kMaxSignsALine = 60'000;
static_assert(kMaxSignsALine + 256 < kMaxPostedLineBytes);

std::string to_symbols(const SignVector& signs, std::uint32_t first, std::uint32_t count) {
  std::string symbols(count, ' ');
  for (std::uint32_t i = 0; i < count; ++i) symbols[i] = to_symbol(signs.at(first + i));
  return symbols;
}

// Returns the same signs and then those of the runs.
SignVector longer(const SignVector& signs, std::span<const SignRun> runs, const Device& device) {
  SignVector all(device.num_reported(), device.may_be_zero());
  for (std::size_t w = 0; w < signs.num_words(); ++w) {
    all.set_word(w, signs.word(w));
    if (signs.may_be_zero()) all.set_zero_word(w, signs.zero_word(w));
  }
  std::uint32_t at = signs.size();
  for (const SignRun& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) all.set(at++, run.at(i));
  }
  return all;
}

// Returns the span that the ledger counts this metric in. Without a clock of both sides it is all
// of time, which is always right.
Ledger::Span span_of(const MetricTerms& terms, Period period, const Ledger& ledger) {
  const std::int64_t start = terms.clock.start, length = terms.clock.length;
  const std::int64_t periods = terms.plan.plan().num_periods;
  if (terms.clock.is_manual() || ledger.believed() == 0) return {};
  if (length > (Ledger::kNoEnd - start) / periods || period < 1 || period > periods) return {};
  return {start + (period - 1) * length, start + periods * length};
}

}  // namespace

std::string to_lines(const Outbox& outbox) {
  std::string lines;
  if (outbox.enrolment) lines += to_line(*outbox.enrolment) + "\n";
  for (const Report& report : outbox.reports) lines += to_line(report) + "\n";
  return lines;
}

Result<Client> Client::open(const MetricTerms& terms, Period period, Ledger& ledger,
                            StateStore& store, RandomSource& entropy) {
  if (const Status valid = terms.validate(); !valid) return valid.error();
  Result<RecordLease> lease = store.lease(metric_record(terms.name));
  if (!lease) return lease.error();
  Result<std::optional<Bytes>> bytes = lease->load();
  if (!bytes) return bytes.error();
  const Ledger::Entry* entry = ledger.find(terms.name);
  if (!bytes->has_value()) {
    if (entry == nullptr) return join(terms, period, ledger, *std::move(lease), entropy);
    return Error{"this device joined the metric '" + terms.name +
                     "' before, and its state is gone; a metric is joined once, ever",
                 ErrorCode::kRefused};
  }
  Result<ClientMemory> state = ClientCodec::read(**bytes, terms);
  erase(**bytes);
  if (!state) return state.error();
  if (entry == nullptr || entry->client != state->id) {
    state->device.erase();
    return Error{"the state of the metric '" + terms.name +
                     "' is not the one that the ledger was charged for; expected both or neither",
                 ErrorCode::kDamaged};
  }
  return Client(*std::move(lease), terms, *std::move(state));
}

Result<Client> Client::join(const MetricTerms& terms, Period period, Ledger& ledger,
                            RecordLease lease, RandomSource& entropy) {
  const Epsilon epsilon = terms.plan.plan().epsilon;
  const Ledger::Span span = span_of(terms, period, ledger);
  const Status allowed = ledger.check(terms.name, epsilon, span);
  if (!allowed) return allowed.error();
  CheckedEntropy checked(entropy);
  checked.discard_buffered();
  Result<DrawnDevice> drawn = DrawnDevice::draw(terms.plan, period, checked);
  if (!drawn) return drawn.error();
  // The ledger comes first: what may have been sent must have been paid for.
  const Status charged = ledger.charge(terms.name, epsilon, drawn->id, span);
  if (!charged) return charged.error();
  Client client(std::move(lease), terms,
                {terms.digest(), drawn->id, std::move(drawn->device), drawn->coins});
  client.begin_period(period);
  if (const Status saved = client.commit(client.state_); !saved) return saved.error();
  return client;
}

Status Client::observe(Period period, const Value& value) {
  const Observation one{period, value};
  return observe(std::span(&one, 1));
}

Status Client::observe(std::span<const Observation> all) {
  Period last = now();
  // All values are checked before the first counts. They are not kept: a later one may be refused.
  for (const Observation& seen : all) {
    if (seen.period < last) {
      return Error{"period " + std::to_string(seen.period) + " is over; expected period " +
                       std::to_string(last) + " or a later one",
                   ErrorCode::kRefused};
    }
    last = seen.period;
    const Result<std::uint32_t> value = coding_.held(row_, seen.value);
    if (!value) return value.error();
  }
  begin_period(last);
  if (last == now() || closed()) return {};
  ClientMemory next = state_;
  Device& device = next.device;
  std::vector<SignRun> runs;
  const auto keep = [&runs](const SignRun& run) { runs.push_back(run); };
  for (const Observation& seen : all) {
    const Period period = seen.period;
    if (period == device.now() || device.now() == device.horizon()) continue;
    const bool past = period > device.horizon();
    const bool is_first = device.now() < device.joined();
    const std::uint32_t held = *coding_.held(row_, seen.value);
    const std::uint32_t value = past       ? device.value()
                                : is_first ? held
                                           : coding_.moved(device.value(), held);
    if (!device.observe(past ? device.horizon() : period, value, next.coins, keep)) {
      device.erase();
      return Error{"the coins failed; nothing was reported", ErrorCode::kNoEntropy};
    }
  }
  next.signs = longer(state_.signs, runs, device);
  return commit(std::move(next));
}

Outbox Client::outbox() const {
  Outbox outbox;
  if (lease_.stopped()) return outbox;
  const Device& device = state_.device;
  if (!state_.enrolled) outbox.enrolment = device.enrolment(state_.id);
  const std::uint32_t num_signs = state_.signs.size();
  std::uint32_t end = state_.num_acknowledged;
  while (end < num_signs && device.due(device.index_of(end)) < running_) ++end;
  for (std::uint32_t at = state_.num_acknowledged; at < end; at += kMaxSignsALine) {
    outbox.reports.push_back({state_.id, device.index_of(at),
                              to_symbols(state_.signs, at, std::min(kMaxSignsALine, end - at))});
  }
  outbox.next_index = device.index_of(end);
  return outbox;
}

Status Client::acknowledge(std::uint32_t next_index) {
  const Device& device = state_.device;
  if (next_index > device.next_index()) {
    return Error{"index " + std::to_string(next_index) +
                     " is acknowledged as expected next; this device expects at most " +
                     std::to_string(device.next_index()),
                 ErrorCode::kInvalid};
  }
  return stand(true, std::max(state_.num_acknowledged, device.num_before(next_index)));
}

Status Client::send_again(std::uint32_t first_index) {
  return stand(state_.enrolled && first_index != 0,
               std::min(state_.num_acknowledged, state_.device.num_before(first_index)));
}

Status Client::stand(bool enrolled, std::uint32_t num_acknowledged) {
  if (enrolled == state_.enrolled && num_acknowledged == state_.num_acknowledged) return {};
  ClientMemory next = state_;
  next.enrolled = enrolled;
  next.num_acknowledged = num_acknowledged;
  return commit(std::move(next));
}

Status Client::commit(ClientMemory next) {
  SealedWriter writer(ClientCodec::kKind, lease_.next_revision());
  ClientCodec::write(next, writer);
  const Status saved = lease_.save(writer.seal());
  if (!saved) {
    next.device.erase();
    return saved;
  }
  state_.device.erase();
  state_ = std::move(next);
  was_enrolled_ = was_enrolled_ || state_.enrolled;
  return saved;
}

}  // namespace futurerand
