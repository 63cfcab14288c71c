// L-GRR: a permanent GRR answer for each value, and a fresh GRR answer from it in every period.
// Guarantee: per value only; sequence_loss has the loss of the sequence. [ACX22]
#include "futurerand/rivals/categories/memoizing.hpp"

namespace futurerand {
namespace {

class LGrr final : public MemoizingRival {
 public:
  explicit LGrr(const CategorySettings& settings)
      : MemoizingRival(settings),
        permanent_(RandomizedAnswer::of_epsilon(settings.num_values, settings.epsilon)),
        fresh_(fresh_round(permanent_, settings.first_epsilon)) {}

  std::string_view name() const override { return "l_grr"; }
  SupportRates rates() const override {
    const auto supported = [&](double kept) {
      return kept * fresh_.keep + (1 - kept) * fresh_.other();
    };
    return {supported(permanent_.keep), supported(permanent_.other())};
  }
  double bits() const override { return std::log2(settings_.num_values); }
  SequenceLoss sequence_loss() const override {
    return loss_of({memoized_grr(settings_.num_values, permanent_.keep, permanent_.other(),
                                 std::log(fresh_.keep / fresh_.other()))});
  }
  std::optional<double> stated_loss() const override { return counted(settings_.num_values); }

  void run(std::span<const std::uint32_t> values, UniformBits& bits,
           const CategorySink& sink) const override {
    std::vector<std::optional<std::uint32_t>> memory(settings_.num_values);
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      auto& kept = memory[values[t - 1]];
      if (!kept) kept = permanent_.draw(values[t - 1], bits);
      const std::uint32_t sent = fresh_.draw(*kept, bits);
      sink(t, {&sent, 1});
    }
  }

 private:
  RandomizedAnswer permanent_, fresh_;
};

}  // namespace

Result<std::unique_ptr<CategoryRival>> make_l_grr(const CategorySettings& settings) {
  if (const Status valid = check_memoizing_settings(settings); !valid) return valid.error();
  return std::unique_ptr<CategoryRival>(std::make_unique<LGrr>(settings));
}

}  // namespace futurerand
