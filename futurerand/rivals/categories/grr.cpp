// Generalized randomized response: the own value with chance E/(E+V-1), any other with 1/(E+V-1).
//
// once:      one answer with all of epsilon. Guarantee: the whole sequence, exactly epsilon.
// repeated:  an answer in every period with epsilon/d. Guarantee: the whole sequence. The loss is
//            exactly epsilon, between two devices without a common value.
// Source: Kairouz, Bonawitz, Ramage, ICML 2016; Wang, Blocki, Li, Jha, USENIX Security 2017.
#include "futurerand/rivals/categories/one_time.hpp"

namespace futurerand {
namespace {

class GrrOnce final : public OneTimeRival {
 public:
  explicit GrrOnce(const CategorySettings& settings)
      : OneTimeRival(settings),
        answer_(RandomizedAnswer::of_epsilon(settings.num_values, settings.epsilon)) {}

  std::string_view name() const override { return "grr_once"; }
  SupportRates rates() const override { return {answer_.keep, answer_.other()}; }
  double bits() const override { return std::log2(answer_.cells); }

 private:
  void answer(std::uint32_t value, UniformBits& bits,
              std::vector<std::uint32_t>& supported) const override {
    supported.push_back(answer_.draw(value, bits));
  }

  RandomizedAnswer answer_;
};

class GrrRepeated final : public CategoryRival {
 public:
  explicit GrrRepeated(const CategorySettings& settings)
      : settings_(settings),
        answer_(RandomizedAnswer::of_epsilon(settings.num_values,
                                             settings.epsilon / settings.num_periods)) {}

  std::string_view name() const override { return "grr_repeated"; }
  Guarantee guarantee() const override { return Guarantee::kWholeSequence; }
  SupportRates rates() const override { return {answer_.keep, answer_.other()}; }
  double bits() const override { return std::log2(answer_.cells); }
  SequenceLoss sequence_loss() const override {
    return {settings_.epsilon, "exact, over all pairs of sequences"};
  }
  void run(std::span<const std::uint32_t> values, UniformBits& bits,
           const CategorySink& sink) const override {
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      const std::uint32_t sent = answer_.draw(values[t - 1], bits);
      sink(t, {&sent, 1});
    }
  }

 private:
  CategorySettings settings_;
  RandomizedAnswer answer_;
};

}  // namespace

Result<std::unique_ptr<CategoryRival>> make_grr(const CategorySettings& settings) {
  if (const Status valid = check_category_settings(settings); !valid) return valid.error();
  return std::unique_ptr<CategoryRival>(std::make_unique<GrrOnce>(settings));
}

Result<std::unique_ptr<CategoryRival>> make_repeated_grr(const CategorySettings& settings) {
  if (const Status valid = check_category_settings(settings); !valid) return valid.error();
  return std::unique_ptr<CategoryRival>(std::make_unique<GrrRepeated>(settings));
}

}  // namespace futurerand
