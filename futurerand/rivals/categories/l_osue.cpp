// L-OSUE: a permanent vector of V bits for each value, the own bit 1 with chance 1/2, any other
// with 1/(e^epsilon + 1); in every period each bit is kept or flipped afresh. V bits a period.
// Guarantee: per value only; sequence_loss has the loss of the sequence. [ACX22]
#include "futurerand/rivals/categories/memoizing.hpp"

namespace futurerand {
namespace {

class LOsue final : public MemoizingRival {
 public:
  explicit LOsue(const CategorySettings& settings) : MemoizingRival(settings) {
    const double a = std::exp(settings.epsilon), b = std::exp(settings.first_epsilon);
    other_ = 1 / (a + 1);
    keep_ = (a * b - 1) / ((a - 1) * (b + 1));
  }

  std::string_view name() const override { return "l_osue"; }
  SupportRates rates() const override { return {sent(0.5), sent(other_)}; }
  double bits() const override { return settings_.num_values; }
  // Bits are independent of each other. Two of them distinguish the two values. The others show
  // only the periods with a common permanent vector.
  SequenceLoss sequence_loss() const override {
    const double ratio = std::log(keep_ / (1 - keep_));
    const auto bit = [&](double first, double second, double copies) {
      return MemoizedPart{{first, 1 - first, 0}, {second, 1 - second, 0}, 2, ratio, 1, copies};
    };
    return loss_of({bit(0.5, other_, 1), bit(other_, 0.5, 1),
                    bit(other_, other_, settings_.num_values - 2.0)});
  }
  std::optional<double> stated_loss() const override { return counted(settings_.num_values); }

  void run(std::span<const std::uint32_t> values, UniformBits& bits,
           const CategorySink& sink) const override {
    // Permanent vectors, 64 values a word; empty before the value is held.
    std::vector<std::vector<std::uint64_t>> memory(settings_.num_values);
    std::vector<std::uint32_t> supported;
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      const std::uint32_t value = values[t - 1];
      std::vector<std::uint64_t>& kept = memory[value];
      if (kept.empty()) {
        kept.resize((settings_.num_values + 63) / 64);
        for_each_set_bit(settings_.num_values, value, SupportRates{0.5, other_}, bits,
                         [&](std::uint32_t v) { kept[v / 64] |= std::uint64_t{1} << (v % 64); });
      }
      supported.clear();
      for (std::uint32_t w = 0; w < kept.size(); ++w) {
        const std::uint64_t lanes = lanes_of(settings_.num_values, w);
        const std::uint64_t sent =
            kept[w] ^ (lanes & ~bits.biased_word(threshold_of(keep_), lanes));
        for (std::uint64_t left = sent; left != 0; left &= left - 1) {
          supported.push_back(64 * w + static_cast<std::uint32_t>(std::countr_zero(left)));
        }
      }
      sink(t, supported);
    }
  }

 private:
  double sent(double one) const { return one * keep_ + (1 - one) * (1 - keep_); }

  double other_, keep_;
};

}  // namespace

Result<std::unique_ptr<CategoryRival>> make_l_osue(const CategorySettings& settings) {
  if (const Status valid = check_memoizing_settings(settings); !valid) return valid.error();
  return std::unique_ptr<CategoryRival>(std::make_unique<LOsue>(settings));
}

}  // namespace futurerand
