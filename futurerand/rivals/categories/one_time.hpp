// Shared parts of one-time protocols: one answer with all of epsilon, in a period drawn uniformly
// by the device. One answer has loss epsilon, and so has the whole sequence. In a period about one
// device in d reports, so the variance is d times that of one answer, and the reporting devices are
// a sample.
#pragma once

#include "futurerand/rivals/categories/category_rival.hpp"
#include "futurerand/rivals/categories/randomized_answer.hpp"

namespace futurerand {

class OneTimeRival : public CategoryRival {
 public:
  explicit OneTimeRival(const CategorySettings& settings) : settings_(settings) {}

  Guarantee guarantee() const final { return Guarantee::kWholeSequence; }
  double reporting() const final { return 1.0 / settings_.num_periods; }
  SequenceLoss sequence_loss() const final {
    return {settings_.epsilon, "exact, over all pairs of sequences"};
  }
  void run(std::span<const std::uint32_t> values, UniformBits& bits,
           const CategorySink& sink) const final {
    const Period period = 1 + simulated_uniform(bits, settings_.num_periods);
    std::vector<std::uint32_t> supported;
    answer(values[period - 1], bits, supported);
    sink(period, supported);
  }

 protected:
  // Writes the supported values of the answer into `supported`, empty on entry.
  virtual void answer(std::uint32_t value, UniformBits& bits,
                      std::vector<std::uint32_t>& supported) const = 0;

  CategorySettings settings_;
};

}  // namespace futurerand
