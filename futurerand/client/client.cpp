#include "futurerand/client/client.hpp"

#include <algorithm>

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

Client::Client(StateStore& store, const MetricTerms& terms, DrawnDevice drawn)
    : store_(&store),
      metric_(terms.name),
      record_(record_of(terms.name)),
      terms_(terms.digest()),
      id_(drawn.id),
      running_(drawn.device.now()),
      device_(std::move(drawn.device)),
      coins_(drawn.coins) {}

Result<Client> Client::open(const MetricTerms& terms, Period period, Ledger& ledger,
                            StateStore& store, RandomSource& entropy) {
  if (const Status valid = terms.validate(); !valid) return valid.error();
  Result<std::optional<Bytes>> bytes = store.load(record_of(terms.name));
  if (!bytes) return bytes.error();
  const bool known = ledger.knows(terms.name);
  if (!bytes->has_value() && !known) return join(terms, period, ledger, store, entropy);
  if (!bytes->has_value()) {
    return Error{"this device joined the metric '" + terms.name +
                     "' before, and its state is gone; a metric is joined once, ever",
                 ErrorCode::kRefused};
  }
  Result<Client> client =
      known ? ClientCodec::read(**bytes, terms, store)
            : Error{"there is a state of the metric '" + terms.name +
                        "' that the ledger does not know; expected both or neither",
                    ErrorCode::kDamaged};
  erase(**bytes);
  return client;
}

Result<Client> Client::join(const MetricTerms& terms, Period period, Ledger& ledger,
                            StateStore& store, RandomSource& entropy) {
  const Epsilon epsilon = terms.plan.plan().epsilon;
  if (const Status allowed = ledger.check(terms.name, epsilon); !allowed) return allowed.error();
  Result<DrawnDevice> drawn = DrawnDevice::draw(terms.plan, period, entropy);
  if (!drawn) return drawn.error();
  // The ledger first: what may have been sent must have been paid for.
  if (const Status charged = ledger.charge(terms.name, epsilon); !charged) return charged.error();
  Client client(store, terms, *std::move(drawn));
  client.begin_period(period);
  if (const Status saved = client.commit(client); !saved) return saved.error();
  return client;
}

Status Client::observe(Period period, bool value) {
  const Period horizon = device_.horizon();
  if (period < device_.now()) {
    return Error{"period " + std::to_string(period) + " is over; expected period " +
                     std::to_string(device_.now()) + " or a later one",
                 ErrorCode::kRefused};
  }
  if (period == device_.now() || closed()) {
    begin_period(period);
    return {};
  }
  Client next(*this);
  next.begin_period(period);
  if (period > horizon) {
    period = horizon;
    value = device_.value();
  }
  const bool randomized = next.device_.observe(
      period, value, next.coins_, [&](const SignRun& run) { run.append_to(next.unsent_); });
  if (!randomized) return Error{"the coins failed; nothing was reported", ErrorCode::kNoEntropy};
  return commit(std::move(next));
}

Outbox Client::outbox() const {
  Outbox outbox;
  if (!enrolled_) outbox.enrolment = device_.enrolment(id_);
  const std::uint32_t stride = device_.stride();
  const auto num_unsent = static_cast<std::uint32_t>(unsent_.size());
  std::uint32_t index = device_.next_index() - num_unsent * stride;
  std::uint32_t num_over = 0;
  while (num_over < num_unsent && device_.due(index + num_over * stride) < running_) ++num_over;
  for (std::uint32_t at = 0; at < num_over; at += kMaxSignsALine) {
    outbox.reports.push_back(
        {id_, index + at * stride, unsent_.substr(at, std::min(kMaxSignsALine, num_over - at))});
  }
  outbox.next_index = index + num_over * stride;
  return outbox;
}

Status Client::acknowledge(std::uint32_t next_index) {
  if (next_index > device_.next_index()) {
    return Error{"index " + std::to_string(next_index) +
                     " is acknowledged as expected next; this device expects at most " +
                     std::to_string(device_.next_index()),
                 ErrorCode::kInvalid};
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
  SealedWriter writer = ClientCodec::writer_for(next);
  ClientCodec::write(next, writer);
  const Status saved = store_->save(record_, writer.seal());
  if (saved) std::swap(*this, next);
  next.device_.erase();
  return saved;
}

}  // namespace futurerand
