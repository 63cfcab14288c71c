#include "futurerand/estimator/segment_answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace futurerand {
namespace {

constexpr std::size_t kMostRowsBySegment = 100'000;
// Each segment takes the time of an answer about all periods.
constexpr std::uint64_t kMostPeriodsBySegment = std::uint64_t{1} << 22;

Question without_segment(const Question& question) {
  Question plain = question;
  plain.segment.reset();
  plain.by_segment = false;
  return plain;
}

Result<Answer> answer_one(const Plan& plan, const std::string& segment, const Question& question,
                          const AnswerStratum& answer_stratum) {
  const Result<std::uint32_t> stratum = plan.segments.stratum(segment);
  if (!stratum) return stratum.error();
  Result<Answer> found = answer_stratum(without_segments(plan), *stratum, question);
  if (!found) return found.error();
  found->segment = segment;
  found->has_segments = true;
  for (AnswerRow& row : found->rows) row.segment = segment;
  return found;
}

// Bands of differences. With labels a period has several rows.
std::vector<Band> bands_of(const std::vector<PeriodEstimate>& differences, const Question& question,
                           Period horizon) {
  if (!question.simultaneous) return pointwise_bands(differences, question.level);
  std::size_t periods = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (i == 0 || differences[i].period != differences[i - 1].period) ++periods;
  }
  const std::size_t labels = periods == 0 ? 1 : (differences.size() + periods - 1) / periods;
  return simultaneous_bands(
      differences, question.level,
      static_cast<Period>(std::min<std::size_t>(horizon * labels, UINT32_MAX)));
}

Status check_comparable(const Question& question, const std::string& against) {
  if (!question.segment) return Error{"segment is missing; expected the one to compare"};
  if (*question.segment == against) {
    return Error{"against is '" + against + "', the segment itself; expected another one"};
  }
  if (question.values.rows == ValueRows::kTop || question.values.rows == ValueRows::kQuantiles) {
    return Error{"top and quantile are not compared; expected labels or cumulative counts"};
  }
  return {};
}

}  // namespace

Plan without_segments(const Plan& plan) {
  Plan plain = plan;
  plain.segments = {};
  return plain;
}

Result<Answer> answer_segments(const Plan& plan, const Question& question,
                               const AnswerStratum& answer_stratum) {
  if ((question.by_segment || question.segment) && plan.segments.empty()) {
    return Error{"the metric has no segments; expected no segment, and by without segment"};
  }
  if (question.by_segment && question.segment) {
    return Error{"segment and by=segment exclude each other; expected one of them"};
  }
  if (question.by_segment &&
      std::uint64_t{plan.num_periods} * plan.segments.num_strata() > kMostPeriodsBySegment) {
    return Error{"by is segment; expected segment=, since the metric has " +
                 std::to_string(plan.num_periods) + " periods in " +
                 std::to_string(plan.segments.num_strata()) + " segments"};
  }
  const Question plain = without_segment(question);
  if (question.segment) return answer_one(plan, *question.segment, plain, answer_stratum);
  Result<Answer> all = answer_stratum(without_segments(plan), std::nullopt, plain);
  if (!all || !question.by_segment) return all;

  all->rows.clear();
  all->note.clear();
  all->has_segments = true;
  Question of_each = plain;
  of_each.figures_only = true;
  for (const std::string& segment : plan.segments.values()) {
    Result<Answer> one = answer_one(plan, segment, of_each, answer_stratum);
    if (!one) return one.error();
    const std::size_t rows = one->rows.size() * plan.segments.num_strata();
    if (rows > kMostRowsBySegment) {
      return Error{"the answer would have " + std::to_string(rows) + " rows; expected at most " +
                   std::to_string(kMostRowsBySegment) + " (from, to, label)"};
    }
    all->segments.push_back({segment, one->devices, one->note, one->too_noisy});
    std::move(one->rows.begin(), one->rows.end(), std::back_inserter(all->rows));
  }
  std::stable_sort(all->rows.begin(), all->rows.end(),
                   [](const AnswerRow& a, const AnswerRow& b) { return a.period < b.period; });
  return all;
}

Result<Comparison> compare_segments(const Plan& plan, const Question& question,
                                    const std::string& against,
                                    const AnswerStratum& answer_stratum) {
  if (const Status comparable = check_comparable(question, against); !comparable) {
    return comparable.error();
  }
  Question other = question;
  other.segment = against;
  Result<Answer> first = answer_segments(plan, question, answer_stratum);
  if (!first) return first.error();
  Result<Answer> second = answer_segments(plan, other, answer_stratum);
  if (!second) return second.error();
  if (first->rows.size() != second->rows.size()) {
    return Error{"the segments have other rows; expected the same periods and labels in both"};
  }
  Comparison found{*std::move(first), *std::move(second)};
  std::vector<PeriodEstimate> counts, shares;
  for (std::size_t i = 0; i < found.of.rows.size(); ++i) {
    const AnswerRow& a = found.of.rows[i];
    const AnswerRow& b = found.against.rows[i];
    ComparisonRow row{a, b};
    row.difference = a.estimate - b.estimate;
    row.stddev = std::hypot(a.stddev, b.stddev);
    row.share_difference = a.share() - b.share();
    row.share_stddev = std::hypot(a.share_stddev(), b.share_stddev());
    counts.push_back({a.period, row.difference, row.stddev});
    shares.push_back({a.period, row.share_difference, row.share_stddev});
    found.rows.push_back(std::move(row));
  }
  const std::vector<Band> bands = bands_of(counts, question, plan.num_periods);
  const std::vector<Band> share_bands = bands_of(shares, question, plan.num_periods);
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    found.rows[i].band = bands[i];
    found.rows[i].share_band = share_bands[i];
  }
  return found;
}

}  // namespace futurerand
