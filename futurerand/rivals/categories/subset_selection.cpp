// Subset selection: a set of w = max(1, round(V/(E+1))) values. With chance wE/(wE+V-w) it contains
// the own value, and is uniform otherwise. Once, in a drawn period. It is the best one-time answer.
// Guarantee: the whole sequence, exactly epsilon. Source: Ye, Barg, ISIT 2017; Wang et al., 2016.
#include <algorithm>

#include "futurerand/rivals/categories/one_time.hpp"

namespace futurerand {
namespace {

class SubsetOnce final : public OneTimeRival {
 public:
  explicit SubsetOnce(const CategorySettings& settings) : OneTimeRival(settings) {
    const double e = std::exp(settings.epsilon), v = settings.num_values;
    size_ = std::max(1U, static_cast<std::uint32_t>(std::lround(v / (e + 1))));
    const double w = size_, all = w * e + v - w;
    rates_ = {w * e / all, (w * e * (w - 1) + (v - w) * w) / ((v - 1) * all)};
  }

  std::string_view name() const override { return "subset_once"; }
  SupportRates rates() const override { return rates_; }
  // The number of a set among all of its size.
  double bits() const override {
    const double v = settings_.num_values, w = size_;
    return (std::lgamma(v + 1) - std::lgamma(w + 1) - std::lgamma(v - w + 1)) / std::log(2.0);
  }

 private:
  // Floyd's sampling of distinct places among the other values.
  void answer(std::uint32_t value, UniformBits& bits,
              std::vector<std::uint32_t>& supported) const override {
    std::vector<bool> support(settings_.num_values);
    support[value] = bernoulli(bits, rates_.own);
    const std::uint32_t others = settings_.num_values - 1;
    const std::uint32_t count = size_ - (support[value] ? 1 : 0);
    const auto place = [&](std::uint32_t i) { return i < value ? i : i + 1; };
    for (std::uint32_t last = others - count; last < others; ++last) {
      const std::uint32_t drawn = place(simulated_uniform(bits, last + 1));
      support[support[drawn] ? place(last) : drawn] = true;
    }
    for (std::uint32_t v = 0; v < support.size(); ++v) {
      if (support[v]) supported.push_back(v);
    }
  }

  std::uint32_t size_;
  SupportRates rates_;
};

}  // namespace

Result<std::unique_ptr<CategoryRival>> make_subset_selection(const CategorySettings& settings) {
  if (const Status valid = check_category_settings(settings); !valid) return valid.error();
  return std::unique_ptr<CategoryRival>(std::make_unique<SubsetOnce>(settings));
}

}  // namespace futurerand
