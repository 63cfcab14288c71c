#include "apps/cli/read_reports.hpp"

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/line_reader.hpp"
#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/core/plan/gone.hpp"
#include "futurerand/entropy/system_entropy.hpp"

namespace futurerand::apps {
namespace {

constexpr std::size_t kMaxLine = std::size_t{1} << 21;

Header read_header(LineReader& reader) {
  const std::optional<std::string_view> line = reader.next(kMaxLine);
  if (!line) throw bad_input(reader.name() + ": empty; expected the header that randomize writes");
  Result<Line> parsed = parse_line(*line);
  if (!parsed) throw bad_input(reader.place() + parsed.error().message);
  if (auto* header = std::get_if<Header>(&*parsed)) return std::move(*header);
  throw bad_input(reader.place() + "no header; expected {\"futurerand\":1,\"plan\":...} first");
}

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
      return fmt::format("reports '{}'; expected '+' and '-' only, since its view is never silent",
                         report.signs.substr(0, 40));
    case Reason::kGap:
      return run + ", which skips some; expected " + expected_after(verdict);
    default:
      return run + ", which its view does not have; expected " + expected_after(verdict);
  }
}

// Every device that enrolled owes a report for every index from its first on.
void require_complete(const std::string& name, const Plan& plan, const Sums& sums) {
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    const std::vector<std::uint64_t> owed = sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= owed.size(); ++index) {
      const std::uint64_t count = sums.at(view, index).count;
      if (count == owed[index - 1]) continue;
      throw bad_input(fmt::format(
          "{}: ends early: {} of {} reports of view {}, index {} (period {}); expected all of them "
          "(--incomplete takes a file as it is)",
          name, count, owed[index - 1], view, index,
          Schedule(plan.views[view], plan.num_periods).due(index)));
    }
  }
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

}  // namespace

FoldedReports read_reports(const std::string& path, const ReadReportsOptions& options) {
  LineReader reader(path);
  Header header = read_header(reader);
  const Plan& plan = header.plan;
  HashKey key;
  std::uint64_t words[2];
  if (SystemEntropy().fill(words)) key = {words[0], words[1]};  // only speed depends on it
  Fold fold(plan, key, static_cast<bool>(shows_who_is_active(plan)));

  const auto apply = [&](const auto& message) {
    Verdict verdict = fold.apply(message, plan.num_periods + 1);
    if (verdict.outcome == Outcome::kAccepted && verdict.known == 0) return;
    if constexpr (std::is_same_v<decltype(message), const Report&>) {
      if (verdict.known > 0) verdict.expected = fold.index_of(message, verdict.known);
    }
    throw bad_input(reader.place() + "client " + to_hex(message.client) + " " +
                    why_not(message, verdict, plan));
  };
  while (const std::optional<std::string_view> line = reader.next(kMaxLine)) {
    const Result<Line> parsed = parse_line(*line);
    if (!parsed) throw bad_input(reader.place() + parsed.error().message);
    if (const auto* enrolment = std::get_if<Enrolment>(&*parsed)) {
      apply(*enrolment);
    } else if (const auto* report = std::get_if<Report>(&*parsed)) {
      apply(*report);
    } else {
      throw bad_input(reader.place() + "a second header; expected an enrolment or a report");
    }
    if (reader.line() % 1024 == 0) {
      stop_if_interrupted();
      if (options.progress) options.progress(reader.share());
    }
  }
  if (fold.num_clients() == 0) {
    throw bad_input(reader.name() + ": no devices; expected enrolments and reports");
  }
  if (!options.incomplete) require_complete(reader.name(), plan, fold.sums());
  FoldedReports folded{header, fold.sums(), fold.num_clients()};
  folded.current = options.incomplete ? 1 + last_reported(plan, fold.sums()) : plan.num_periods + 1;
  fold.retire(folded.current);
  if (fold.presence() != nullptr) folded.presence = *fold.presence();
  return folded;
}

}  // namespace futurerand::apps
