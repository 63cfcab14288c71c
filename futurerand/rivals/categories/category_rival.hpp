// CategoryRival: a published protocol for one of V values a period, behind one interface. One file
// each: its source, its guarantee, its law, its exact loss.
//
// All of them have one estimator. A report *supports* some values. It supports the device's own
// value with chance `own`, and any other value with chance `other`. With C supporters among M
// reports of N devices, the count of a value is (N/M) (C - M other) / (own - other).
//
// Thread safety: immutable values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

struct CategorySettings {
  std::uint32_t num_values = 2;  // V, at least 2
  Period num_periods = 1;
  std::uint32_t max_changes = 0;  // after joining; the start is unknown
  double epsilon = 1;             // memoizing: of a permanent answer
  double first_epsilon = 0.5;     // memoizing: of the first report, below epsilon
};

struct SupportRates {
  double own;
  double other;
};

// Called once for each report, in the order of periods, with the supported values.
using CategorySink = std::function<void(Period, std::span<const std::uint32_t> supported)>;

class CategoryRival {
 public:
  virtual ~CategoryRival() = default;

  virtual std::string_view name() const = 0;
  virtual Guarantee guarantee() const = 0;
  virtual SupportRates rates() const = 0;
  // Returns the share of reporting devices in a period.
  virtual double reporting() const { return 1; }
  // Returns how many bits a report has.
  virtual double bits() const = 0;
  // Whether a report has more than its supported values: a hash.
  virtual bool sends_more() const { return false; }
  // Returns the loss over the whole sequence of reports.
  virtual SequenceLoss sequence_loss() const = 0;
  // Returns the authors' stated loss, or nothing if it is the same.
  virtual std::optional<double> stated_loss() const { return std::nullopt; }

  // Runs one device. Requires num_periods values below num_values.
  virtual void run(std::span<const std::uint32_t> values, UniformBits& bits,
                   const CategorySink& sink) const = 0;

  double estimate(double supporters, double reports, double devices) const {
    return devices / reports * (supporters - reports * rates().other) /
           (rates().own - rates().other);
  }
  // Returns the variance of the count of a value at one period, divided by the number of devices.
  // `share` is the value's share of the devices.
  double variance(double share) const {
    const SupportRates r = rates();
    const double gap = r.own - r.other;
    const double noise = share * r.own * (1 - r.own) + (1 - share) * r.other * (1 - r.other);
    return noise / (gap * gap) / reporting() + share * (1 - share) * (1 / reporting() - 1);
  }
};

// Each returns kInvalid for unsupported settings.
using CategoryFactory = Result<std::unique_ptr<CategoryRival>> (*)(const CategorySettings&);
// One answer with all of epsilon, at a period drawn uniformly.
Result<std::unique_ptr<CategoryRival>> make_grr(const CategorySettings& settings);
Result<std::unique_ptr<CategoryRival>> make_oue(const CategorySettings& settings);
Result<std::unique_ptr<CategoryRival>> make_subset_selection(const CategorySettings& settings);
// An answer in every period with epsilon / d.
Result<std::unique_ptr<CategoryRival>> make_repeated_grr(const CategorySettings& settings);
// Memoization.
Result<std::unique_ptr<CategoryRival>> make_l_grr(const CategorySettings& settings);
Result<std::unique_ptr<CategoryRival>> make_l_osue(const CategorySettings& settings);
Result<std::unique_ptr<CategoryRival>> make_loloha(const CategorySettings& settings);

struct NamedCategoryRival {
  std::string_view name;
  CategoryFactory make;
};
inline constexpr NamedCategoryRival kCategoryRivals[] = {
    {"grr_once", make_grr},
    {"oue_once", make_oue},
    {"subset_once", make_subset_selection},
    {"grr_repeated", make_repeated_grr},
    {"l_grr", make_l_grr},
    {"l_osue", make_l_osue},
    {"loloha", make_loloha},
};

// kInvalid unless there are 2 to 65,536 values, a period, and a positive epsilon.
Status check_category_settings(const CategorySettings& settings);
// The same, and 0 < first_epsilon < epsilon.
Status check_memoizing_settings(const CategorySettings& settings);

}  // namespace futurerand
