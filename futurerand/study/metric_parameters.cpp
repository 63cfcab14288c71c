#include "futurerand/study/metric_parameters.hpp"

#include <charconv>
#include <fstream>

namespace futurerand {
namespace {

// Numbers as labels, or the lines of a file. Coding checks them.
Result<std::vector<std::string>> read_labels(const std::string& asked) {
  std::vector<std::string> labels;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), count);
  if (error == std::errc() && end == asked.data() + asked.size()) {
    if (count < 2 || count > Coding::kMaxLabels) {
      return Error{"labels is " + asked + "; expected 2 to " + std::to_string(Coding::kMaxLabels) +
                   ", or a file"};
    }
    for (std::size_t i = 1; i <= count; ++i) labels.push_back(std::to_string(i));
    return labels;
  }
  std::ifstream file(asked);
  if (!file) return Error{"labels: there is no file '" + asked + "'; expected a number or a file"};
  for (std::string line; std::getline(file, line) && labels.size() <= Coding::kMaxLabels;) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    labels.push_back(line);
  }
  return labels;
}

}  // namespace

Result<Coding> MetricParameters::coding() const {
  switch (value) {
    case CodingKind::kYesNo:
      return Coding();
    case CodingKind::kNumber:
      return Coding::create(NumberCoding{range.first, range.second, ""});
    case CodingKind::kCategory: {
      if (!labels) return Error{"a category needs labels; expected --labels N or --labels FILE"};
      Result<std::vector<std::string>> names = read_labels(*labels);
      if (!names) return names.error();
      return Coding::create(CategoryCoding{*std::move(names), std::nullopt});
    }
    case CodingKind::kDistribution:
      return Coding::create(DistributionCoding{range.first, range.second, "", buckets});
    case CodingKind::kText:
      return Coding::create(TextCoding{});
  }
  std::abort();
}

}  // namespace futurerand
