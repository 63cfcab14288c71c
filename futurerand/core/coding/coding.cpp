#include "futurerand/core/coding/coding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "futurerand/core/coding/label.hpp"
#include "futurerand/core/coding/public_hash.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kNames[] = {"yes_no", "number", "category", "distribution", "text"};

Status check_range(double low, double high, const std::string& unit) {
  if (!std::isfinite(low) || !std::isfinite(high)) {
    return Error{"the range has an end that is not a finite number; expected two finite numbers"};
  }
  if (!(low < high)) {
    return Error{"the range is empty; expected a low end below the high end"};
  }
  if (!std::isfinite(high - low)) {
    return Error{"the range is too wide; expected a finite difference of its ends"};
  }
  if (unit.size() > kMaxUnitBytes || !is_readable(unit)) {
    return Error{"the unit has " + std::to_string(unit.size()) + " bytes; expected at most " +
                 std::to_string(kMaxUnitBytes) + " bytes of UTF-8 without control characters"};
  }
  return {};
}

Status check(const YesNoCoding&) { return {}; }

Status check(const NumberCoding& number) {
  if (const Status range = check_range(number.low, number.high, number.unit); !range) return range;
  const double band = number.ignore_moves_below;
  if (!(band >= 0 && band < number.high - number.low)) {
    return Error{
        "ignore_moves_below is out of range; expected at least 0 and less than high - low"};
  }
  return {};
}

Status check(const CategoryCoding& category) {
  const std::size_t count = category.labels.size() + (category.other ? 1 : 0);
  if (count < 2 || count > Coding::kMaxLabels) {
    return Error{"the category has " + std::to_string(count) + " labels; expected 2 to " +
                 std::to_string(Coding::kMaxLabels)};
  }
  std::vector<std::string_view> sorted(category.labels.begin(), category.labels.end());
  if (category.other) sorted.push_back(*category.other);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (is_label(sorted[i])) continue;
    return Error{"label " + std::to_string(i + 1) + " has " + std::to_string(sorted[i].size()) +
                 " bytes; expected 1 to " + std::to_string(kMaxLabelBytes) +
                 " bytes of UTF-8 without control characters"};
  }
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return {};
  return Error{"the label '" + std::string(*twice) + "' occurs twice; expected distinct labels"};
}

Status check(const DistributionCoding& distribution) {
  const std::uint32_t buckets = distribution.buckets;
  if (!std::has_single_bit(buckets) || buckets < Coding::kMinBuckets ||
      buckets > Coding::kMaxBuckets) {
    return Error{"the distribution has " + std::to_string(buckets) +
                 " buckets; expected a power of two from " + std::to_string(Coding::kMinBuckets) +
                 " to " + std::to_string(Coding::kMaxBuckets)};
  }
  return check_range(distribution.low, distribution.high, distribution.unit);
}

Status check(const TextCoding& text) {
  if (text.hash_bits >= Coding::kMinHashBits && text.hash_bits <= Coding::kMaxHashBits) return {};
  return Error{"the text has " + std::to_string(text.hash_bits) + " hash bits; expected " +
               std::to_string(Coding::kMinHashBits) + " to " +
               std::to_string(Coding::kMaxHashBits)};
}

// Returns the place of a value in its range, 0..1. Requires a finite value and a checked range.
double fraction(double value, double low, double high) {
  return (std::clamp(value, low, high) - low) / (high - low);
}

Result<double> finite(const Value& value) {
  const double* number = std::get_if<double>(&value);
  if (number == nullptr) return Error{"the value is not a number; this metric takes numbers"};
  if (!std::isfinite(*number)) {
    return Error{"the value is not a finite number; expected neither NaN nor infinity"};
  }
  return *number;
}

Error not_a_text() { return Error{"the value is not a text; this metric takes texts"}; }

}  // namespace

std::string_view name_of(CodingKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<CodingKind> coding_named(std::string_view name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<CodingKind>(found - std::begin(kNames));
}

std::uint32_t bits_for(std::size_t num_labels) {
  return static_cast<std::uint32_t>(std::bit_width(num_labels - 1));
}

Coding::Coding(CodingSettings settings) {
  Body body;
  if (const auto* number = std::get_if<NumberCoding>(&settings)) {
    const double band = number->ignore_moves_below / (number->high - number->low);
    body.dead_band = static_cast<std::uint32_t>(std::ceil(band * kFullScale));
  } else if (const auto* category = std::get_if<CategoryCoding>(&settings)) {
    body.labels = category->labels;
    if (category->other) body.labels.push_back(*category->other);
    body.bits = bits_for(body.labels.size());
    body.by_name.resize(body.labels.size());
    std::iota(body.by_name.begin(), body.by_name.end(), 0U);
    std::sort(body.by_name.begin(), body.by_name.end(),
              [&](std::uint32_t a, std::uint32_t b) { return body.labels[a] < body.labels[b]; });
  } else if (const auto* distribution = std::get_if<DistributionCoding>(&settings)) {
    body.bits = bits_for(distribution->buckets);
  } else if (const auto* text = std::get_if<TextCoding>(&settings)) {
    body.bits = text->hash_bits;
  }
  body.settings = std::move(settings);
  body_ = std::make_shared<const Body>(std::move(body));
}

Result<Coding> Coding::create(CodingSettings settings) {
  const Status valid = std::visit([](const auto& kind) { return check(kind); }, settings);
  if (!valid) return valid.error();
  return Coding(std::move(settings));
}

Result<std::uint32_t> Coding::code(const Value& value) const {
  switch (kind()) {
    case CodingKind::kYesNo: {
      const bool* yes = std::get_if<bool>(&value);
      if (yes == nullptr) return Error{"the value is not yes or no; this metric takes yes or no"};
      return *yes ? 1U : 0U;
    }
    case CodingKind::kNumber: {
      const auto& number = std::get<NumberCoding>(settings());
      const Result<double> at = finite(value);
      if (!at) return at.error();
      const double scaled = fraction(*at, number.low, number.high) * kFullScale;
      return static_cast<std::uint32_t>(std::floor(scaled + 0.5));
    }
    case CodingKind::kDistribution: {
      const auto& distribution = std::get<DistributionCoding>(settings());
      const Result<double> at = finite(value);
      if (!at) return at.error();
      const double scaled =
          fraction(*at, distribution.low, distribution.high) * distribution.buckets;
      return std::min(static_cast<std::uint32_t>(scaled), distribution.buckets - 1);
    }
    case CodingKind::kCategory: {
      const auto* label = std::get_if<std::string_view>(&value);
      if (label == nullptr) return not_a_text();
      const auto found = std::lower_bound(body_->by_name.begin(), body_->by_name.end(), *label,
                                          [&](std::uint32_t code, std::string_view wanted) {
                                            return std::string_view(labels()[code]) < wanted;
                                          });
      if (found != body_->by_name.end() && labels()[*found] == *label) return *found;
      if (std::get<CategoryCoding>(settings()).other) {
        return static_cast<std::uint32_t>(labels().size() - 1);
      }
      return Error{"the value is none of the metric's " + std::to_string(labels().size()) +
                   " labels, and the metric has no label for others"};
    }
    case CodingKind::kText: {
      const auto* text = std::get_if<std::string_view>(&value);
      if (text == nullptr) return not_a_text();
      if (!is_label(*text)) {
        return Error{"the text is not of 1 to " + std::to_string(kMaxLabelBytes) +
                     " bytes of UTF-8 without control characters"};
      }
      const std::vector<std::uint8_t> bytes(text->begin(), text->end());
      return static_cast<std::uint32_t>(public_hash(kTextKey, bytes) >> (64 - bits()));
    }
  }
  return Error{"the coding is unknown"};
}

std::uint32_t Coding::state(CodingRow row, std::uint32_t code) {
  return static_cast<std::uint32_t>(std::popcount(row & code)) & 1U;
}

Result<std::uint32_t> Coding::held(CodingRow row, const Value& value) const {
  Result<std::uint32_t> code = this->code(value);
  if (!code || !has_rows()) return code;
  return state(row, *code);
}

std::uint32_t Coding::moved(std::uint32_t held, std::uint32_t next) const {
  const std::uint32_t distance = held < next ? next - held : held - next;
  return distance < body_->dead_band ? held : next;
}

double bucket_start(const DistributionCoding& distribution, std::uint32_t bucket) {
  if (bucket == distribution.buckets) return distribution.high;
  return distribution.low + (distribution.high - distribution.low) * bucket /
                                static_cast<double>(distribution.buckets);
}

}  // namespace futurerand
