#include "futurerand/collector/fold/fold.hpp"

#include <cstdlib>

#include "futurerand/core/plan/symbol.hpp"

namespace futurerand {
namespace {

Verdict duplicate() { return {Outcome::kDuplicate, Reason::kNone, 0, 0, 0}; }
Verdict rejected(Reason reason, std::uint32_t expected = 0) {
  return {Outcome::kRejected, reason, expected, 0, 0};
}

std::size_t words_for(Period periods) { return (std::size_t{periods} + 63) / 64; }

bool has_silence(const Plan& plan) {
  return std::any_of(plan.views.begin(), plan.views.end(),
                     [](const View& view) { return may_be_zero(view.law); });
}

// Counts wrap around.
IndexSum taken_back(const IndexSum& sum) { return {-sum.sum, 0 - sum.count, 0 - sum.spoken}; }

}  // namespace

std::string_view name_of(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "none";
    case Reason::kGap:
      return "gap";
    case Reason::kEarly:
      return "early";
    case Reason::kUnknownClient:
      return "unknown_client";
    case Reason::kBadView:
      return "bad_view";
    case Reason::kBadPeriod:
      return "bad_period";
    case Reason::kBadIndex:
      return "bad_index";
    case Reason::kBadSigns:
      return "bad_signs";
    case Reason::kEnrolledDifferently:
      return "enrolled_differently";
    case Reason::kClosed:
      return "closed";
    case Reason::kTooManyDevices:
      return "too_many_devices";
    case Reason::kNoHeartbeats:
      return "no_heartbeats";
  }
  std::abort();
}

Fold::Fold(const Plan& plan, const HashKey& key, std::optional<Presence> presence)
    : num_periods_(plan.num_periods),
      heartbeats_(plan.heartbeats),
      may_be_zero_(has_silence(plan)),
      num_own_words_(
          presence ? words_for(num_periods_) * (may_be_zero_ ? 2 : 1) + (heartbeats_ ? 1 : 0) : 0),
      clients_(key, num_own_words_),
      sums_(plan),
      presence_(std::move(presence)) {
  for (const View& view : plan.views) {
    views_.emplace_back(view, plan.num_periods);
  }
}

Verdict Fold::apply(const Enrolment& enrolment, Period current) {
  if (enrolment.view >= views_.size()) return rejected(Reason::kBadView);
  if (enrolment.period < 1 || enrolment.period > num_periods_) return rejected(Reason::kBadPeriod);
  const Schedule& view = views_[enrolment.view];
  if (!view.is_start(enrolment.index)) return rejected(Reason::kBadIndex);
  if (const std::uint64_t* word = clients_.find(enrolment.client)) {
    const ClientState state(*word);
    const bool same = state.view() == enrolment.view && state.period() == enrolment.period &&
                      view.start_of(state.next_index()) == enrolment.index;
    return same ? duplicate() : rejected(Reason::kEnrolledDifferently);
  }
  if (enrolment.period > current) return rejected(Reason::kEarly);
  const std::uint32_t first = view.first_index(enrolment.period, enrolment.index);
  const ClientState state(enrolment.view, enrolment.period, first);
  clients_.insert(enrolment.client, state);
  enter_row(enrolment.client, state);
  sums_.enrol(enrolment.view, enrolment.period, enrolment.index);
  return {};
}

Verdict Fold::apply(const Report& report, Period current) {
  const auto [word, own_words] = clients_.find_both(report.client);
  if (word == nullptr) return rejected(Reason::kUnknownClient);
  const ClientState state(*word);
  const Schedule& view = views_[state.view()];
  if (!are_symbols(report.signs, view.may_be_zero)) return rejected(Reason::kBadSigns);
  const std::uint32_t expected = state.next_index();
  const std::uint64_t next = report.first_index + std::uint64_t{view.stride} * report.signs.size();
  if (report.first_index < 1 || next - view.stride > view.num_indices ||
      view.start_of(report.first_index) != view.start_of(expected)) {
    return rejected(Reason::kBadIndex, expected <= view.num_indices ? expected : 0);
  }
  if (next <= expected) return duplicate();
  if (report.first_index > expected) return rejected(Reason::kGap, expected);
  const std::uint32_t last_over = current == 0 ? 0 : view.last_due(current - 1);
  if (last_over < expected) return rejected(Reason::kEarly, expected);

  const std::uint32_t known = (expected - report.first_index) / view.stride;
  Verdict verdict{Outcome::kAccepted, Reason::kNone, 0, known, 0};
  std::uint32_t index = expected;
  for (; index < next && index <= last_over; index += view.stride) {
    sums_.add(state.view(), index, one_report(to_sign(report.signs[known + verdict.counted++])));
  }
  const ClientState after(state.view(), state.period(), index);
  keep(own_words, state, std::string_view(report.signs).substr(known, verdict.counted));
  leave_row(report.client, state);
  *word = after.word();
  enter_row(report.client, after);
  if (!heartbeats_ && expected == state.period()) count_newcomer(report.client, after, false);
  if (has_limits()) presence_->hear(told(after, own_words), expected);
  if (index < next) {
    verdict.reason = Reason::kEarly;
    verdict.expected = index;
  }
  return verdict;
}

Verdict Fold::apply(const Heartbeat& heartbeat, Period current) {
  if (!heartbeats_) return rejected(Reason::kNoHeartbeats);
  if (heartbeat.alive < 1 || heartbeat.alive > num_periods_) return rejected(Reason::kBadPeriod);
  const std::uint64_t* word = clients_.find(heartbeat.client);
  if (word == nullptr) return rejected(Reason::kUnknownClient);
  if (!presence_) return duplicate();  // who is there is not kept
  const ClientState state(*word);
  const Schedule& view = views_[state.view()];
  const Told before = told(heartbeat.client, state);
  if (heartbeat.alive < before.next) return duplicate();
  const bool owes = state.next_index() <= view.num_indices;
  // Nobody is there before it joined, nor in a period that is not over.
  const Period over = current == 0 ? 0 : current - 1;
  if (over < before.next) return rejected(Reason::kEarly);
  const Period alive = std::min(heartbeat.alive, over);
  if (owes && view.due(state.next_index()) <= alive) {
    return rejected(Reason::kGap, state.next_index());
  }
  const auto known = static_cast<std::uint32_t>(heartbeat_in(clients_.own_words(heartbeat.client)));
  set_heartbeat(heartbeat.client, state, alive);
  return {Outcome::kAccepted, alive < heartbeat.alive ? Reason::kEarly : Reason::kNone, 0, known,
          alive};
}

void Fold::set_heartbeat(const ClientId& client, const ClientState& state, Period alive) {
  leave_row(client, state);
  heartbeat_in(clients_.own_words(client)) = alive;
  enter_row(client, state);
}

std::uint32_t Fold::index_of(const Report& report, std::uint32_t at) {
  const std::uint64_t* word = clients_.find(report.client);
  if (word == nullptr) std::abort();
  return report.first_index + at * views_[ClientState(*word).view()].stride;
}

bool Fold::replay(const Enrolment& enrolment, Period current, Missing missing) {
  // Sums count those who joined by the clients that are there, so the two go together.
  if (!missing.client) return true;
  return apply(enrolment, current) == Verdict{};
}

bool Fold::replay(const Report& report, Period current, Missing missing) {
  if (!missing.client && !missing.sums) return true;
  if (missing.client) {
    const Verdict verdict = apply(report, current);
    if (verdict.outcome != Outcome::kAccepted || verdict.known != 0 ||
        verdict.reason != Reason::kNone) {
      return false;
    }
    if (missing.sums) return true;
  }
  // One of the two is behind the other. The client is right by now: only the sums change.
  const std::uint64_t* word = clients_.find(report.client);
  if (word == nullptr) return false;
  const ClientState state(*word);
  const std::uint32_t view = state.view();
  const Schedule& shape = views_[view];
  const std::uint64_t last =
      report.first_index + std::uint64_t{shape.stride} * (report.signs.size() - 1);
  if (!are_symbols(report.signs, shape.may_be_zero) || report.first_index < 1 ||
      last > shape.num_indices) {
    return false;
  }
  // What a client told since must include it.
  if (has_limits() && (report.first_index < state.period() || last >= state.next_index())) {
    return false;
  }
  std::uint32_t index = report.first_index;
  for (const char symbol : report.signs) {
    const IndexSum reported = one_report(to_sign(symbol));
    sums_.add(view, index, missing.sums ? reported : taken_back(reported));
    index += shape.stride;
  }
  if (has_limits()) {
    const Told then = told_before(report.client, state, index);
    if (missing.sums) {
      presence_->hear(then, report.first_index);
    } else {
      presence_->take_back(then, report.first_index);
    }
  }
  return true;
}

bool Fold::replay(const Heartbeat& heartbeat, Period current, Missing missing) {
  if (!missing.client) return true;
  const Verdict verdict = apply(heartbeat, current);
  return verdict.outcome == Outcome::kAccepted && verdict.reason == Reason::kNone;
}

void Fold::drop_clients() {
  clients_.clear();
  shards_to_retire_ = 0;
  dropped_clients_ = true;
}

std::uint32_t Fold::expected_from(const ClientId& client) {
  const std::uint64_t* word = clients_.find(client);
  if (word == nullptr) return 0;
  const ClientState state(*word);
  return state.next_index() <= views_[state.view()].num_indices ? state.next_index() : 0;
}

std::uint64_t Fold::num_clients() const {
  if (!dropped_clients_) return clients_.size();
  std::uint64_t clients = 0;
  for (std::uint32_t view = 0; view < views_.size(); ++view) {
    for (Period t = 1; t <= num_periods_; ++t) clients += sums_.enrolled_in(view, t);
  }
  return clients;
}

std::uint64_t Fold::memory_bytes() const {
  std::uint64_t bytes = clients_.memory_bytes();
  if (presence_) bytes += presence_->memory_bytes();
  for (const Schedule& view : views_) {
    bytes += view.num_indices * sizeof(IndexSum) + num_periods_ * sizeof(std::uint64_t);
  }
  return bytes;
}

void Fold::revert(const Enrolment& enrolment) {
  leave_row(enrolment.client, ClientState(*clients_.find(enrolment.client)));
  clients_.erase(enrolment.client);
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};  // counts wrap around
  sums_.enrol(enrolment.view, enrolment.period, enrolment.index, kMinusOne);
}

void Fold::revert(const Report& report, const Verdict& verdict) {
  std::uint64_t* word = clients_.find(report.client);
  if (word == nullptr) std::abort();
  const ClientState state(*word);
  const std::uint32_t stride = views_[state.view()].stride;
  const std::uint32_t first = index_of(report, verdict.known);
  for (std::uint32_t i = 0; i < verdict.counted; ++i) {
    const IndexSum reported = one_report(to_sign(report.signs[verdict.known + i]));
    sums_.add(state.view(), first + i * stride, taken_back(reported));
  }
  const ClientState before(state.view(), state.period(), first);
  if (has_limits()) presence_->take_back(told(report.client, state), first);
  if (!heartbeats_ && first == state.period()) count_newcomer(report.client, state, true);
  leave_row(report.client, state);
  *word = before.word();
  enter_row(report.client, before);
}

void Fold::revert(const Heartbeat& heartbeat, const Verdict& verdict) {
  const std::uint64_t* word = clients_.find(heartbeat.client);
  if (word == nullptr) std::abort();
  set_heartbeat(heartbeat.client, ClientState(*word), verdict.known);
}

Told Fold::told(const ClientState& state, const std::uint64_t* own_words) const {
  const Schedule& view = views_[state.view()];
  const std::uint32_t first = view.first_index(state.period(), view.start_of(state.next_index()));
  // Whoever reported an index was there when it came due.
  Period next = state.period();
  if (state.next_index() > first) {
    next = std::max(next, view.due(state.next_index() - view.stride) + 1);
  }
  if (heartbeats_) {
    next = std::max(next, static_cast<Period>(own_words[num_own_words_ - 1]) + 1);
  }
  return {state.view(),
          state.period(),
          next,
          first,
          state.next_index(),
          own_words,
          view.may_be_zero ? own_words + words_for(num_periods_) : nullptr};
}

void Fold::keep(std::uint64_t* own_words, const ClientState& state, std::string_view new_signs) {
  if (!presence_) return;
  std::uint64_t* minus = own_words;
  std::uint64_t* silent = minus + words_for(num_periods_);
  const auto set = [](std::uint64_t* words, std::uint32_t bit, bool on) {
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    words[bit / 64] = on ? words[bit / 64] | mask : words[bit / 64] & ~mask;
  };
  const Schedule& view = views_[state.view()];
  std::uint32_t bit = state.next_index() - 1;
  for (const char symbol : new_signs) {
    set(minus, bit, symbol == kMinusSymbol);
    if (view.may_be_zero) set(silent, bit, symbol == kZeroSymbol);
    bit += view.stride;
  }
}

bool Fold::is_up_to_date(const ClientId& client, const ClientState& state) const {
  // Without heartbeats the next index is the next period, and the device's own words are not
  // needed.
  return !presence_ ||
         (!heartbeats_ && state.next_index() > retired(ClientTable::shard_of(client)));
}

void Fold::leave_row(const ClientId& client, const ClientState& state) {
  if (is_up_to_date(client, state)) return;
  const Told before = told(client, state);
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};  // counts wrap around
  if (heartbeats_) presence_->add_missing(before.next, kMinusOne);
  if (before.next <= retired(ClientTable::shard_of(client))) presence_->take_out(before);
}

void Fold::enter_row(const ClientId& client, const ClientState& state) {
  if (is_up_to_date(client, state)) return;
  const Told now = told(client, state);
  if (heartbeats_) presence_->add_missing(now.next, 1);
  if (now.next <= retired(ClientTable::shard_of(client))) presence_->put(now);
}

void Fold::count_newcomer(const ClientId& client, const ClientState& state, bool taken_back_again) {
  if (!presence_) return;
  const IndexSum first = told(client, state).first_report();
  presence_->add_newcomers(state.period(), taken_back_again ? taken_back(first) : first);
}

void Fold::tell_clock(Period current) {
  if (!presence_ || dropped_clients_ || current <= clock_) return;
  // Nobody stands in a row yet: those who left long ago need not take one of their own first.
  if (clock_ == 0) presence_->merge_gone(current);
  clock_ = current;
  // All of them once more, from the shard whose turn it is: a clock that is quicker than this is
  // keeps none of them waiting for ever.
  shards_to_retire_ = ClientTable::kNumShards;
}

bool Fold::retire_part() {
  if (shards_to_retire_ == 0) return false;
  const std::size_t shard = next_to_retire_;
  next_to_retire_ = (shard + 1) % ClientTable::kNumShards;
  const Period before = retired(shard);
  shard_clocks_[shard] = clock_;
  if (const Period now = retired(shard); now > before) {
    clients_.for_each_in(shard, [&](const ClientState& state, const std::uint64_t* own_words) {
      const Told client = told(state, own_words);
      if (client.next > before && client.next <= now) presence_->put(client);
    });
  }
  presence_->merge_gone(presence_period());
  return --shards_to_retire_ > 0;
}

void Fold::retire(Period current) {
  tell_clock(current);
  while (retire_part()) {
  }
}

Period Fold::presence_period() const {
  if (dropped_clients_) return UINT32_MAX;
  return *std::min_element(shard_clocks_.begin(), shard_clocks_.end());
}

}  // namespace futurerand
