// Coding: turns a value of the application into the state of a device. The plan carries it, and
// both sides derive everything from it.
//
//   value ─▶ code ─▶ (public row) ─▶ held: 0 or 1, or for a number 0..65536
//
// A value has a code, a small number. A public row, one for each device, asks one yes/no question
// about the code: is the number of common bits odd? So a metric with many labels runs on the same
// randomizer as a yes/no metric. core/coding/decode.hpp goes back from sums by row to counts.
// See coding.md.
//
// Thread safety: an immutable value. Copies share their labels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// An observation of the application. A text is borrowed for the call.
using Value = std::variant<bool, double, std::string_view>;

struct YesNoCoding {
  friend bool operator==(const YesNoCoding&, const YesNoCoding&) = default;
};

// A number from `low` to `high`. Values outside are clipped.
struct NumberCoding {
  double low = 0;
  double high = 0;
  std::string unit;
  // The device keeps its number until the value is at least this far away, in units of the value.
  double ignore_moves_below = 0;
  friend bool operator==(const NumberCoding&, const NumberCoding&) = default;
};

// One of 2 to kMaxLabels labels, `other` included. With `other`, unknown labels count as it.
struct CategoryCoding {
  std::vector<std::string> labels;
  std::optional<std::string> other;
  friend bool operator==(const CategoryCoding&, const CategoryCoding&) = default;
};

// A number in one of `buckets` buckets of equal width, a power of two. Values outside are clipped.
struct DistributionCoding {
  double low = 0;
  double high = 0;
  std::string unit;
  std::uint32_t buckets = 32;
  friend bool operator==(const DistributionCoding&, const DistributionCoding&) = default;
};

// Any text of at most kMaxLabelBytes bytes, by its public hash. Candidates are not part of the
// coding: every device serves every candidate, so the operator may add some at any time.
struct TextCoding {
  std::uint32_t hash_bits = 16;
  friend bool operator==(const TextCoding&, const TextCoding&) = default;
};

using CodingSettings =
    std::variant<YesNoCoding, NumberCoding, CategoryCoding, DistributionCoding, TextCoding>;

// The same order as in CodingSettings.
enum class CodingKind : std::uint8_t { kYesNo, kNumber, kCategory, kDistribution, kText };

// "yes_no", "number", "category", "distribution", "text".
std::string_view name_of(CodingKind kind);
std::optional<CodingKind> coding_named(std::string_view name);

// The question of a device: a mask over the bits of a code, from 1 to num_rows().
using CodingRow = std::uint32_t;

class Coding {
 public:
  static constexpr std::size_t kMaxLabels = 65'536;
  static constexpr std::uint32_t kMinBuckets = 8, kMaxBuckets = 1024;
  static constexpr std::uint32_t kMinHashBits = 8, kMaxHashBits = 16;
  static constexpr std::uint32_t kFullScale = 65'536;

  Coding() : Coding(CodingSettings(YesNoCoding{})) {}
  // kInvalid, with the wrong setting and the expected one.
  static Result<Coding> create(CodingSettings settings);

  const CodingSettings& settings() const { return body_->settings; }
  CodingKind kind() const { return static_cast<CodingKind>(settings().index()); }

  // A device holds 0..full_scale(): 1, or kFullScale for a number.
  std::uint32_t full_scale() const { return kind() == CodingKind::kNumber ? kFullScale : 1; }
  // Codes are below num_codes() = 2^bits(). A number counts as code 1 by its fraction. Some codes
  // of a category may have no label.
  std::uint32_t bits() const { return body_->bits; }
  std::uint32_t num_codes() const { return 1U << bits(); }
  std::uint32_t num_rows() const { return num_codes() - 1; }
  // Whether devices answer questions of their rows. A yes/no metric and a number ask everyone the
  // same.
  bool has_rows() const { return kind() != CodingKind::kYesNo && kind() != CodingKind::kNumber; }
  // The label of each code in order, `other` last. Empty unless this is a category.
  const std::vector<std::string>& labels() const { return body_->labels; }

  // Returns the code of a value, and for a number 0..kFullScale. kInvalid if the value is of
  // another kind, not finite, or has no label. The message does not contain the value.
  Result<std::uint32_t> code(const Value& value) const;
  // Returns the state of a device with this row: 1 if row and code have an odd number of common
  // bits. Requires a row of this coding, and a code; not for numbers.
  static std::uint32_t state(CodingRow row, std::uint32_t code);
  // Returns the state of a device with this row, 0..full_scale(). Fails as code() does.
  Result<std::uint32_t> held(CodingRow row, const Value& value) const;
  // Returns the next state, given the current one. For a number it is `held` itself unless `next`
  // is at least ignore_moves_below away; otherwise `next`.
  std::uint32_t moved(std::uint32_t held, std::uint32_t next) const;

  friend bool operator==(const Coding& a, const Coding& b) { return a.settings() == b.settings(); }

 private:
  struct Body {
    CodingSettings settings;
    std::uint32_t bits = 1;
    std::uint32_t dead_band = 0;         // of a number, on the full scale
    std::vector<std::string> labels;     // of a category, `other` included
    std::vector<std::uint32_t> by_name;  // codes in the order of their labels
  };
  explicit Coding(CodingSettings settings);

  std::shared_ptr<const Body> body_;
};

// Returns the number of bits for a list of this size. Requires at least 2.
std::uint32_t bits_for(std::size_t num_labels);

// Returns the lower end of a bucket, in units of the value; of bucket `buckets` the upper end of
// the range. Requires bucket <= buckets.
double bucket_start(const DistributionCoding& distribution, std::uint32_t bucket);

}  // namespace futurerand
