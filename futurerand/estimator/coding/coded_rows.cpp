#include "futurerand/estimator/coding/coded_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "futurerand/estimator/coding/candidates.hpp"
#include "futurerand/estimator/coding/quantile.hpp"
#include "futurerand/estimator/coding/top_labels.hpp"

namespace futurerand {
namespace {

// Passes over codes times periods: some tenths of a second of work.
constexpr std::size_t kMaxDecoded = std::size_t{1} << 27;
constexpr double kNothingKnown = std::numeric_limits<double>::quiet_NaN();

// Ten digits hide the rounding errors at the ends of buckets.
std::string short_number(double value) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, 10).ptr;
  return {text, end};
}

// Walks over periods, and gives the mean of their sums by row over a window.
class WindowRows final : public CodedPeriods::Walk {
 public:
  // The first window ends at `from`.
  WindowRows(const Presence& presence, const InactiveRule& rule,
             const std::vector<ActiveCount>& counts, Period from, Period window)
      : presence_(presence),
        rule_(rule),
        counts_(counts),
        window_(window),
        late_(presence.num_codes()) {
    begin_ = from > window ? from - window + 1 : 1;
    for (Period t = 1; t < begin_; ++t) add_late(t);
    for (Period t = begin_; t < from; ++t) add(t);
    last_ = from - 1;
  }

  CodedSums next() override {
    add(++last_);
    const ActiveCount& count = counts_[last_ - 1];
    CodedSums sums{std::vector<double>(late_.size()), count.devices, count.variance_with_bias()};
    const double scale = 2 / static_cast<double>(periods_.size());
    const std::size_t codes = late_.size();
    for (std::size_t row = 0; row < codes; ++row) {
      sums.rows[row] = scale * presence_.estimate().devices(sum_[row]);
    }
    return sums;
  }

 private:
  void add_late(Period t) {
    if (!rule_.is_inactive(t)) presence_.add_missing_rows(t, late_);
  }

  void add(Period t) {
    add_late(t);
    std::vector<std::int64_t> rows = late_;
    presence_.add_reported_rows(t, rows);
    sum_.resize(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) sum_[row] += rows[row];
    periods_.push_back(std::move(rows));
    if (periods_.size() <= window_) return;
    for (std::size_t row = 0; row < sum_.size(); ++row) sum_[row] -= periods_.front()[row];
    periods_.erase(periods_.begin());
  }

  const Presence& presence_;
  InactiveRule rule_;
  const std::vector<ActiveCount>& counts_;
  Period window_, begin_ = 1, last_ = 0;
  std::vector<std::int64_t> late_, sum_;
  std::vector<std::vector<std::int64_t>> periods_;  // of the window
};

class PresencePeriods final : public CodedPeriods {
 public:
  PresencePeriods(const Sums& sums, const Presence& presence, const InactiveRule& rule, Period to,
                  Period window)
      : presence_(presence),
        rule_(rule),
        window_(window),
        counts_(pooled_counts(active_counts(sums, presence, rule, to), sums, presence.estimate(),
                              window)) {}

  ActiveCount count(Period t) const override { return counts_[t - 1]; }
  std::unique_ptr<Walk> walk(Period from) const override {
    return std::make_unique<WindowRows>(presence_, rule_, counts_, from, window_);
  }

 private:
  const Presence& presence_;
  InactiveRule rule_;
  Period window_;
  std::vector<ActiveCount> counts_;
};

// One counted item: a label, a bucket, or candidates of one hash.
struct Shown {
  std::uint32_t code;
  std::string label;
};

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " | ") + text;
  return all;
}

std::string bucket_text(const DistributionCoding& distribution, std::uint32_t bucket) {
  return short_number(bucket_start(distribution, bucket)) + " to " +
         short_number(bucket_start(distribution, bucket + 1));
}

Result<std::vector<Shown>> all_shown(const Coding& coding, const ValueQuestion& question) {
  std::vector<Shown> shown;
  if (const auto* distribution = std::get_if<DistributionCoding>(&coding.settings())) {
    for (std::uint32_t code = 0; code < coding.num_codes(); ++code) {
      shown.push_back({code, bucket_text(*distribution, code)});
    }
  } else if (coding.kind() == CodingKind::kText) {
    const auto groups = group_candidates(coding, question.candidates);
    if (!groups) return groups.error();
    for (const CandidateGroup& group : *groups) {
      shown.push_back({group.code, joined(group.texts)});
    }
    if (shown.empty()) {
      return Error{"the metric has no candidates yet; expected a label, or candidates first"};
    }
  } else {
    for (std::uint32_t code = 0; code < coding.labels().size(); ++code) {
      shown.push_back({code, coding.labels()[code]});
    }
  }
  return shown;
}

Result<std::vector<Shown>> one_shown(const Coding& coding, const std::string& label) {
  if (coding.kind() == CodingKind::kDistribution) {
    return Error{"label is for labels and texts; expected quantile, or by=label for all buckets"};
  }
  const auto& labels = coding.labels();
  if (coding.kind() == CodingKind::kCategory &&
      std::find(labels.begin(), labels.end(), label) == labels.end()) {
    return Error{"the metric has no such label; expected one of its " +
                 std::to_string(labels.size()) + " labels, such as '" + labels.front() + "'"};
  }
  const Result<std::uint32_t> code = coding.code(std::string_view(label));
  if (!code) return code.error();
  return std::vector<Shown>{{*code, label}};
}

AnswerRow row_of_count(Period period, const ActiveCount& count, const Measurement& found) {
  AnswerRow row;
  row.period = period;
  row.devices = static_cast<std::uint64_t>(std::llround(count.devices));
  row.reports = static_cast<std::uint64_t>(std::llround(count.reports));
  row.expected = row.devices;
  if (row.devices == 0) {
    row.estimate = row.stddev = kNothingKnown;
    return row;
  }
  const double rounding = static_cast<double>(row.devices) / count.devices;
  row.estimate = rounding * found.value;
  row.stddev = rounding * std::sqrt(found.variance);
  return row;
}

// The count of a text's hash includes unrelated texts with the same hash.
double background_of(const Coding& coding, double devices) {
  return coding.kind() == CodingKind::kText ? devices / coding.num_codes() : 0;
}

class RowMaker {
 public:
  RowMaker(const Coding& coding, const CodedPeriods& periods, const CodedRange& range)
      : coding_(coding), periods_(periods), range_(range) {}

  // Calls visit(period, count, sums by row) for each. No period is over if `to` is 0.
  template <typename Visit>
  void for_each_period(Period from, const Visit& visit) const {
    if (range_.to == 0 || from > range_.to) return;
    const std::unique_ptr<CodedPeriods::Walk> rows = periods_.walk(from);
    for (Period t = from; t <= range_.to; ++t) visit(t, periods_.count(t), rows->next());
  }

  std::vector<AnswerRow> by_label(const std::vector<Shown>& shown) const {
    std::vector<AnswerRow> made;
    for_each_period(range_.from, [&](Period t, const ActiveCount& count, const CodedSums& sums) {
      std::vector<Measurement> found;
      if (shown.size() == 1) {
        found = {estimate_count(coding_, sums, shown.front().code)};
      } else {
        const std::vector<Measurement> all = estimate_counts(coding_, sums);
        for (const Shown& label : shown) found.push_back(all[label.code]);
      }
      add(
          t, count, found, [&](std::size_t i) { return shown[i].label; }, made);
    });
    return made;
  }

  std::vector<Shown> top(const std::vector<Shown>& shown, std::uint32_t most) const {
    std::vector<Shown> chosen;
    for_each_period(range_.to, [&](Period, const ActiveCount& count, const CodedSums& sums) {
      const std::vector<Measurement> all = estimate_counts(coding_, sums);
      std::vector<Measurement> found;
      for (const Shown& label : shown) found.push_back(all[label.code]);
      const double background = background_of(coding_, count.devices);
      for (const std::uint32_t place : top_labels(found, kFalseDiscoveryRate, background)) {
        if (chosen.size() < most) chosen.push_back(shown[place]);
      }
    });
    return chosen;
  }

  std::vector<AnswerRow> cumulative(bool unbiased) const {
    const auto& distribution = std::get<DistributionCoding>(coding_.settings());
    std::vector<AnswerRow> made;
    for_each_period(range_.from, [&](Period t, const ActiveCount& count, const CodedSums& sums) {
      std::vector<Measurement> found = estimate_cumulative(coding_, sums);
      if (!unbiased) make_monotone(found, count.devices);
      const auto label = [&](std::size_t i) {
        return std::string("below ").append(
            short_number(bucket_start(distribution, static_cast<std::uint32_t>(i))));
      };
      add(t, count, found, label, made);
    });
    return made;
  }

  std::vector<AnswerRow> quantiles(const std::vector<double>& shares) const {
    const double missed = (1 - range_.level) / (range_.simultaneous ? at_once(shares.size()) : 1);
    std::vector<AnswerRow> made;
    for_each_period(range_.from, [&](Period t, const ActiveCount& count, const CodedSums& sums) {
      const std::vector<Measurement> below =
          of_all_devices(estimate_cumulative(coding_, sums), count.devices);
      for (const double share : shares) {
        AnswerRow row = row_of_count(t, count, {share * count.devices, 0});
        row.band = {row.estimate, row.estimate};
        row.label = std::string("p").append(short_number(100 * share));
        row.quantile = ValueBand{kNothingKnown, {kNothingKnown, kNothingKnown}};
        if (row.devices > 0) {
          const QuantileEstimate at = estimate_quantile(coding_, below, share, 1 - missed);
          row.quantile = ValueBand{at.value, at.band};
        }
        made.push_back(std::move(row));
      }
    });
    return made;
  }

  // The mean as a count of whole ranges.
  std::vector<AnswerRow> means() const {
    const auto& distribution = std::get<DistributionCoding>(coding_.settings());
    const double width = distribution.high - distribution.low;
    std::vector<AnswerRow> made;
    for_each_period(range_.from, [&](Period t, const ActiveCount& count, const CodedSums& sums) {
      Measurement found = estimate_mean(coding_, sums);
      const double scale = count.devices / width;
      found = {(found.value - distribution.low) * scale, found.variance * scale * scale};
      add(
          t, count, {found}, [](std::size_t) { return std::string(); }, made);
    });
    return made;
  }

 private:
  double at_once(std::size_t figures) const {
    return static_cast<double>(figures) * range_.horizon;
  }

  // Adds the sampling error: resting devices are not seen.
  std::vector<Measurement> of_all_devices(std::vector<Measurement> found, double devices) const {
    for (Measurement& at : found) {
      const double inside = std::clamp(at.value, 0.0, devices);
      if (devices > 0) at.variance += range_.resting * inside * (1 - inside / devices);
    }
    return found;
  }

  template <typename Label>
  void add(Period t, const ActiveCount& count, const std::vector<Measurement>& seen,
           const Label& label, std::vector<AnswerRow>& made) const {
    const std::vector<Measurement> found = of_all_devices(seen, count.devices);
    for (std::size_t i = 0; i < found.size(); ++i) {
      AnswerRow row = row_of_count(t, count, found[i]);
      row.label = label(i);
      made.push_back(std::move(row));
    }
    const auto rows = std::span(made).last(found.size());
    std::vector<Measurement> scaled;
    for (const AnswerRow& row : rows) scaled.push_back({row.estimate, row.stddev * row.stddev});
    const std::size_t together =
        range_.simultaneous ? static_cast<std::size_t>(at_once(found.size())) : 1;
    const std::vector<Band> bands = coded_bands(scaled, range_.level, together);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].band = bands[i];
  }

  static void make_monotone(std::vector<Measurement>& found, double devices) {
    std::vector<double> values;
    for (const Measurement& at : found) values.push_back(at.value);
    values = monotone(values, 0, devices);
    for (std::size_t i = 0; i < found.size(); ++i) found[i].value = values[i];
  }

  const Coding& coding_;
  const CodedPeriods& periods_;
  CodedRange range_;
};

Status check_rows(const Coding& coding, const ValueQuestion& question) {
  const bool is_distribution = coding.kind() == CodingKind::kDistribution;
  const bool needs_one =
      question.rows == ValueRows::kCumulative || question.rows == ValueRows::kQuantiles;
  if (needs_one && !is_distribution) {
    return Error{"quantiles and cumulative counts are for distributions; the metric is a " +
                 std::string(name_of(coding.kind())) + "; expected label, by=label or top"};
  }
  if (question.rows == ValueRows::kTop && is_distribution) {
    return Error{"top is for labels and texts; expected quantile or by=label"};
  }
  for (const double share : question.quantiles) {
    if (!(share > 0 && share < 1)) {
      return Error{"quantile is " + short_number(share) +
                   "; expected numbers between 0 and 1, such as 0.5"};
    }
  }
  return {};
}

Status check_size(const Coding& coding, const CodedRange& range, std::size_t figures) {
  const std::size_t periods = range.to < range.from ? 0 : range.to - range.from + 1;
  const std::size_t passes = figures == 1 ? 1 : coding.bits();
  if ((periods + range.window) * coding.num_codes() * passes > kMaxDecoded) {
    return Error{"the answer would decode " + std::to_string(coding.num_codes()) + " codes in " +
                 std::to_string(periods + range.window) +
                 " periods; expected fewer periods (from, to, window)"};
  }
  if (periods * figures <= kMaxCodedRows) return {};
  return Error{"the answer would have " + std::to_string(periods * figures) +
               " rows; expected at most " + std::to_string(kMaxCodedRows) +
               ": ask for fewer periods (from, to), one label, or top"};
}

}  // namespace

Result<std::vector<double>> parse_quantiles(std::string_view list) {
  std::vector<double> shares;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    double share = 0;
    const auto [end, error] = std::from_chars(list.data() + from, list.data() + comma, share);
    if (error != std::errc() || end != list.data() + comma || !(share > 0 && share < 1) ||
        shares.size() == kMostQuantiles) {
      return Error{"quantile is no list of at most " + std::to_string(kMostQuantiles) +
                   " numbers between 0 and 1; expected a list such as 0.25,0.5,0.75"};
    }
    shares.push_back(share);
    from = comma + 1;
  }
  return shares;
}

Result<std::vector<AnswerRow>> coded_rows(const Coding& coding, const CodedPeriods& periods,
                                          const CodedRange& range, const ValueQuestion& question) {
  if (const Status valid = check_rows(coding, question); !valid) return valid.error();
  const bool is_distribution = coding.kind() == CodingKind::kDistribution;
  const std::size_t figures = question.rows == ValueRows::kQuantiles    ? question.quantiles.size()
                              : question.rows == ValueRows::kCumulative ? coding.num_codes() + 1
                                                                        : 1;
  if (const Status size = check_size(coding, range, figures); !size) return size.error();
  if (question.rows == ValueRows::kQuantiles) {
    return RowMaker(coding, periods, range).quantiles(question.quantiles);
  }
  if (question.rows == ValueRows::kCumulative) {
    return RowMaker(coding, periods, range).cumulative(question.unbiased);
  }
  if (is_distribution && question.rows == ValueRows::kDefault && !question.label) {
    return RowMaker(coding, periods, range).means();
  }
  Result<std::vector<Shown>> shown =
      question.label ? one_shown(coding, *question.label) : all_shown(coding, question);
  if (!shown) return shown.error();
  const bool picks = question.rows == ValueRows::kTop && !question.label;
  const std::size_t most =
      picks ? std::min<std::size_t>(question.top, shown->size()) : shown->size();
  if (const Status size = check_size(coding, range, most); !size) return size.error();
  const RowMaker maker(coding, periods, range);
  return maker.by_label(picks ? maker.top(*shown, question.top) : *shown);
}

Result<std::vector<AnswerRow>> coded_rows(const Plan& plan, const Sums& sums,
                                          const Presence& presence, const InactiveRule& rule,
                                          const CodedRange& range, const ValueQuestion& question) {
  return coded_rows(plan.coding, PresencePeriods(sums, presence, rule, range.to, range.window),
                    range, question);
}

double coded_influence(const Coding& coding, const ValueQuestion& question) {
  const double codes = coding.num_codes();
  if (coding.kind() != CodingKind::kDistribution) return 2 * (codes - 1) / codes;
  // An adversary picks an id whose row has the smallest chance.
  const bool is_mean = question.rows == ValueRows::kDefault && !question.label;
  return is_mean ? coding.bits() / 2.0 : coding.bits();
}

}  // namespace futurerand
