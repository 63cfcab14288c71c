#include "futurerand/collector/fold.hpp"

#include <algorithm>
#include <cstdlib>

namespace futurerand {
namespace {

Verdict duplicate() { return {Outcome::kDuplicate, Reason::kNone, 0, 0, 0}; }
Verdict rejected(Reason reason, std::uint32_t expected = 0) {
  return {Outcome::kRejected, reason, expected, 0, 0};
}

bool are_signs(std::string_view signs) {
  return !signs.empty() && std::all_of(signs.begin(), signs.end(),
                                       [](char sign) { return sign == '+' || sign == '-'; });
}

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
  }
  std::abort();
}

Fold::Fold(const Plan& plan, const HashKey& key)
    : num_periods_(plan.num_periods), clients_(key), sums_(plan) {
  for (const View& view : plan.views) {
    views_.push_back({view.kind, view.order, view.num_indices(plan.num_periods)});
  }
}

// Intervals and grid points that ended before the device joined are never reported.
ClientState Fold::first_state(const Enrolment& enrolment) const {
  const ViewShape& view = views_[enrolment.view];
  if (view.kind == ViewKind::kSnapshot) {
    const bool too_late = enrolment.index << view.order < enrolment.period;
    return {enrolment.view, enrolment.period, enrolment.index, too_late};
  }
  const std::uint32_t first =
      (enrolment.period + (std::uint32_t{1} << view.order) - 1) >> view.order;
  return {enrolment.view, enrolment.period, first, false};
}

Verdict Fold::apply(const Enrolment& enrolment, Period current) {
  if (enrolment.view >= views_.size()) return rejected(Reason::kBadView);
  if (enrolment.period < 1 || enrolment.period > num_periods_) return rejected(Reason::kBadPeriod);
  const ViewShape& view = views_[enrolment.view];
  const bool snapshot = view.kind == ViewKind::kSnapshot;
  if (snapshot ? enrolment.index < 1 || enrolment.index > view.num_indices : enrolment.index != 0) {
    return rejected(Reason::kBadIndex);
  }
  if (const std::uint64_t* word = clients_.find(enrolment.client)) {
    const ClientState state(*word);
    const bool same = state.view() == enrolment.view && state.period() == enrolment.period &&
                      (!snapshot || state.next_index() == enrolment.index);
    return same ? duplicate() : rejected(Reason::kEnrolledDifferently);
  }
  if (enrolment.period > current) return rejected(Reason::kEarly);
  clients_.insert(enrolment.client, first_state(enrolment));
  sums_.enrol(enrolment.view, enrolment.period, enrolment.index);
  return {};
}

Verdict Fold::apply(const Report& report, Period current) {
  if (!are_signs(report.signs)) return rejected(Reason::kBadSigns);
  std::uint64_t* word = clients_.find(report.client);
  if (word == nullptr) return rejected(Reason::kUnknownClient);
  const ClientState state(*word);
  const ViewShape& view = views_[state.view()];
  const bool snapshot = view.kind == ViewKind::kSnapshot;
  const std::uint32_t expected = state.next_index();
  if (snapshot) {
    const bool never = expected << view.order < state.period();
    if (never || report.first_index != expected || report.signs.size() != 1) {
      return rejected(Reason::kBadIndex, state.done() ? 0 : expected);
    }
    if (state.done()) return duplicate();
  }
  const std::uint64_t end = std::uint64_t{report.first_index} + report.signs.size();
  if (report.first_index < 1 || end > std::uint64_t{view.num_indices} + 1) {
    return rejected(Reason::kBadIndex, expected <= view.num_indices ? expected : 0);
  }
  if (end <= expected) return duplicate();
  if (report.first_index > expected) return rejected(Reason::kGap, expected);
  const std::uint32_t last_over = current == 0 ? 0 : (current - 1) >> view.order;
  if (last_over < expected) return rejected(Reason::kEarly, expected);

  const auto next = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, last_over + 1));
  const std::uint32_t known = expected - report.first_index;
  for (std::uint32_t index = expected; index < next; ++index) {
    sums_.add(state.view(), index, report.signs[index - report.first_index] == '+' ? 1 : -1, 1);
  }
  *word = (snapshot ? ClientState(state.view(), state.period(), expected, true)
                    : ClientState(state.view(), state.period(), next, false))
              .word();
  Verdict verdict{Outcome::kAccepted, Reason::kNone, 0, known, next - expected};
  if (next < end) {
    verdict.reason = Reason::kEarly;
    verdict.expected = next;
  }
  return verdict;
}

void Fold::revert(const Enrolment& enrolment) {
  clients_.erase(enrolment.client);
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};  // counts wrap around
  sums_.enrol(enrolment.view, enrolment.period, enrolment.index, kMinusOne);
}

void Fold::revert(const Report& report, const Verdict& verdict) {
  std::uint64_t* word = clients_.find(report.client);
  if (word == nullptr) std::abort();
  const ClientState state(*word);
  for (std::uint32_t at = verdict.known; at < verdict.known + verdict.counted; ++at) {
    constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};
    sums_.add(state.view(), report.first_index + at, report.signs[at] == '+' ? -1 : 1, kMinusOne);
  }
  *word =
      ClientState(state.view(), state.period(), report.first_index + verdict.known, false).word();
}

}  // namespace futurerand
