#include "futurerand/collector/fold/fold.hpp"

#include <cstdlib>

#include "futurerand/core/coding/row.hpp"

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

// Counts the plus signs, if the number of a device's plus signs is limited.
std::uint32_t pulses_in(const Schedule& view, const PackedSigns& signs, std::uint32_t first,
                        std::uint32_t count) {
  return view.max_pulses == 0 ? 0 : signs.count_plus(first, count);
}

// Whether a device of this view sends such signs.
bool are_signs_of(const Schedule& view, const PackedSigns& signs) {
  return !signs.empty() && (view.may_be_zero || !signs.has_zero());
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
    case Reason::kLeft:
      return "left";
    case Reason::kForgotten:
      return "forgotten";
    case Reason::kNoTranscripts:
      return "no_transcripts";
    case Reason::kBadSegment:
      return "bad_segment";
  }
  std::abort();
}

Fold::Fold(const Plan& plan, const HashKey& key, std::optional<Presence> presence)
    : num_periods_(plan.num_periods),
      may_be_zero_(has_silence(plan)),
      num_own_words_(presence ? words_for(num_periods_) * (may_be_zero_ ? 2 : 1) : 0),
      coding_(plan.coding),
      segments_(plan.segments),
      clients_(key, num_own_words_),
      forgotten_(key),
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
  const std::optional<std::uint32_t> stratum = segments_.find(enrolment.segment);
  if (!stratum) return rejected(Reason::kBadSegment);
  if (const std::uint64_t* word = clients_.find(enrolment.client)) {
    const ClientState state(*word);
    const bool same = state.view() == enrolment.view && state.period() == enrolment.period &&
                      state.stratum() == *stratum &&
                      view.start_of(state.next_index()) == enrolment.index;
    return same ? duplicate() : rejected(Reason::kEnrolledDifferently);
  }
  if (forgotten_.has(enrolment.client)) return rejected(Reason::kForgotten);
  if (enrolment.period > current) return rejected(Reason::kEarly);
  const std::uint32_t first = view.first_index(enrolment.period, enrolment.index);
  clients_.insert(enrolment.client,
                  ClientState(enrolment.view, enrolment.period, first, 0, *stratum));
  sums_.enrol(enrolment.view, enrolment.period, enrolment.index, 1, *stratum);
  return {};
}

Verdict Fold::apply(const Report& report, Period current) {
  const auto [word, own_words] = clients_.find_both(report.client);
  if (word == nullptr) return rejected(Reason::kUnknownClient);
  const ClientState state(*word);
  const Schedule& view = views_[state.view()];
  if (!are_signs_of(view, report.signs)) return rejected(Reason::kBadSigns);
  const std::uint32_t expected = state.next_index();
  const std::uint64_t next = report.first_index + std::uint64_t{view.stride} * report.signs.size();
  if (report.first_index < 1 || next - view.stride > view.num_indices ||
      view.start_of(report.first_index) != view.start_of(expected)) {
    return rejected(Reason::kBadIndex, expected <= view.num_indices ? expected : 0);
  }
  if (next <= expected) return duplicate();
  if (state.departed()) return rejected(Reason::kLeft);
  if (report.first_index > expected) return rejected(Reason::kGap, expected);
  const std::uint32_t last_over = current == 0 ? 0 : view.last_due(current - 1);
  if (last_over < expected) return rejected(Reason::kEarly, expected);

  const std::uint32_t known = (expected - report.first_index) / view.stride;
  // Where there are pulses, every index is reported.
  const std::uint32_t over = std::min(last_over - expected + 1, report.signs.size() - known);
  const std::uint32_t pulses = state.pulses() + pulses_in(view, report.signs, known, over);
  if (pulses > view.max_pulses) return rejected(Reason::kBadSigns, expected);
  Verdict verdict{Outcome::kAccepted, Reason::kNone, 0, known, 0};
  std::uint32_t index = expected;
  for (; index < next && index <= last_over; index += view.stride) {
    sums_.add(state.view(), index, one_report(report.signs[known + verdict.counted++]),
              state.stratum());
  }
  const ClientState after(state.view(), state.period(), index, pulses, state.stratum());
  *word = after.word();
  if (presence_) {
    keep(own_words, state, report.signs, known, verdict.counted);
    const std::uint32_t row = row_of_client(report.client);
    presence_->change(transcript(state, own_words, row), transcript(after, own_words, row));
  }
  if (index < next) {
    verdict.reason = Reason::kEarly;
    verdict.expected = index;
  }
  return verdict;
}

Verdict Fold::apply(const Leave& leave, Period current) {
  const auto [word, own_words] = clients_.find_both(leave.client);
  if (word == nullptr) {
    return forgotten_.has(leave.client) ? duplicate() : rejected(Reason::kUnknownClient);
  }
  const ClientState state(*word);
  if (state.departed()) return duplicate();
  if (leave.period < state.period() || leave.period > num_periods_) {
    return rejected(Reason::kBadPeriod);
  }
  if (leave.period > current) return rejected(Reason::kEarly);
  const ClientState after = state.with_departed(true);
  *word = after.word();
  if (presence_) {
    const std::uint32_t row = row_of_client(leave.client);
    presence_->change(transcript(state, own_words, row), transcript(after, own_words, row));
  }
  return {};
}

Verdict Fold::apply(const Forget& forget, Forgotten& taken) {
  if (!presence_) return rejected(Reason::kNoTranscripts);
  if (forgotten_.has(forget.client)) return duplicate();
  taken = {forget.client};
  const auto [word, own_words] = clients_.find_both(forget.client);
  if (word == nullptr) {
    forgotten_.insert(forget.client);
    return {};
  }
  taken.word = *word;
  taken.own_words.assign(own_words, own_words + num_own_words_);
  const ClientState state(taken.word);
  count(state, transcript(state, own_words, row_of_client(forget.client)), -1);
  erase(forget.client, state);
  return {};
}

void Fold::count(const ClientState& state, const Transcript& transcript, int times) {
  for (Period t = transcript.joined; t < transcript.next; ++t) {
    const auto has = [t](const std::uint64_t* words) {
      return words != nullptr && (words[(t - 1) / 64] >> ((t - 1) % 64) & 1U) != 0;
    };
    const IndexSum reported =
        one_report(has(transcript.zero) ? Sign::kZero : sign_of(has(transcript.minus)));
    sums_.add(state.view(), t, times > 0 ? reported : taken_back(reported), state.stratum());
  }
  const Transcript none = transcript.before(transcript.joined);
  times > 0 ? presence_->change(none, transcript) : presence_->change(transcript, none);
}

void Fold::erase(const ClientId& client, const ClientState& state) {
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};  // counts wrap around
  const Schedule& view = views_[state.view()];
  sums_.enrol(state.view(), state.period(), view.start_of(state.next_index()), kMinusOne,
              state.stratum());
  clients_.erase(client);
  forgotten_.insert(client);
}

void Fold::restore(const Forgotten& taken) {
  const ClientState state(taken.word);
  forgotten_.erase(taken.client);
  clients_.insert(taken.client, state);
  std::copy(taken.own_words.begin(), taken.own_words.end(), clients_.own_words(taken.client));
  const Schedule& view = views_[state.view()];
  sums_.enrol(state.view(), state.period(), view.start_of(state.next_index()), 1, state.stratum());
}

std::uint32_t Fold::index_of(const Report& report, std::uint32_t at) {
  if (at == 0) return report.first_index;  // the usual case, and a search takes longer
  const std::uint64_t* word = clients_.find(report.client);
  if (word == nullptr) std::abort();
  return report.first_index + at * views_[ClientState(*word).view()].stride;
}

bool Fold::replay(const Enrolment& enrolment, Period current, Missing missing) {
  // The sums count joined devices by the clients in the table, so the two change together.
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
  const auto [word, own_words] = clients_.find_both(report.client);
  if (word == nullptr) {
    // It is forgotten by now, and what it reported before that will be taken out.
    if (missing.client || !forgotten_.has(report.client)) return false;
    std::uint32_t& from = skipped_[report.client].from_index;
    if (from == 0) from = report.first_index;
    return true;
  }
  const ClientState state(*word);
  const std::uint32_t view = state.view();
  const Schedule& shape = views_[view];
  const std::uint64_t last =
      report.first_index + std::uint64_t{shape.stride} * (report.signs.size() - 1);
  if (!are_signs_of(shape, report.signs) || report.first_index < 1 || last > shape.num_indices) {
    return false;
  }
  // The client's reports so far must include it.
  if (presence_ && (report.first_index < state.period() || last >= state.next_index())) {
    return false;
  }
  std::uint32_t index = report.first_index;
  for (std::uint32_t i = 0; i < report.signs.size(); ++i) {
    const IndexSum reported = one_report(report.signs[i]);
    sums_.add(view, index, missing.sums ? reported : taken_back(reported), state.stratum());
    index += shape.stride;
  }
  if (presence_) {
    const Transcript now = transcript(state, own_words, row_of_client(report.client));
    const Transcript without = now.before(report.first_index), with = now.before(index);
    missing.sums ? presence_->change(without, with) : presence_->change(with, without);
  }
  return true;
}

bool Fold::replay(const Leave& leave, Period current, Missing missing) {
  if (missing.client && missing.sums) return apply(leave, current) == Verdict{};
  const auto [word, own_words] = clients_.find_both(leave.client);
  if (word == nullptr) {
    if (missing.client || !forgotten_.has(leave.client)) return !missing.client && !missing.sums;
    if (missing.sums) skipped_[leave.client].leave = true;
    return true;
  }
  const ClientState state(*word);
  if (state.departed() == missing.client) return false;
  if (missing.client) *word = state.with_departed(true).word();
  if (missing.sums && presence_) {
    const Transcript now = transcript(state, own_words, row_of_client(leave.client));
    presence_->change(now.before(now.next), now);
  }
  return true;
}

bool Fold::replay(const Forgotten& forgotten, Period, Missing missing) {
  if (!presence_) return false;
  if (missing.client) {
    Forgotten taken;
    if (missing.sums) {
      return apply(Forget{forgotten.client}, taken) == Verdict{} && taken == forgotten;
    }
    // The sums are without it already.
    const std::uint64_t* word = clients_.find(forgotten.client);
    if ((word == nullptr ? 0 : *word) != forgotten.word || forgotten_.has(forgotten.client)) {
      return false;
    }
    if (word != nullptr) {
      erase(forgotten.client, ClientState(*word));
    } else {
      forgotten_.insert(forgotten.client);
    }
    return true;
  }
  const auto found = skipped_.find(forgotten.client);
  const Skipped skipped = found == skipped_.end() ? Skipped{} : found->second;
  if (found != skipped_.end()) skipped_.erase(found);
  if (!missing.sums || forgotten.word == 0) return true;
  const ClientState state(forgotten.word);
  if (state.view() >= views_.size() || state.stratum() >= segments_.num_strata() ||
      state.period() < 1 || state.period() > num_periods_ || state.next_index() < state.period() ||
      state.next_index() > num_periods_ + 1 || forgotten.own_words.size() != num_own_words_) {
    return false;
  }
  Transcript counted =
      transcript(state, forgotten.own_words.data(), row_of_client(forgotten.client));
  const bool departed = counted.departed && !skipped.leave;
  if (skipped.from_index != 0) {
    if (skipped.from_index < counted.joined || skipped.from_index > counted.next) return false;
    counted = counted.before(skipped.from_index);
  }
  counted.departed = departed && skipped.from_index == 0;
  count(state, counted, -1);
  return true;
}

void Fold::drop_clients() {
  clients_.clear();
  forgotten_.clear();
  dropped_clients_ = true;
}

std::uint32_t Fold::expected_from(const ClientId& client) {
  const std::uint64_t* word = clients_.find(client);
  if (word == nullptr) return 0;
  const ClientState state(*word);
  if (state.departed() || state.next_index() > views_[state.view()].num_indices) return 0;
  return state.next_index();
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
  const std::uint64_t bytes =
      clients_.memory_bytes() + forgotten_.memory_bytes() + sums_.memory_bytes();
  return presence_ ? bytes + presence_->memory_bytes() : bytes;
}

void Fold::revert(const Enrolment& enrolment) {
  clients_.erase(enrolment.client);
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};  // counts wrap around
  sums_.enrol(enrolment.view, enrolment.period, enrolment.index, kMinusOne,
              *segments_.find(enrolment.segment));
}

void Fold::revert(const Report& report, const Verdict& verdict) {
  const auto [word, own_words] = clients_.find_both(report.client);
  if (word == nullptr) std::abort();
  const ClientState state(*word);
  const std::uint32_t stride = views_[state.view()].stride;
  const std::uint32_t first = index_of(report, verdict.known);
  for (std::uint32_t i = 0; i < verdict.counted; ++i) {
    const IndexSum reported = one_report(report.signs[verdict.known + i]);
    sums_.add(state.view(), first + i * stride, taken_back(reported), state.stratum());
  }
  const std::uint32_t pulses =
      pulses_in(views_[state.view()], report.signs, verdict.known, verdict.counted);
  const ClientState before(state.view(), state.period(), first, state.pulses() - pulses,
                           state.stratum());
  if (presence_) {
    const std::uint32_t row = row_of_client(report.client);
    presence_->change(transcript(state, own_words, row), transcript(before, own_words, row));
  }
  *word = before.word();
}

void Fold::revert(const Leave& leave) {
  const auto [word, own_words] = clients_.find_both(leave.client);
  if (word == nullptr) std::abort();
  const ClientState state(*word), before = state.with_departed(false);
  *word = before.word();
  if (!presence_) return;
  const std::uint32_t row = row_of_client(leave.client);
  presence_->change(transcript(state, own_words, row), transcript(before, own_words, row));
}

void Fold::revert(const Forgotten& taken) {
  if (taken.word == 0) {
    forgotten_.erase(taken.client);
    return;
  }
  restore(taken);
  const ClientState state(taken.word);
  count(state, transcript(state, taken.own_words.data(), row_of_client(taken.client)), 1);
}

Transcript Fold::transcript(const ClientState& state, const std::uint64_t* own_words,
                            std::uint32_t row) const {
  // Devices report every period: an index is a period.
  return {.joined = state.period(),
          .next = state.next_index(),
          .minus = own_words,
          .zero = may_be_zero_ ? own_words + words_for(num_periods_) : nullptr,
          .stratum = state.stratum(),
          .row = row,
          .departed = state.departed()};
}

std::uint32_t Fold::row_of_client(const ClientId& client) const {
  return coding_.has_rows() ? row_of(coding_, client.bytes) : 0;
}

void Fold::keep(std::uint64_t* own_words, const ClientState& state, const PackedSigns& signs,
                std::uint32_t from, std::uint32_t count) const {
  std::uint64_t* minus = own_words;
  std::uint64_t* zero = minus + words_for(num_periods_);
  const auto set = [](std::uint64_t* words, std::uint32_t bit, bool on) {
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    words[bit / 64] = on ? words[bit / 64] | mask : words[bit / 64] & ~mask;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t bit = state.next_index() - 1 + i;
    set(minus, bit, signs[from + i] == Sign::kMinus);
    if (may_be_zero_) set(zero, bit, signs[from + i] == Sign::kZero);
  }
}

}  // namespace futurerand
