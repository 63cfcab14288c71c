#include "futurerand/client/client.hpp"

#include <algorithm>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/drawn_device.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/entropy/checked_entropy.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// A line of so many signs, with all that is around them, is one that a collector takes.
constexpr std::uint32_t kMaxSignsALine = 60'000;
static_assert(kMaxSignsALine + 256 < kMaxPostedLineBytes);

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
  return Client(*std::move(lease), terms.name, *std::move(state));
}

Result<Client> Client::join(const MetricTerms& terms, Period period, Ledger& ledger,
                            RecordLease lease, RandomSource& entropy) {
  const Epsilon epsilon = terms.plan.plan().epsilon;
  if (const Status allowed = ledger.check(terms.name, epsilon); !allowed) return allowed.error();
  CheckedEntropy checked(entropy);
  checked.discard_buffered();
  Result<DrawnDevice> drawn = DrawnDevice::draw(terms.plan, period, checked);
  if (!drawn) return drawn.error();
  // The ledger comes first: what may have been sent must have been paid for.
  const Status charged = ledger.charge(terms.name, epsilon, drawn->id);
  if (!charged) return charged.error();
  Client client(std::move(lease), terms.name,
                {terms.digest(), drawn->id, std::move(drawn->device), drawn->coins});
  client.begin_period(period);
  if (const Status saved = client.commit(client.state_); !saved) return saved.error();
  return client;
}

Status Client::observe(Period period, bool value) {
  const Observation one{period, value};
  return observe(std::span(&one, 1));
}

Status Client::observe(std::span<const Observation> all) {
  Period last = now();
  for (const Observation& seen : all) {
    if (seen.period < last) {
      return Error{"period " + std::to_string(seen.period) + " is over; expected period " +
                       std::to_string(last) + " or a later one",
                   ErrorCode::kRefused};
    }
    last = seen.period;
  }
  begin_period(last);
  if (last == now() || closed()) return {};
  ClientMemory next = state_;
  Device& device = next.device;
  const auto keep = [&next](const SignRun& run) { run.append_to(next.unsent); };
  for (const auto& [period, value] : all) {
    if (period == device.now() || device.now() == device.horizon()) continue;
    const bool past = period > device.horizon();
    if (!device.observe(past ? device.horizon() : period, past ? device.value() : value, next.coins,
                        keep)) {
      device.erase();
      return Error{"the coins failed; nothing was reported", ErrorCode::kNoEntropy};
    }
  }
  return commit(std::move(next));
}

Outbox Client::outbox() const {
  Outbox outbox;
  if (lease_.stopped()) return outbox;
  const Device& device = state_.device;
  if (!state_.enrolled) outbox.enrolment = device.enrolment(state_.id);
  const std::uint32_t stride = device.stride();
  const auto num_unsent = static_cast<std::uint32_t>(state_.unsent.size());
  const std::uint32_t first = device.next_index() - num_unsent * stride;
  std::uint32_t num_over = 0;
  while (num_over < num_unsent && device.due(first + num_over * stride) < running_) ++num_over;
  for (std::uint32_t at = 0; at < num_over; at += kMaxSignsALine) {
    outbox.reports.push_back({state_.id, first + at * stride,
                              state_.unsent.substr(at, std::min(kMaxSignsALine, num_over - at))});
  }
  outbox.next_index = first + num_over * stride;
  return outbox;
}

Status Client::acknowledge(std::uint32_t next_index) {
  const std::uint32_t stride = state_.device.stride();
  const std::uint32_t expected = state_.device.next_index();
  if (next_index > expected) {
    return Error{"index " + std::to_string(next_index) +
                     " is acknowledged as expected next; this device expects at most " +
                     std::to_string(expected),
                 ErrorCode::kInvalid};
  }
  const std::size_t num_unsent = state_.unsent.size();
  const std::size_t still_unsent =
      std::min<std::size_t>(num_unsent, (expected - next_index + stride - 1) / stride);
  if (state_.enrolled && still_unsent == num_unsent) return {};
  ClientMemory next = state_;
  next.enrolled = true;
  next.unsent.erase(0, num_unsent - still_unsent);
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
  return saved;
}

}  // namespace futurerand
