#include "futurerand/simulator/populations/held_counts.hpp"

#include <charconv>

namespace futurerand {

std::size_t num_figures(const Coding& coding) {
  if (coding.kind() == CodingKind::kDistribution) return coding.num_codes() - 1;
  if (coding.kind() == CodingKind::kCategory) return coding.labels().size();
  return 1;
}

std::vector<std::string> figure_names(const Coding& coding) {
  const auto* distribution = std::get_if<DistributionCoding>(&coding.settings());
  if (distribution == nullptr) return coding.labels();
  std::vector<std::string> names;
  for (std::uint32_t threshold = 1; threshold < coding.num_codes(); ++threshold) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, bucket_start(*distribution, threshold),
                                   std::chars_format::general, 10);
    names.push_back("below " + std::string(text, end.ptr));
  }
  return names;
}

HeldCounts::HeldCounts(const Coding& coding, Period num_periods)
    : coding_(coding),
      num_codes_(coding.has_rows() ? coding.num_codes() : 1),
      steps_((num_periods + std::size_t{1}) * num_codes_) {}

void HeldCounts::merge(const HeldCounts& other) {
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] += other.steps_[i];
}

std::vector<double> HeldCounts::figures() const {
  const std::size_t count = num_figures(coding_);
  const bool cumulates = coding_.kind() == CodingKind::kDistribution;
  std::vector<std::int64_t> held(num_codes_);
  std::vector<double> figures;
  figures.reserve((steps_.size() / num_codes_ - 1) * count);
  for (std::size_t first = 0; first + num_codes_ < steps_.size(); first += num_codes_) {
    for (std::size_t code = 0; code < num_codes_; ++code) held[code] += steps_[first + code];
    std::int64_t below = 0;
    for (std::size_t i = 0; i < count; ++i) {
      below += held[i];
      figures.push_back(static_cast<double>(cumulates ? below : held[i]) / coding_.full_scale());
    }
  }
  return figures;
}

}  // namespace futurerand
