#include "futurerand/core/plan/segments.hpp"

#include <algorithm>
#include <utility>

#include "futurerand/core/coding/label.hpp"

namespace futurerand {
namespace {

const std::string kForm = "1 to " + std::to_string(kMaxLabelBytes) +
                          " bytes of UTF-8 without control characters, '\"', '\\', ',' and '='";

std::string list_of(const std::vector<std::string>& values) {
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + values[i];
  }
  if (values.size() > kShown) list += " and " + std::to_string(values.size() - kShown) + " more";
  return list;
}

}  // namespace

bool is_segment(std::string_view text) {
  return is_label(text) && text.find_first_of("\"\\,=") == text.npos;
}

Result<Segments> Segments::create(std::string name, std::vector<std::string> values) {
  if (!is_segment(name)) {
    return Error{"the name of the attribute has " + std::to_string(name.size()) +
                 " bytes; expected " + kForm};
  }
  if (values.empty() || values.size() > kMaxValues) {
    return Error{"the attribute has " + std::to_string(values.size()) + " values; expected 1 to " +
                 std::to_string(kMaxValues)};
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_segment(values[i])) continue;
    return Error{"value " + std::to_string(i + 1) + " has " + std::to_string(values[i].size()) +
                 " bytes; expected " + kForm};
  }
  std::vector<std::string> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return Error{"the value '" + *twice + "' occurs twice; expected distinct values"};
  }
  Segments segments;
  segments.body_ = std::make_shared<const Body>(Body{std::move(name), std::move(values)});
  return segments;
}

Result<Segments> Segments::parse(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == text.npos) return Error{"there is no '='; expected NAME=A,B,C"};
  std::vector<std::string> values;
  for (std::string_view rest = text.substr(sign + 1);;) {
    const std::size_t end = rest.find(',');
    values.emplace_back(rest.substr(0, end));
    if (end == rest.npos) break;
    rest.remove_prefix(end + 1);
  }
  return create(std::string(text.substr(0, sign)), std::move(values));
}

const std::vector<std::string>& Segments::values() const {
  static const std::vector<std::string> none;
  return empty() ? none : body_->values;
}

std::uint32_t Segments::num_strata() const {
  return empty() ? 1 : static_cast<std::uint32_t>(body_->values.size());
}

std::optional<std::uint32_t> Segments::find(std::string_view value) const {
  if (empty()) return value.empty() ? std::optional<std::uint32_t>(0) : std::nullopt;
  const auto at = std::find(body_->values.begin(), body_->values.end(), value);
  if (at == body_->values.end()) return std::nullopt;
  return static_cast<std::uint32_t>(at - body_->values.begin());
}

Result<std::uint32_t> Segments::stratum(std::string_view value) const {
  if (const auto found = find(value)) return *found;
  if (empty()) return Error{"the metric has no segments; expected none to be stated"};
  const std::string expected = "; expected " + body_->name + " as one of " + list_of(body_->values);
  if (value.empty()) return Error{"the segment is missing" + expected};
  if (!is_segment(value)) return Error{"the segment is no text of " + kForm + expected};
  return Error{"the segment '" + std::string(value) + "' is unknown" + expected};
}

}  // namespace futurerand
