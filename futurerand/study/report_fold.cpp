#include "futurerand/study/report_fold.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/wire/sign_text.hpp"

namespace futurerand {
namespace {

std::string expected_after(const Verdict& verdict) {
  return verdict.expected == 0 ? "no further report of this client"
                               : fmt::format("index {}", verdict.expected);
}

std::string why_not(const Enrolment& enrolment, const Verdict& verdict, const Plan& plan) {
  if (verdict.outcome == Outcome::kDuplicate) return "enrols again; expected one enrolment";
  switch (verdict.reason) {
    case Reason::kBadView:
      return fmt::format("enrols in view {}; expected 0 to {}", enrolment.view,
                         plan.views.size() - 1);
    case Reason::kBadPeriod:
      return fmt::format("enrols in period {}; expected 1 to {}", enrolment.period,
                         plan.num_periods);
    case Reason::kBadIndex:
      return plan.views[enrolment.view].kind == ViewKind::kSnapshot
                 ? fmt::format("enrols with index {}; expected 1 to {}", enrolment.index,
                               Schedule(plan.views[enrolment.view], plan.num_periods).stride)
                 : "enrols with an index; expected one in a snapshot view only";
    case Reason::kBadSegment:
      return "enrols: " + plan.segments.stratum(enrolment.segment).error().message;
    default:
      return "enrols again, differently; expected one enrolment";
  }
}

std::string why_not(const Report& report, const Verdict& verdict, const Plan&) {
  const std::string run =
      fmt::format("reports {} signs from index {}", report.signs.size(), report.first_index);
  if (verdict.outcome == Outcome::kDuplicate) {
    return run + ", all of it again; expected each index once";
  }
  if (verdict.outcome == Outcome::kAccepted) {
    return fmt::format("{}, in part again; expected index {}", run, verdict.expected);
  }
  switch (verdict.reason) {
    case Reason::kUnknownClient:
      return run + " before it enrolled; expected its enrolment first";
    case Reason::kBadSigns:
      return fmt::format(
          "reports '{}'; expected '+' and '-' only, since its law has no zero symbol",
          to_text(report.signs).substr(0, 40));
    case Reason::kGap:
      return run + ", which skips some; expected " + expected_after(verdict);
    default:
      return run + ", which its view does not have; expected " + expected_after(verdict);
  }
}

std::string why_not(const Leave& leave, const Verdict& verdict, const Plan& plan) {
  if (verdict.outcome == Outcome::kDuplicate) return "leaves again; expected it once";
  if (verdict.reason == Reason::kUnknownClient) {
    return "leaves before it enrolled; expected its enrolment first";
  }
  return fmt::format("leaves in period {}; expected one from its own on to {}", leave.period,
                     plan.num_periods);
}

std::string why_not(const Forget&, const Verdict& verdict, const Plan&) {
  if (verdict.outcome == Outcome::kDuplicate) return "is to be forgotten again; expected it once";
  return "is to be forgotten; expected a plan whose devices report every period";
}

// Every enrolled device owes a report for every index from its first on.
Status require_complete(const Plan& plan, const Sums& sums) {
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    const std::vector<std::uint64_t> owed = sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= owed.size(); ++index) {
      const std::uint64_t count = sums.at(view, index).count;
      if (count == owed[index - 1]) continue;
      return Error{fmt::format(
          "ends early: {} of {} reports of view {}, index {} (period {}); expected all of them, "
          "unless it is taken as incomplete",
          count, owed[index - 1], view, index,
          Schedule(plan.views[view], plan.num_periods).due(index))};
    }
  }
  return {};
}

Period last_reported(const Plan& plan, const Sums& sums) {
  Period last = 0;
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    const Schedule schedule(plan.views[view], plan.num_periods);
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      if (sums.at(view, index).count > 0) last = std::max(last, schedule.due(index));
    }
  }
  return last;
}

HashKey random_key() {
  HashKey key;
  std::uint64_t words[2];
  if (SystemEntropy().fill(words)) key = {words[0], words[1]};  // only speed depends on it
  return key;
}

}  // namespace

Result<Answer> FoldedReports::answer(const Question& question) const {
  return futurerand::answer(header.plan, {sums, presence ? &*presence : nullptr, current},
                            question);
}

Result<Difference> FoldedReports::difference(const DifferenceQuestion& question) const {
  return futurerand::difference(header.plan, {sums, presence ? &*presence : nullptr, current},
                                question);
}

ReportFold::ReportFold(Header header, bool transcript_cap)
    : header_(std::move(header)),
      fold_(header_.plan, random_key(), empty_presence(header_.plan, transcript_cap)) {}

Result<ReportFold> ReportFold::begin(std::string_view line, bool transcript_cap) {
  Result<Line> parsed = parse_line(line);
  if (!parsed) return parsed.error();
  if (auto* header = std::get_if<Header>(&*parsed))
    return ReportFold(std::move(*header), transcript_cap);
  return Error{"no header; expected {\"futurerand\":1,\"plan\":...} first"};
}

template <typename Message>
Status ReportFold::apply(const Message& message) {
  Forgotten taken;
  Verdict verdict;
  if constexpr (std::is_same_v<Message, Forget>) {
    verdict = fold_.apply(message, taken);
  } else {
    verdict = fold_.apply(message, header_.plan.num_periods + 1);
  }
  if (verdict.outcome == Outcome::kAccepted && verdict.known == 0) return {};
  if constexpr (std::is_same_v<Message, Report>) {
    if (verdict.known > 0) verdict.expected = fold_.index_of(message, verdict.known);
  }
  return Error{"client " + to_hex(message.client) + " " + why_not(message, verdict, header_.plan)};
}

Status ReportFold::add(std::string_view line) {
  const Result<Line> parsed = parse_line(line);
  if (!parsed) return parsed.error();
  if (const auto* enrolment = std::get_if<Enrolment>(&*parsed)) return apply(*enrolment);
  if (const auto* report = std::get_if<Report>(&*parsed)) return apply(*report);
  if (const auto* leave = std::get_if<Leave>(&*parsed)) return apply(*leave);
  if (const auto* forget = std::get_if<Forget>(&*parsed)) return apply(*forget);
  return Error{"a second header; expected an enrolment or a report"};
}

Result<FoldedReports> ReportFold::finish(bool incomplete) {
  if (fold_.num_clients() == 0) return Error{"no devices; expected enrolments and reports"};
  const Plan& plan = header_.plan;
  if (!incomplete) {
    if (const Status complete = require_complete(plan, fold_.sums()); !complete) {
      return complete.error();
    }
  }
  FoldedReports folded{header_, fold_.sums(), fold_.num_clients()};
  folded.current = incomplete ? 1 + last_reported(plan, fold_.sums()) : plan.num_periods + 1;
  if (fold_.presence() != nullptr) folded.presence = *fold_.presence();
  return folded;
}

}  // namespace futurerand
