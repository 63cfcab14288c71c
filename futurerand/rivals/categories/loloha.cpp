// LOLOHA: L-GRR over the g cells of a hash. A device draws the hash once and sends it with its
// reports. g is the authors' best choice (OLOLOHA), 2 for small epsilon (BiLOLOHA). Guarantee: per
// value only. Two values in one cell lose nothing. For two values in different cells the loss is
// that of L-GRR over g cells. [APL23]
#include "futurerand/rivals/categories/memoizing.hpp"

namespace futurerand {
namespace {

std::uint32_t best_cells(double epsilon, double first) {
  const double a = std::exp(epsilon), b = std::exp(first);
  const double root = std::sqrt(a * a * a * a - 14 * a * a - 12 * a * a * b * b + 12 * a * b +
                                12 * a * a * a * b + 1);
  const double best = (root - a * a + 6 * a - 6 * b + 1) / (6 * (a - b));
  return best > 2 ? static_cast<std::uint32_t>(std::lround(best)) : 2;
}

class Loloha final : public MemoizingRival {
 public:
  explicit Loloha(const CategorySettings& settings)
      : MemoizingRival(settings),
        permanent_(RandomizedAnswer::of_epsilon(
            best_cells(settings.epsilon, settings.first_epsilon), settings.epsilon)),
        fresh_(fresh_round(permanent_, settings.first_epsilon)) {}

  std::string_view name() const override { return "loloha"; }
  SupportRates rates() const override {
    return {permanent_.keep * fresh_.keep + (1 - permanent_.keep) * fresh_.other(),
            1.0 / permanent_.cells};
  }
  double bits() const override { return std::log2(permanent_.cells); }
  bool sends_more() const override { return true; }
  SequenceLoss sequence_loss() const override {
    return loss_of({memoized_grr(permanent_.cells, permanent_.keep, permanent_.other(),
                                 std::log(fresh_.keep / fresh_.other()))});
  }
  std::optional<double> stated_loss() const override { return counted(permanent_.cells); }

  void run(std::span<const std::uint32_t> values, UniformBits& bits,
           const CategorySink& sink) const override {
    std::vector<std::uint32_t> hash(settings_.num_values);
    std::vector<std::vector<std::uint32_t>> values_of(permanent_.cells);
    for (std::uint32_t v = 0; v < hash.size(); ++v) {
      hash[v] = simulated_uniform(bits, permanent_.cells);
      values_of[hash[v]].push_back(v);
    }
    std::vector<std::optional<std::uint32_t>> memory(permanent_.cells);
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      const std::uint32_t cell = hash[values[t - 1]];
      if (!memory[cell]) memory[cell] = permanent_.draw(cell, bits);
      const std::uint32_t sent = fresh_.draw(*memory[cell], bits);
      sink(t, values_of[sent]);
    }
  }

 private:
  RandomizedAnswer permanent_, fresh_;
};

}  // namespace

Result<std::unique_ptr<CategoryRival>> make_loloha(const CategorySettings& settings) {
  if (const Status valid = check_memoizing_settings(settings); !valid) return valid.error();
  return std::unique_ptr<CategoryRival>(std::make_unique<Loloha>(settings));
}

}  // namespace futurerand
