#include "futurerand/estimator/difference.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "futurerand/estimator/coding/coded_rows.hpp"
#include "futurerand/estimator/count_noise.hpp"
#include "futurerand/estimator/endless_answer.hpp"
#include "futurerand/estimator/normal_quantile.hpp"
#include "futurerand/estimator/segment_answer.hpp"

namespace futurerand {
namespace {

constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

// The weight of each period of a stretch in a sum of counts.
struct Coefficients {
  double before, after;
};

// The counts of two stretches, from one horizon or from panels.
class StretchCounts {
 public:
  virtual ~StretchCounts() = default;
  virtual ActiveCount mean(const PeriodSpan& stretch) const = 0;
  // The variance of a sum of counts, without the bias of the cap.
  virtual double variance(const Coefficients& each) const = 0;
  // The mean sums by row, for a coding with rows.
  virtual std::vector<double> rows(const PeriodSpan& stretch) const = 0;
  // The share of devices that are not observed: they rest, or drew another metric of a group.
  virtual double unobserved() const = 0;
};

std::vector<double> spread_out(const DifferenceQuestion& question, const Coefficients& each,
                               Period first, std::size_t periods) {
  std::vector<double> coefficients(periods);
  for (std::size_t i = 0; i < periods; ++i) {
    const auto t = static_cast<Period>(first + i);
    if (t >= question.before.first && t <= question.before.last) coefficients[i] = each.before;
    if (t >= question.after.first && t <= question.after.last) coefficients[i] = each.after;
  }
  return coefficients;
}

template <typename CountOf>
ActiveCount mean_count(const PeriodSpan& stretch, const CountOf& count_of) {
  ActiveCount mean;
  for (Period t = stretch.first; t <= stretch.last; ++t) {
    const ActiveCount count = count_of(t);
    mean.value += count.value / stretch.length();
    mean.devices += count.devices / stretch.length();
    mean.reports += count.reports / stretch.length();
    mean.bias += count.bias / stretch.length();
  }
  return mean;
}

class HorizonCounts final : public StretchCounts {
 public:
  HorizonCounts(const Folded& folded, const DifferenceQuestion& question)
      : question_(question),
        rule_{folded.current, question.inactive_after},
        presence_(*folded.presence),
        unobserved_(1 - folded.asked_share),
        counts_(active_counts(folded.sums, presence_, rule_, question.after.last)),
        noise_(period_noise(counts_, folded.sums, presence_.estimate()),
               presence_.estimate().weights()) {}

  ActiveCount mean(const PeriodSpan& stretch) const override {
    return mean_count(stretch, [&](Period t) { return counts_[t - 1]; });
  }
  double variance(const Coefficients& each) const override {
    return noise_.variance(spread_out(question_, each, 1, counts_.size()));
  }
  std::vector<double> rows(const PeriodSpan& stretch) const override {
    std::vector<std::int64_t> late(presence_.num_codes()), sum(late.size());
    for (Period t = 1; t <= stretch.last; ++t) {
      if (!rule_.is_inactive(t)) presence_.add_missing_rows(t, late);
      if (t < stretch.first) continue;
      presence_.add_reported_rows(t, sum);
      for (std::size_t row = 0; row < sum.size(); ++row) sum[row] += late[row];
    }
    std::vector<double> mean;
    for (const std::int64_t units : sum) {
      mean.push_back(2 / stretch.length() * presence_.estimate().devices(units));
    }
    return mean;
  }
  double unobserved() const override { return unobserved_; }

 private:
  const DifferenceQuestion& question_;
  InactiveRule rule_;
  const Presence& presence_;
  double unobserved_;
  std::vector<ActiveCount> counts_;
  CountNoise noise_;
};

// Devices of different seasons have independent noise.
class PanelCounts final : public StretchCounts {
 public:
  PanelCounts(const Panels& panels, std::size_t num_codes, const DifferenceQuestion& question)
      : question_(question), panels_(panels), num_codes_(num_codes) {
    if (panels.estimate == nullptr) return;
    for (const auto& [season, panel] : panels.seasons) {
      noise_.emplace(season, CountNoise(noise_of(*panel), panels.estimate->weights()));
    }
  }

  ActiveCount mean(const PeriodSpan& stretch) const override {
    return mean_count(stretch, [&](Period t) { return panels_.count(t); });
  }
  double variance(const Coefficients& each) const override {
    double total = 0;
    for (const auto& [season, noise] : noise_) {
      const std::int64_t first = panels_.calendar.first(season);
      std::vector<double> coefficients;
      for (std::size_t i = 0; i < panels_.seasons.at(season)->periods.size(); ++i) {
        const std::int64_t t = first + static_cast<std::int64_t>(i);
        const std::vector<double> one =
            t < 1 ? std::vector<double>{0} : spread_out(question_, each, static_cast<Period>(t), 1);
        coefficients.push_back(one.front());
      }
      total += noise.variance(coefficients);
    }
    return total;
  }
  std::vector<double> rows(const PeriodSpan& stretch) const override {
    std::vector<double> mean(num_codes_);
    for (Period t = stretch.first; t <= stretch.last; ++t) {
      const std::vector<double> rows = panels_.rows(t, num_codes_);
      for (std::size_t row = 0; row < mean.size(); ++row) mean[row] += rows[row] / stretch.length();
    }
    return mean;
  }
  double unobserved() const override { return panels_.unobserved(); }

 private:
  // A season's devices join at its beginning, so the others are counted as departures.
  static std::vector<PeriodNoise> noise_of(const Panel& panel) {
    std::vector<PeriodNoise> noise;
    double before = 0;
    for (const PanelPeriod& at : panel.periods) {
      noise.push_back({at.variance, at.devices, std::max(0.0, at.devices - before), at.reports});
      before = at.devices;
    }
    return noise;
  }

  const DifferenceQuestion& question_;
  const Panels& panels_;
  std::size_t num_codes_;
  std::map<std::int64_t, CountNoise> noise_;
};

Figure figure_of(double value, double variance, double level) {
  const double stddev = std::sqrt(variance);
  const double half = two_sided_quantile(1 - level) * stddev;
  return {value, stddev, {value - half, value + half}};
}

const Figure kUnknownFigures{kNoFigure, kNoFigure, {kNoFigure, kNoFigure}};

// A count of one stretch, with its variance.
struct StretchCount {
  double value;
  double variance;
  double devices;
};

StretchMean mean_of(const StretchCount& at, double level) {
  if (!(at.devices > 0)) return {kUnknownFigures, kUnknownFigures, at.devices};
  return {figure_of(at.value, at.variance, level),
          figure_of(at.value / at.devices, at.variance / (at.devices * at.devices), level),
          at.devices};
}

// The variances are those of the change in the count and in the share.
ChangeRow row_of(const StretchCount& before, const StretchCount& after, double count_variance,
                 double share_variance, double level) {
  ChangeRow row;
  row.before = mean_of(before, level);
  row.after = mean_of(after, level);
  row.count = row.share = kUnknownFigures;
  if (!(before.devices > 0 && after.devices > 0)) return row;
  row.count = figure_of(after.value - before.value, count_variance, level);
  row.share = figure_of(row.after.share.value - row.before.share.value, share_variance, level);
  return row;
}

double squared(double x) { return x * x; }

// Computes the change of a yes/no count or of a number.
class SpanComparison {
 public:
  SpanComparison(const StretchCounts& counts, const DifferenceQuestion& question)
      : question_(question),
        before_(counts.mean(question.before)),
        after_(counts.mean(question.after)) {
    const double to_mean_before = 1 / question.before.length();
    const double to_mean_after = 1 / question.after.length();
    before_.variance = counts.variance({to_mean_before, 0});
    after_.variance = counts.variance({0, to_mean_after});
    change_in_count_ = counts.variance({-to_mean_before, to_mean_after});
    if (is_known()) {
      change_in_share_ =
          counts.variance({-to_mean_before / before_.devices, to_mean_after / after_.devices});
    }
  }

  bool is_known() const { return before_.devices > 0 && after_.devices > 0; }
  const ActiveCount& before() const { return before_; }
  const ActiveCount& after() const { return after_; }
  // The variance of the change over the sum of the variances of both. It is below 1, as shared
  // reports cancel.
  double remaining_in_count() const {
    return change_in_count_ / (before_.variance + after_.variance);
  }
  double remaining_in_share() const {
    return change_in_share_ / (before_.variance / squared(before_.devices) +
                               after_.variance / squared(after_.devices));
  }

  // Devices rest by chance, so those of each stretch are a sample of all.
  ChangeRow plain_row(double resting) const {
    const auto sampling = [&](const ActiveCount& at) {
      return sampling_variance(at.value, at.devices, resting);
    };
    const double before = sampling(before_), after = sampling(after_);
    const auto count_of = [](const ActiveCount& at, double more) {
      return StretchCount{at.value, at.variance_with_bias() + more, at.devices};
    };
    return row_of(count_of(before_, before), count_of(after_, after),
                  change_in_count_ + squared(before_.bias + after_.bias) + before + after,
                  change_in_share_ +
                      squared(before_.bias / before_.devices + after_.bias / after_.devices) +
                      before / squared(before_.devices) + after / squared(after_.devices),
                  question_.level);
  }

 private:
  const DifferenceQuestion& question_;
  ActiveCount before_, after_;
  double change_in_count_ = 0, change_in_share_ = 0;
};

// A stretch as a single period, for coded_rows().
class OneStretch final : public CodedPeriods {
 public:
  OneStretch(const ActiveCount& mean, std::vector<double> rows)
      : mean_(mean), rows_(std::move(rows)) {}

  ActiveCount count(Period) const override { return mean_; }
  std::unique_ptr<Walk> walk(Period) const override { return std::make_unique<Only>(*this); }

 private:
  class Only final : public Walk {
   public:
    explicit Only(const OneStretch& of) : of_(of) {}
    CodedSums next() override {
      return {of_.rows_, of_.mean_.devices, of_.mean_.variance_with_bias()};
    }

   private:
    const OneStretch& of_;
  };

  ActiveCount mean_;
  std::vector<double> rows_;
};

// The rows of labels or of a mean. A device keeps its coding row, so part of the sampling error of
// both stretches cancels as well. How much is not known: it is counted in full.
class CodedComparison {
 public:
  CodedComparison(const Coding& coding, const StretchCounts& counts,
                  const SpanComparison& comparison, const DifferenceQuestion& question)
      : coding_(coding),
        comparison_(comparison),
        question_(question),
        resting_(counts.unobserved()),
        rows_before_(counts.rows(question.before)),
        rows_after_(counts.rows(question.after)) {}

  Result<std::vector<ChangeRow>> rows() const {
    const Result<std::vector<AnswerRow>> asked = after(1, question_.values);
    if (!asked) return asked.error();
    ValueQuestion same = question_.values;  // the same labels in all
    if (same.rows == ValueRows::kTop) same.rows = ValueRows::kByLabel;
    const Result<std::vector<AnswerRow>> found[] = {before(1, same),
                                                    after(1, same),
                                                    before(comparison_.remaining_in_count(), same),
                                                    after(comparison_.remaining_in_count(), same),
                                                    before(comparison_.remaining_in_share(), same),
                                                    after(comparison_.remaining_in_share(), same)};
    for (const auto& each : found) {
      if (!each) return each.error();
    }
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < found[0]->size(); ++i) places.emplace((*found[0])[i].label, i);
    const double devices_before = comparison_.before().devices;
    const double devices_after = comparison_.after().devices;
    std::vector<ChangeRow> rows;
    for (const AnswerRow& row : *asked) {
      const std::size_t place = places.at(row.label);
      const auto count_at = [&](std::size_t which, double devices) {
        const AnswerRow& at = (*found[which])[place];
        const double unrounded = devices / static_cast<double>(at.devices);
        return StretchCount{unrounded * at.estimate, squared(unrounded * at.stddev), devices};
      };
      ChangeRow change =
          row_of(count_at(0, devices_before), count_at(1, devices_after),
                 count_at(2, devices_before).variance + count_at(3, devices_after).variance,
                 count_at(4, devices_before).variance / squared(devices_before) +
                     count_at(5, devices_after).variance / squared(devices_after),
                 question_.level);
      change.label = row.label;
      rows.push_back(std::move(change));
    }
    return rows;
  }

 private:
  Result<std::vector<AnswerRow>> before(double remaining, const ValueQuestion& values) const {
    return rows_of(comparison_.before(), rows_before_, remaining, values);
  }
  Result<std::vector<AnswerRow>> after(double remaining, const ValueQuestion& values) const {
    return rows_of(comparison_.after(), rows_after_, remaining, values);
  }
  Result<std::vector<AnswerRow>> rows_of(ActiveCount mean, const std::vector<double>& rows,
                                         double remaining, const ValueQuestion& values) const {
    mean.variance *= remaining;
    return coded_rows(coding_, OneStretch(mean, rows),
                      {.from = 1,
                       .to = 1,
                       .level = question_.level,
                       .simultaneous = false,
                       .horizon = 1,
                       .resting = resting_},
                      values);
  }

  const Coding& coding_;
  const SpanComparison& comparison_;
  const DifferenceQuestion& question_;
  double resting_;
  std::vector<double> rows_before_, rows_after_;
};

std::string text_of(const PeriodSpan& stretch) {
  return std::to_string(stretch.first) + ".." + std::to_string(stretch.last);
}

Status check_question(const Plan& plan, const DifferenceQuestion& question, Period up_to) {
  if (!(question.level > 0 && question.level < 1)) {
    return Error{"level is " + std::to_string(question.level) +
                 "; expected a probability between 0 and 1, such as 0.95"};
  }
  for (const PeriodSpan& stretch : {question.before, question.after}) {
    if (stretch.first >= 1 && stretch.first <= stretch.last && stretch.last <= up_to) continue;
    const char* const name = stretch == question.before ? "before" : "after";
    if (up_to == 0) return Error{std::string(name) + ": no period is over yet"};
    return Error{std::string(name) + " is " + text_of(stretch) +
                 "; expected periods that are over, 1 to " + std::to_string(up_to)};
  }
  if (question.after.first <= question.before.last) {
    return Error{"after is " + text_of(question.after) + "; expected to begin after period " +
                 std::to_string(question.before.last) + ", the end of before"};
  }
  const ValueQuestion& values = question.values;
  if (!plan.coding.has_rows() && (values.label || values.rows != ValueRows::kDefault)) {
    return Error{"the metric counts " + std::string(name_of(plan.coding.kind())) +
                 " values; expected no label, top or quantile"};
  }
  if (values.rows == ValueRows::kQuantiles || values.rows == ValueRows::kCumulative) {
    return Error{"a difference is one of counts or means; expected label, by=label or top"};
  }
  return {};
}

Result<Difference> compared(const Plan& plan, const StretchCounts& counts,
                            const DifferenceQuestion& question) {
  Difference found{question.before, question.after, question.level};
  Answer values{};
  name_values(plan.coding, question.values, values);
  found.has_labels = values.has_labels;
  found.scale = values.scale;
  const SpanComparison comparison(counts, question);
  if (plan.coding.has_rows() && comparison.is_known()) {
    Result<std::vector<ChangeRow>> rows =
        CodedComparison(plan.coding, counts, comparison, question).rows();
    if (!rows) return rows.error();
    found.rows = *std::move(rows);
  } else if (!plan.coding.has_rows()) {
    found.rows = {comparison.plain_row(counts.unobserved())};
  }
  if (!comparison.is_known()) {
    found.note = std::string("No device was active in the stretch ") +
                 (comparison.before().devices > 0 ? "after" : "before") +
                 ", so nothing can be compared.";
  }
  return found;
}

// Answers about one segment as about a metric of its own.
template <typename OfStratum>
Result<Difference> difference_of_segment(const Plan& plan, const DifferenceQuestion& question,
                                         const OfStratum& of_stratum) {
  if (plan.segments.empty()) return Error{"the metric has no segments; expected no segment"};
  const Result<std::uint32_t> stratum = plan.segments.stratum(*question.segment);
  if (!stratum) return stratum.error();
  DifferenceQuestion plain = question;
  plain.segment.reset();
  Result<Difference> found = of_stratum(without_segments(plan), *stratum, plain);
  if (found) found->segment = *question.segment;
  return found;
}

// Each device of a group drew one metric, so the group has about 1 / asked_share times the devices.
// A count includes the error of that number. Errors of shares include the sampling already.
void scale_to_group(double asked_share, Difference& found) {
  if (asked_share == 1) return;
  const double times = 1 / asked_share;
  const auto scale = [&](Figure& count, double devices) {
    const double own = times * count.stddev, value = times * count.value;
    const double all = std::hypot(own, value * std::sqrt((1 - asked_share) / devices));
    const double wider = own > 0 ? times * all / own : times;
    count = {value,
             all,
             {value - wider * (count.value - count.band.lower),
              value + wider * (count.band.upper - count.value)}};
  };
  for (ChangeRow& row : found.rows) {
    scale(row.count, std::min(row.before.devices, row.after.devices));
    for (StretchMean* mean : {&row.before, &row.after}) {
      scale(mean->count, mean->devices);
      mean->devices *= times;
    }
  }
  found.counted = "all devices of the group, by those that drew this metric: " + found.counted;
  found.assumption =
      "each device draws its metric of the group whatever its values are; " + found.assumption;
}

}  // namespace

Result<PeriodSpan> parse_period_span(std::string_view text, const std::string& name) {
  const auto read = [](std::string_view digits, Period& period) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), period);
    return error == std::errc() && end == digits.data() + digits.size() && period >= 1;
  };
  const std::size_t dots = text.find("..");
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = dots == text.npos ? first : text.substr(dots + 2);
  PeriodSpan stretch;
  if (read(first, stretch.first) && read(last, stretch.last) && stretch.first <= stretch.last) {
    return stretch;
  }
  return Error{name + " is no stretch of periods; expected FROM..TO, such as 8..14"};
}

Result<Difference> difference(const Plan& plan, const Folded& folded,
                              const DifferenceQuestion& question) {
  if (question.segment) {
    return difference_of_segment(
        plan, question,
        [&](const Plan& plain, std::uint32_t stratum, const DifferenceQuestion& asked) {
          return difference(plain, FoldedStratum(folded, stratum).folded(), asked);
        });
  }
  if (folded.presence == nullptr) {
    const Status shown = shows_who_is_active(plan);
    return Error{"a difference needs counts of active devices: " +
                 (shown ? std::string("they are not kept") : shown.error().message)};
  }
  const Period up_to = std::min(folded.current == 0 ? 0 : folded.current - 1, plan.num_periods);
  if (const Status valid = check_question(plan, question, up_to); !valid) return valid.error();
  Result<Difference> found = compared(plan, HorizonCounts(folded, question), question);
  if (!found) return found.error();
  found->counted = counted_in_words(Estimand::kActive, question.inactive_after);
  found->assumption = assumption_of(Estimand::kActive, EstimatorKind::kOnline);
  scale_to_group(folded.asked_share, *found);
  return found;
}

Result<Difference> difference_of_panels(const Plan& plan, const Panels& panels,
                                        const DifferenceQuestion& question) {
  if (question.segment) {
    return difference_of_segment(
        plan, question,
        [&](const Plan& plain, std::uint32_t stratum, const DifferenceQuestion& asked) {
          return difference_of_panels(plain, panels.stratum(stratum), asked);
        });
  }
  if (const Status valid = check_question(plan, question, panels.up_to()); !valid) {
    return valid.error();
  }
  if (question.after.last - question.before.first >= kMostEndlessPeriods) {
    return Error{"the stretches span " +
                 std::to_string(question.after.last - question.before.first + 1) +
                 " periods; expected at most " + std::to_string(kMostEndlessPeriods)};
  }
  const std::size_t codes = plan.coding.has_rows() ? plan.coding.num_codes() : 0;
  Result<Difference> found = compared(plan, PanelCounts(panels, codes, question), question);
  if (!found) return found.error();
  found->counted = taking_part(panels.calendar);
  found->assumption = endless_assumption();
  scale_to_group(panels.asked_share, *found);
  return found;
}

}  // namespace futurerand
