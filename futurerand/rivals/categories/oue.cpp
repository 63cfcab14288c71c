// Optimized unary encoding: one bit for each value. The own bit is 1 with chance 1/2, any other
// with 1/(E+1), independently. Once, in a drawn period. Guarantee: the whole sequence, exactly
// epsilon. Source: Wang, Blocki, Li, Jha, USENIX Security 2017.
#include "futurerand/rivals/categories/one_time.hpp"

namespace futurerand {
namespace {

class OueOnce final : public OneTimeRival {
 public:
  using OneTimeRival::OneTimeRival;

  std::string_view name() const override { return "oue_once"; }
  SupportRates rates() const override { return {0.5, 1 / (std::exp(settings_.epsilon) + 1)}; }
  double bits() const override { return settings_.num_values; }

 private:
  void answer(std::uint32_t value, UniformBits& bits,
              std::vector<std::uint32_t>& supported) const override {
    for_each_set_bit(settings_.num_values, value, rates(), bits,
                     [&](std::uint32_t v) { supported.push_back(v); });
  }
};

}  // namespace

Result<std::unique_ptr<CategoryRival>> make_oue(const CategorySettings& settings) {
  if (const Status valid = check_category_settings(settings); !valid) return valid.error();
  return std::unique_ptr<CategoryRival>(std::make_unique<OueOnce>(settings));
}

}  // namespace futurerand
