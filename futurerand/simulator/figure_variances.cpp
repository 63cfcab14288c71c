#include "futurerand/simulator/figure_variances.hpp"

#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/simulator/populations/held_counts.hpp"

namespace futurerand {
namespace {

// variance = factor (V + N/4) - N spread
struct FigureFactor {
  double factor;
  double spread;

  double variance(double yes_no, double users) const {
    return factor * (yes_no + users / 4) - users * spread;
  }
};

FigureFactor factor_of(const Coding& coding, std::size_t figure) {
  if (coding.num_rows() == 1) return {1, 0.25};  // nothing is sampled
  const double codes = coding.num_codes();
  if (coding.kind() == CodingKind::kDistribution) {
    const auto threshold = static_cast<std::uint32_t>(figure + 1);
    const double share = even_share(coding, figure);
    return {cumulative_factor(coding, threshold), share * (1 - share)};
  }
  const double share = 1 / codes, held = even_share(coding, figure);
  return {count_factor(coding), held * (1 - 2 * share) + share * share};
}

}  // namespace

double even_share(const Coding& coding, std::size_t figure) {
  if (coding.kind() == CodingKind::kDistribution) {
    return static_cast<double>(figure + 1) / coding.num_codes();
  }
  return 1 / static_cast<double>(num_figures(coding));
}

std::vector<double> figure_variances(const Coding& coding, const std::vector<double>& yes_no,
                                     double users) {
  std::vector<FigureFactor> factors;
  for (std::size_t i = 0; i < num_figures(coding); ++i) factors.push_back(factor_of(coding, i));
  std::vector<double> variances;
  variances.reserve(yes_no.size() * factors.size());
  for (const double variance : yes_no) {
    for (const FigureFactor& of : factors) variances.push_back(of.variance(variance, users));
  }
  return variances;
}

std::vector<double> mean_figure_variances(const Coding& coding, const std::vector<double>& yes_no,
                                          double users) {
  FigureFactor mean{0, 0};
  const auto count = static_cast<double>(num_figures(coding));
  for (std::size_t i = 0; i < num_figures(coding); ++i) {
    const FigureFactor of = factor_of(coding, i);
    mean.factor += of.factor / count;
    mean.spread += of.spread / count;
  }
  std::vector<double> variances;
  for (const double variance : yes_no) variances.push_back(mean.variance(variance, users));
  return variances;
}

}  // namespace futurerand
