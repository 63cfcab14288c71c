// Churn: the first and the last reported period of each simulated device. As with populations, a
// participation follows from the user's number alone, so every trial sees the same ones.
//
// Thread safety: const calls may run at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "futurerand/estimator/estimand.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/simulator/populations/population.hpp"
#include "futurerand/simulator/populations/workers.hpp"

namespace futurerand {

enum class Joining {
  kStart,      // all in period 1
  kStaggered,  // each in a period drawn uniformly
  kGrowth,     // a tenth in period 1, then so that their number grows by one factor a period
};
std::string_view name_of(Joining joining);

// The reports of dishonest devices, in place of their randomizer's. They hold 0.
enum class Attack {
  kPlus,     // all plus, in the drawn view
  kMinus,    // all minus, in the drawn view
  kView,     // one sign, in the view with the largest shift of the last period
  kChanges,  // the same, among views of changes
  kFlips,    // one sign up to the middle of the horizon and the other after it, in the view that
             // moves the middle the most
  kMass,     // as kView, but all of them enrol after the middle of the horizon, in one period
  kHidden,   // in the drawn view, signs that pass every test for honest noise (adversaries.hpp)
};
inline constexpr std::array kAttacks = {Attack::kPlus,    Attack::kMinus, Attack::kView,
                                        Attack::kChanges, Attack::kFlips, Attack::kMass,
                                        Attack::kHidden};
std::string_view name_of(Attack attack);

struct ChurnPattern {
  Joining joining = Joining::kStart;
  double dropout = 0;         // probability to leave after a period
  double dropout_factor = 1;  // times this after a period with value 1, or in the upper half
  // The share of silent devices at any time. Pauses take four periods on average, and devices catch
  // up afterwards. Late reports equal the reports in time. So in the end only pauses cut off by the
  // horizon are visible.
  double offline = 0;

  Attack attack = Attack::kPlus;
  double liars = 0;  // the share of dishonest devices; they take part to the end

  bool is_plain() const {
    return joining == Joining::kStart && dropout == 0 && offline == 0 && liars == 0;
  }
};

struct Participation {
  Period joined;
  Period last;  // reported; joined - 1 if it never reports
};

class Churn {
 public:
  // Values are in 0..full_scale.
  Churn(const ChurnPattern& pattern, Period num_periods, const SimulationKey& key,
        std::uint32_t full_scale = 1)
      : pattern_(pattern), num_periods_(num_periods), full_scale_(full_scale), key_(key) {}

  Participation of(std::uint64_t user, const Values& values) const;
  std::uint64_t num_liars(std::uint64_t num_users) const {
    return static_cast<std::uint64_t>(pattern_.liars * static_cast<double>(num_users));
  }
  bool is_liar(std::uint64_t user, std::uint64_t num_users) const {
    return user < num_liars(num_users);
  }
  Attack attack() const { return pattern_.attack; }

 private:
  ChurnPattern pattern_;
  Period num_periods_;
  std::uint32_t full_scale_;
  SimulationKey key_;
};

// Returns the number of counted devices with value 1 at the end of the horizon; element t-1 is
// period t. A number counts as its share of the range. Labels and buckets are as in true_counts.
// Active devices are those of each period. A late device is not inactive yet, and counts with the
// value of its last report.
std::vector<double> active_counts(const Population& population, const Churn& churn,
                                  Estimand estimand, Period inactive_after, const Workers& workers);

}  // namespace futurerand
