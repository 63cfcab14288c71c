#include "futurerand/documents/difference_document.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "futurerand/wire/json_writer.hpp"

namespace futurerand {
namespace {

// Figures of one kind, for people: percentages, or means in their unit.
class Wording {
 public:
  explicit Wording(const Difference& found) : scale_(found.scale) {}

  // A figure beside its noise: "31% ± 1" or "12.5 ± 0.4 ms".
  std::string level(const Figure& figure) const {
    const double noise = size(half(figure));
    const std::string value = rounded(at(figure.value), noise);
    const std::string plus_minus = rounded_up(noise);
    if (!scale_) return fmt::format("{}% ± {}", value, plus_minus);
    return with_unit(fmt::format("{} ± {}", value, plus_minus));
  }
  // The size of a change: "4 percentage points" or "1.5 ms", with the digits of its noise.
  std::string change(double share, double noise) const {
    return named(rounded(size(std::abs(share)), size(noise)));
  }
  std::string noise(double noise) const { return rounded_up(size(noise)); }
  std::string noise_named(double noise) const { return named(rounded_up(size(noise))); }
  const char* subject() const { return scale_ ? "mean" : "share"; }

  static double half(const Figure& figure) { return figure.band.upper - figure.value; }

 private:
  double at(double share) const { return scale_ ? scale_->mean_of(share) : 100 * share; }
  double size(double share) const { return share * (scale_ ? scale_->high - scale_->low : 100); }
  std::string with_unit(const std::string& text) const {
    return scale_->unit.empty() ? text : text + " " + scale_->unit;
  }
  std::string named(const std::string& number) const {
    return scale_ ? with_unit(number)
                  : number + (number == "1" ? " percentage point" : " percentage points");
  }

  // Decimals down to the second digit of the noise below 10, and to its first digit above 2 for
  // percentages.
  int digits(double noise) const {
    if (!(noise > 0)) return 0;
    const double step =
        scale_ ? std::floor(std::log10(noise)) - 1 : std::floor(std::log10(noise / 2));
    return std::clamp(static_cast<int>(-step), 0, 9);
  }
  std::string rounded(double value, double noise) const {
    const std::string text = fmt::format("{:.{}f}", value, digits(noise));
    return text.find_first_not_of("-0.") == text.npos && text.front() == '-' ? text.substr(1)
                                                                             : text;
  }
  std::string rounded_up(double noise) const {
    const double scale = std::pow(10, digits(noise));
    return fmt::format("{:.{}f}", std::ceil(noise * scale - 1e-9) / scale, digits(noise));
  }

  std::optional<NumberScale> scale_;
};

void put_figure(JsonWriter& json, const Figure& count, const Figure& share,
                const std::optional<NumberScale>& scale, bool is_change) {
  json.member("estimate", count.value).member("stddev", count.stddev);
  json.member("lower", count.band.lower).member("upper", count.band.upper);
  json.member("share", share.value).member("share_stddev", share.stddev);
  json.member("share_lower", share.band.lower).member("share_upper", share.band.upper);
  if (!scale) return;
  const double width = scale->high - scale->low;
  const auto mean = [&](double at) { return is_change ? width * at : scale->mean_of(at); };
  json.member("mean", mean(share.value)).member("mean_stddev", width * share.stddev);
  json.member("mean_lower", mean(share.band.lower)).member("mean_upper", mean(share.band.upper));
}

void put_stretch(JsonWriter& json, const char* key, const PeriodSpan& stretch,
                 const PeriodDates& dates) {
  json.key(key).begin_object().member("from", stretch.first).member("to", stretch.last);
  json.member("words", in_words(stretch, dates));
  json.text_or_null("begins", dates.begins(stretch.first));
  json.text_or_null("ends", dates.ends(stretch.last)).end_object();
}

void put_mean(JsonWriter& json, const char* key, const StretchMean& mean,
              const std::optional<NumberScale>& scale) {
  put_figure(json.key(key).begin_object(), mean.count, mean.share, scale, false);
  json.member("devices", mean.devices).end_object();
}

}  // namespace

std::string in_words(const PeriodSpan& stretch, const PeriodDates& dates) {
  if (dates.has_dates()) return dates.text(stretch.first, stretch.last);
  if (stretch.first == stretch.last) return fmt::format("period {}", stretch.first);
  return fmt::format("periods {} to {}", stretch.first, stretch.last);
}

std::string in_words(const ChangeRow& row, const Difference& found) {
  if (!std::isfinite(row.share.value)) return found.note;
  const Wording words(found);
  const double noise = Wording::half(row.share);
  const std::string both =
      fmt::format("from {} to {}", words.level(row.before.share), words.level(row.after.share));
  const double level = 100 * found.level;
  if (!row.is_clear()) {
    return fmt::format(
        "No clear change of the {}: {}. The difference, {}, is within its noise of {} ({:g}% "
        "confidence).",
        words.subject(), both, words.change(row.share.value, noise), words.noise_named(noise),
        level);
  }
  return fmt::format("The {} is {} by {}, give or take {}: {} ({:g}% confidence).", words.subject(),
                     row.share.value > 0 ? "up" : "down", words.change(row.share.value, noise),
                     words.noise(noise), both, level);
}

std::string to_json(const Difference& found, const AnswerSource& source) {
  JsonWriter json(1024 + 600 * found.rows.size());
  json.begin_object().text_or_null("metric", source.metric).member("seeded", source.seeded);
  if (!source.as_of.empty()) json.member("as_of", source.as_of);
  if (!found.segment.empty()) json.member("segment", found.segment);
  json.member("level", found.level);
  put_stretch(json, "before", found.before, source.dates);
  put_stretch(json, "after", found.after, source.dates);
  json.member("counted", found.counted).member("assumption", found.assumption);
  json.text_or_null("note", found.note);
  json.key("rows").begin_array();
  for (const ChangeRow& row : found.rows) {
    json.begin_object();
    if (!row.label.empty()) json.member("label", row.label);
    put_mean(json, "before", row.before, found.scale);
    put_mean(json, "after", row.after, found.scale);
    put_figure(json.key("difference").begin_object(), row.count, row.share, found.scale, true);
    json.end_object().member("clear", row.is_clear());
    json.member("sentence", in_words(row, found)).end_object();
  }
  return std::move(json.end_array().end_object()).take();
}

}  // namespace futurerand
