// Population: the values of each simulated user over time. A user is a list of values, or, for
// yes/no, of flip periods (it holds 0 before the first). It is computed from its number on demand.
// Nothing is stored per user, and every trial and protocol sees the same people.
//
// Thread safety: const calls may run at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/coding/coding.hpp"
#include "futurerand/core/plan/initial.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/simulator/populations/values_file.hpp"

namespace futurerand {

// The periods of the flips, rising strictly, in 1..num_periods.
using Flips = std::vector<Period>;

// A user's values, by rising periods: 0 and 1, numbers in 0..Coding::kFullScale, or codes of labels
// and buckets. Users of all but yes/no have a first value in period 1.
using Values = std::vector<ValueFrom>;

struct PopulationShape {
  std::uint64_t num_users;
  Period num_periods;
  std::uint32_t max_changes;
  // With an unknown start, holding 1 from period 1 on is no change.
  Initial initial = Initial::kZero;
  Coding coding = {};
};

class Population {
 public:
  // Makes a built-in one (population_names()). Every user makes at most max_changes changes, and a
  // number moves by at most max_changes ranges. There is none for texts.
  static Result<Population> named(std::string_view name, const PopulationShape& shape,
                                  const SimulationKey& key);
  // Makes the users of a panel; more users than it has are drawn from it with replacement. Users
  // may make more than max_changes changes. Unless it is yes/no, the first value is held since
  // period 1. Fails if num_users is less than the panel's, and for all but yes/no if the panel is
  // empty.
  static Result<Population> from_panel(const std::vector<UserValues>& panel,
                                       const PopulationShape& shape, const SimulationKey& key);

  std::uint64_t num_users() const { return shape_.num_users; }
  Period num_periods() const { return shape_.num_periods; }
  const Coding& coding() const { return shape_.coding; }

  // Replaces flips by those of this user. Requires user < num_users(), and yes/no.
  void draw(std::uint64_t user, Flips& flips) const { draw_(user, flips); }
  // Replaces values by those of this user. Requires user < num_users().
  void draw(std::uint64_t user, Values& values) const;

 private:
  using Draw = std::function<void(std::uint64_t user, Flips& flips)>;
  using DrawValues = std::function<void(std::uint64_t user, Values& values)>;
  Population(const PopulationShape& shape, Draw draw, DrawValues draw_values = {})
      : shape_(shape), draw_(std::move(draw)), draw_values_(std::move(draw_values)) {}

  PopulationShape shape_;
  Draw draw_;
  DrawValues draw_values_;  // none for yes/no
};

// Returns the application's observation for a simulated value; for a bucket its middle. A label is
// borrowed from the coding. Not for texts.
Value value_of(const Coding& coding, std::uint32_t held);

// The names known to Population::named, in the order of their listing.
std::vector<std::string_view> population_names();
// Describes the users of a built-in population, in one line. Requires one of these names.
std::string_view population_meaning(std::string_view name);

}  // namespace futurerand
