#include "futurerand/client/client.hpp"

#include <algorithm>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/drawn_device.hpp"
#include "futurerand/client/group_draw.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/entropy/checked_entropy.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// A line with this many signs stays below a collector's limit of bytes.
constexpr std::uint32_t kMaxSignsALine = 60'000;
static_assert(kMaxSignsALine + 256 < kMaxPostedLineBytes);

// Returns the span that the ledger counts this metric in. Without a clock of both sides it is all
// of time, which is always right.
Ledger::Span span_of(const MetricTerms& terms, Period period, const Ledger& ledger) {
  const std::int64_t start = terms.clock.start, length = terms.clock.length;
  const std::int64_t periods = terms.plan.plan().num_periods;
  if (terms.clock.is_manual() || ledger.believed() == 0) return {};
  if (length > (Ledger::kNoEnd - start) / periods || period < 1 || period > periods) return {};
  return {start + (period - 1) * length, start + periods * length};
}

std::string record_of(const MetricTerms& terms) {
  if (terms.season == 0) return metric_record(terms.name);
  const std::uint64_t cycle =
      terms.season / static_cast<std::uint64_t>(terms.seasons->num_phases());
  return season_record(terms.name, static_cast<std::uint32_t>(cycle % 2));
}

// Tells whether the ledger was charged for this season under this id. Seasons before the last one
// that was charged may have lost their entry to the earlier sum.
bool is_charged(const Ledger& ledger, const MetricTerms& terms, const ClientId& client) {
  const Ledger::Series* series = ledger.find_series(terms.name);
  const Ledger::Entry* entry = ledger.find_season(terms.name, terms.season);
  if (entry != nullptr) return entry->client == client;
  return series != nullptr && terms.season < series->last_season;
}

Error not_charged(const MetricTerms& terms) {
  return {"the state of the metric '" + terms.name +
              "' is not the one that the ledger was charged for; expected both or neither",
          ErrorCode::kDamaged};
}

}  // namespace

std::string to_lines(const Outbox& outbox) {
  std::string lines;
  if (outbox.enrolment) lines += to_line(*outbox.enrolment) + "\n";
  for (const Report& report : outbox.reports) lines += to_line(report) + "\n";
  if (outbox.leave) lines += to_line(*outbox.leave) + "\n";
  if (outbox.forget) lines += to_line(*outbox.forget) + "\n";
  return lines;
}

Result<Client> Client::open(const MetricTerms& terms, Period period, Ledger& ledger,
                            StateStore& store, RandomSource& entropy, std::string_view segment) {
  if (const Status valid = terms.validate(); !valid) return valid.error();
  if (const Status known = terms.check_segment(segment); !known) return known.error();
  if (terms.season != 0) {
    Result<std::optional<Client>> client = open_season(terms, ledger, store);
    if (!client) return client.error();
    if (client->has_value()) return **std::move(client);
  } else {
    const Result<bool> drawn = takes_part(terms, period, ledger, entropy);
    if (!drawn) return drawn.error();
    // Its check says why.
    if (!*drawn) return check_join(terms, period, ledger).error();
  }
  Result<RecordLease> lease = store.lease(record_of(terms));
  if (!lease) return lease.error();
  Result<std::optional<Bytes>> bytes = lease->load();
  if (!bytes) return bytes.error();
  if (terms.season != 0) return join(terms, period, ledger, *std::move(lease), entropy, segment);
  const Ledger::Entry* entry = ledger.find(terms.name);
  if (!bytes->has_value()) {
    if (entry == nullptr) {
      return join(terms, period, ledger, *std::move(lease), entropy, segment);
    }
    return Error{"this device joined the metric '" + terms.name +
                     "' before, and its state is gone; a metric is joined once, ever",
                 ErrorCode::kRefused};
  }
  if (Departure::is_saved_in(**bytes)) {
    const Result<Departure> departure = Departure::read(**bytes, terms);
    if (!departure) return departure.error();
    if (entry == nullptr || entry->client != departure->id) return not_charged(terms);
    Client client(*std::move(lease), terms, *departure);
    client.begin_period(period);
    return client;
  }
  Result<ClientMemory> state = ClientCodec::read(**bytes, terms);
  erase(**bytes);
  if (!state) return state.error();
  if (entry == nullptr || entry->client != state->id) {
    state->device.erase();
    return not_charged(terms);
  }
  return Client(*std::move(lease), terms, *std::move(state));
}

Result<std::optional<Client>> Client::open_season(const MetricTerms& terms, const Ledger& ledger,
                                                  StateStore& store) {
  Result<RecordLease> lease = store.lease(record_of(terms));
  if (!lease) return lease.error();
  Result<std::optional<Bytes>> bytes = lease->load();
  if (!bytes) return bytes.error();
  if (!bytes->has_value() || ClientCodec::is_erased(**bytes)) return std::optional<Client>();
  if (Departure::is_saved_in(**bytes)) {
    const Result<Departure> departure = Departure::read_saved(**bytes);
    if (!departure) return departure.error();
    if (departure->terms != terms.digest()) {
      const Status erased = save_erased(*lease);
      if (!erased) return erased.error();
      return std::optional<Client>();
    }
    if (!is_charged(ledger, terms, departure->id)) return not_charged(terms);
    return std::optional<Client>(Client(*std::move(lease), terms, *departure));
  }
  const Result<bool> is_of_season = ClientCodec::is_of(**bytes, terms);
  if (!is_of_season || !*is_of_season) {
    erase(**bytes);
    if (!is_of_season) return is_of_season.error();
    const Status erased = save_erased(*lease);
    if (!erased) return erased.error();
    return std::optional<Client>();
  }
  Result<ClientMemory> state = ClientCodec::read(**bytes, terms);
  erase(**bytes);
  if (!state) return state.error();
  if (!is_charged(ledger, terms, state->id)) {
    state->device.erase();
    return not_charged(terms);
  }
  return std::optional<Client>(Client(*std::move(lease), terms, *std::move(state)));
}

Status Client::check_join(const MetricTerms& terms, Period period, const Ledger& ledger) {
  const Epsilon epsilon = terms.plan.plan().epsilon;
  const Ledger::Span span = span_of(terms, period, ledger);
  if (terms.season == 0) return ledger.check(terms.name, epsilon, span);
  return ledger.check_season(terms.name, terms.season, epsilon, span);
}

Result<Client> Client::join(const MetricTerms& terms, Period period, Ledger& ledger,
                            RecordLease lease, RandomSource& entropy, std::string_view segment) {
  if (const Status open = terms.check_joining(period); !open) return open.error();
  const Epsilon epsilon = terms.plan.plan().epsilon;
  const Ledger::Span span = span_of(terms, period, ledger);
  const std::uint64_t season = terms.season;
  const Status allowed = check_join(terms, period, ledger);
  if (!allowed) return allowed.error();
  CheckedEntropy checked(entropy);
  checked.discard_buffered();
  Result<DrawnDevice> drawn = DrawnDevice::draw(terms.plan, period, checked);
  if (!drawn) return drawn.error();
  // The ledger comes first: what may have been sent must have been paid for.
  const Status charged = season == 0
                             ? ledger.charge(terms.name, epsilon, drawn->id, span)
                             : ledger.charge_season(terms.name, season, epsilon, drawn->id, span);
  if (!charged) return charged.error();
  Client client(std::move(lease), terms,
                {terms.digest(), drawn->id, std::move(drawn->device), drawn->coins});
  client.state_->segment = segment;
  client.begin_period(period);
  if (const Status saved = client.commit(*client.state_); !saved) return saved.error();
  return client;
}

Status Client::observe(Period period, const Value& value) {
  const Observation one{period, value};
  return observe(std::span(&one, 1));
}

Status Client::observe(std::span<const Observation> all) {
  if (left()) {
    return Error{"this device left the metric '" + metric_ + "'; a metric is joined once, ever",
                 ErrorCode::kRefused};
  }
  Period last = now();
  // All values are checked before the first counts. They are not kept: a later one may be refused.
  for (const Observation& seen : all) {
    if (seen.period < last) {
      return Error{"period " + std::to_string(seen.period) + " is over; expected period " +
                       std::to_string(last) + " or a later one",
                   ErrorCode::kInvalid};
    }
    last = seen.period;
    const Result<std::uint32_t> value = coding_.held(row_, seen.value);
    if (!value) return value.error();
  }
  begin_period(last);
  if (last == now() || closed()) return {};
  return take(all);
}

Status Client::finish() {
  begin_period(horizon_ + 1);
  if (closed() || now() < joined()) return {};
  // A period past the horizon brings no value of its own.
  const Observation past{horizon_ + 1, false};
  return take(std::span(&past, 1));
}

Status Client::take(std::span<const Observation> all) {
  ClientMemory next = *state_;
  Device& device = next.device;
  const auto keep = [&next](const SignRun& run) { run.append_to(next.signs); };
  for (const Observation& seen : all) {
    const Period period = seen.period;
    if (period == device.now() || device.now() == device.horizon()) continue;
    const bool past = period > device.horizon();
    const bool is_first = device.now() < device.joined();
    std::uint32_t value = device.value();
    if (!past) {
      const std::uint32_t held = *coding_.held(row_, seen.value);
      value = is_first ? held : coding_.moved(value, held);
    }
    if (!device.observe(past ? device.horizon() : period, value, next.coins, keep)) {
      device.erase();
      return Error{"the coins failed; nothing was reported", ErrorCode::kNoEntropy};
    }
  }
  return commit(std::move(next));
}

Outbox Client::outbox() const {
  Outbox outbox;
  if (lease_.stopped()) return outbox;
  if (left()) {
    if (!departure_is_due()) return outbox;
    if (departure_->forget) {
      outbox.forget = Forget{id_};
    } else {
      outbox.leave = Leave{id_, departure_->period};
    }
    return outbox;
  }
  const Device& device = state_->device;
  if (!state_->enrolled) outbox.enrolment = state_->enrolment();
  const std::uint32_t num_signs = state_->signs.size();
  std::uint32_t end = state_->num_acknowledged;
  while (end < num_signs && device.due(device.index_of(end)) < running_) ++end;
  for (std::uint32_t at = state_->num_acknowledged; at < end; at += kMaxSignsALine) {
    outbox.reports.push_back({state_->id, device.index_of(at),
                              state_->signs.part(at, std::min(kMaxSignsALine, end - at))});
  }
  outbox.next_index = device.index_of(end);
  return outbox;
}

Status Client::acknowledge(std::uint32_t next_index) {
  if (left()) {
    Departure next = *departure_;
    next.told = std::min(horizon_, std::max(running_, next.period));
    return next == *departure_ ? Status() : depart(next, RecordLease::Step::kNotCounted);
  }
  const Device& device = state_->device;
  if (next_index > device.next_index()) {
    return Error{"index " + std::to_string(next_index) +
                     " is acknowledged as expected next; this device expects at most " +
                     std::to_string(device.next_index()),
                 ErrorCode::kInvalid};
  }
  return stand(true, std::max(state_->num_acknowledged, device.num_before(next_index)));
}

Status Client::send_again(std::uint32_t first_index) {
  if (left()) return {};  // its line is sent again in the next period
  return stand(state_->enrolled && first_index != 0,
               std::min(state_->num_acknowledged, state_->device.num_before(first_index)));
}

Status Client::stand(bool enrolled, std::uint32_t num_acknowledged) {
  if (enrolled == state_->enrolled && num_acknowledged == state_->num_acknowledged) return {};
  ClientMemory next = *state_;
  next.enrolled = enrolled;
  next.num_acknowledged = num_acknowledged;
  return commit(std::move(next), RecordLease::Step::kNotCounted);
}

Status Client::save_erased(RecordLease& lease) {
  SealedWriter writer(ClientCodec::kKind, lease.next_revision());
  ClientCodec::write_erased(writer);
  return lease.save(writer.seal());
}

Status Client::erase_state() {
  const Status saved = save_erased(lease_);
  if (saved && state_) state_->device.erase();
  return saved;
}

Status Client::commit(ClientMemory next, RecordLease::Step step) {
  SealedWriter writer(ClientCodec::kKind, lease_.next_revision(step));
  ClientCodec::write(next, writer);
  const Status saved = lease_.save(writer.seal());
  if (!saved) {
    next.device.erase();
    return saved;
  }
  state_->device.erase();
  state_ = std::move(next);
  was_enrolled_ = was_enrolled_ || state_->enrolled;
  return saved;
}

bool Client::departure_is_due() const {
  return departure_->told == 0 || (running_ > departure_->told && running_ <= horizon_);
}

Status Client::leave(Period period) {
  begin_period(period);
  return left() ? Status() : depart(period, false);
}

Status Client::forget(Period period) {
  begin_period(period);
  return asks_to_be_forgotten() ? Status() : depart(period, true);
}

Status Client::leave_instead() {
  if (!asks_to_be_forgotten()) return {};
  Departure next = *departure_;
  next.forget = false;
  next.told = 0;
  return depart(next);
}

Status Client::depart(Period period, bool forget) {
  const Period first = state_ ? std::max(state_->device.joined(), now()) : departure_->period;
  const Digest terms = state_ ? state_->terms : departure_->terms;
  return depart(Departure{terms, id_, std::min(horizon_, std::max(first, period)), forget});
}

Result<std::optional<Client>> Client::forget_erased(const MetricTerms& terms, const Ledger& ledger,
                                                    StateStore& store) {
  const Ledger::Entry* entry = ledger.find_season(terms.name, terms.season);
  if (entry == nullptr) return std::optional<Client>();
  Result<RecordLease> lease = store.lease(record_of(terms));
  if (!lease) return lease.error();
  const Result<std::optional<Bytes>> bytes = lease->load();
  if (!bytes) return bytes.error();
  if (bytes->has_value() && !ClientCodec::is_erased(**bytes)) return std::optional<Client>();
  const Departure departure{terms.digest(), entry->client, terms.plan.plan().num_periods, true};
  Client client(*std::move(lease), terms, departure);
  if (const Status saved = client.depart(departure); !saved) return saved.error();
  return std::optional<Client>(std::move(client));
}

Status Client::depart(const Departure& next, RecordLease::Step step) {
  SealedWriter writer(Departure::kKind, lease_.next_revision(step));
  next.write(writer);
  const Status saved = lease_.save(writer.seal());
  if (!saved) return saved;
  if (state_) state_->device.erase();
  state_.reset();
  departure_ = next;
  return saved;
}

}  // namespace futurerand
