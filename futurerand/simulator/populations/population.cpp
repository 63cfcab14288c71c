#include "futurerand/simulator/populations/population.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/simulator/populations/change_times.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/populations/label_courses.hpp"
#include "futurerand/simulator/populations/number_courses.hpp"

namespace futurerand {
namespace {

// Every user makes exactly K changes (as many as there are periods, if those are fewer). If the
// start is unknown, it is a fair coin, and changes come after period 1.
void uniform(PhiloxSource& source, const PopulationShape& shape, Flips& flips) {
  if (shape.initial == Initial::kUnknown) {
    const bool starts_with_one = source.uniform() < 0.5;
    uniform(source, {shape.num_users, shape.num_periods - 1, shape.max_changes}, flips);
    for (Period& flip : flips) ++flip;
    if (starts_with_one) flips.insert(flips.begin(), 1);
    return;
  }
  draw_change_times(source, shape.max_changes, shape.num_periods, flips);
}

// Nine in ten adopt, once, at a logistic time: most around the middle of the horizon.
void adoption(PhiloxSource& source, const PopulationShape& shape, Flips& flips) {
  const double adopts = source.uniform();
  const double u = source.uniform();
  const double periods = shape.num_periods;
  const double time = periods * (0.5 + std::log((u + 0x1p-54) / (1 - u)) / 14);
  if (adopts >= 0.9 || time >= periods) return;
  const Period flip = 1 + static_cast<Period>(std::max(time, 0.0));
  flips.push_back(shape.max_changes > 0 ? flip : 1);
}

// Three in ten hold 1 throughout, the others 0.
void constant(PhiloxSource& source, const PopulationShape&, Flips& flips) {
  if (source.uniform() < 0.3) flips.push_back(1);
}

// Seasons have equal length; in each, three in five turn on around its start and off around its
// middle, so that the count rises and falls. There are half as many seasons as changes, at most
// four.
void seasonal(PhiloxSource& source, const PopulationShape& shape, Flips& flips) {
  if (shape.max_changes == 0) return constant(source, shape, flips);
  const Period seasons = std::clamp<Period>(shape.max_changes / 2, 1, 4);
  const double length = static_cast<double>(shape.num_periods) / seasons;
  for (Period season = 0; season < seasons; ++season) {
    const double joins = source.uniform();
    // Users turn on in the first 40% and off between 50% and 90%, so that flips of a user never
    // meet.
    const double on = length * (season + 0.2 * (source.uniform() + source.uniform()));
    const double off = length * (season + 0.5 + 0.2 * (source.uniform() + source.uniform()));
    if (joins >= 0.6) continue;
    const Period first = 1 + static_cast<Period>(on);
    const Period last = 1 + static_cast<Period>(off);
    if (!flips.empty() && flips.back() >= first) continue;
    flips.push_back(first);
    if (shape.max_changes > 1 && last > first && last <= shape.num_periods) flips.push_back(last);
    if (flips.size() % 2 == 1) return;  // stays on
  }
}

// Half hold 1 from the start; then everyone changes at random until the changes are used up.
void churn(PhiloxSource& source, const PopulationShape& shape, Flips& flips) {
  const double mean_gap = static_cast<double>(shape.num_periods) / (0.5 * shape.max_changes + 0.5);
  double time = 0;
  if (source.uniform() < 0.5) flips.push_back(1);
  while (num_changes(flips, shape.initial) < shape.max_changes) {
    time += 1 - mean_gap * std::log1p(-source.uniform());
    if (time >= shape.num_periods) return;
    flips.push_back(1 + static_cast<Period>(time));
  }
}

struct BuiltIn {
  std::string_view name;
  std::string_view meaning;
  // For yes/no, numbers, labels and buckets; null if it has none of these users.
  void (*draw)(PhiloxSource& source, const PopulationShape& shape, Flips& flips);
  DrawNumber draw_number = nullptr;
  DrawCode draw_label = nullptr;
  DrawCode draw_bucket = nullptr;

  // Null for yes/no: those users are drawn by their flips.
  DrawNumber draw_values(CodingKind kind) const {
    switch (kind) {
      case CodingKind::kNumber:
        return draw_number;
      case CodingKind::kCategory:
        return draw_label;
      case CodingKind::kDistribution:
        return draw_bucket;
      case CodingKind::kYesNo:
      case CodingKind::kText:
        return nullptr;
    }
    std::abort();
  }
  bool serves(CodingKind kind) const {
    return kind == CodingKind::kYesNo ? draw != nullptr : draw_values(kind) != nullptr;
  }
};

constexpr std::array kBuiltIn = {
    BuiltIn{"uniform",
            "everyone changes exactly K times, at periods drawn uniformly. Each new label is drawn "
            "uniformly from the others. Each new number is drawn uniformly, up to a total movement "
            "of K ranges",
            uniform, draw_jumps, draw_label_changes, draw_label_changes},
    BuiltIn{"adoption", "nine in ten turn on once and stay, most around the middle", adoption},
    BuiltIn{"seasonal", "three in five turn on and off in each of up to four seasons", seasonal},
    BuiltIn{"churn", "half hold 1 at the start. Then everyone changes at random, up to K times",
            churn},
    BuiltIn{"static",
            "three in ten hold 1 throughout, the others 0. Numbers and labels are drawn uniformly "
            "and never change",
            constant, draw_constant_number, draw_constant_label, draw_constant_label},
    BuiltIn{"drift",
            "numbers move a little in every period. Labels are those of uniform. Values of a "
            "distribution move K times, each time by at most an eighth of the range",
            nullptr, draw_drift, draw_label_changes, draw_small_moves},
    BuiltIn{"saturate", "numbers jump from one end of the range to the other", nullptr,
            draw_saturated},
    BuiltIn{"jitter", "numbers move back and forth in every period", nullptr, draw_jitter},
};

}  // namespace

Value value_of(const Coding& coding, std::uint32_t held) {
  if (coding.kind() == CodingKind::kCategory) return std::string_view(coding.labels()[held]);
  if (const auto* distribution = std::get_if<DistributionCoding>(&coding.settings())) {
    return (bucket_start(*distribution, held) + bucket_start(*distribution, held + 1)) / 2;
  }
  const auto* number = std::get_if<NumberCoding>(&coding.settings());
  if (number == nullptr) return held != 0;
  return number->low + (number->high - number->low) * held / Coding::kFullScale;
}

std::vector<std::string_view> population_names() {
  std::vector<std::string_view> names;
  for (const BuiltIn& population : kBuiltIn) names.push_back(population.name);
  return names;
}

std::string_view population_meaning(std::string_view name) {
  const auto* found = std::find_if(kBuiltIn.begin(), kBuiltIn.end(),
                                   [&](const BuiltIn& it) { return it.name == name; });
  return found == kBuiltIn.end() ? "" : found->meaning;
}

Result<Population> Population::named(std::string_view name, const PopulationShape& shape,
                                     const SimulationKey& key) {
  const CodingKind kind = shape.coding.kind();
  for (const BuiltIn& population : kBuiltIn) {
    if (population.name != name || !population.serves(kind)) continue;
    if (const DrawNumber draw = population.draw_values(kind)) {
      return Population(shape, {}, [draw, shape, key](std::uint64_t user, Values& values) {
        PhiloxSource source(key, Stream::kPopulation, 0, user);
        values.clear();
        draw(source, shape, values);
      });
    }
    return Population(shape,
                      [draw = population.draw, shape, key](std::uint64_t user, Flips& flips) {
                        PhiloxSource source(key, Stream::kPopulation, 0, user);
                        flips.clear();
                        draw(source, shape, flips);
                      });
  }
  std::string expected;
  for (const BuiltIn& population : kBuiltIn) {
    if (!population.serves(kind)) continue;
    expected += (expected.empty() ? "" : ", ") + std::string(population.name);
  }
  const bool is_known = !population_meaning(name).empty();
  return Error{
      "population '" + std::string(name) + "' " +
      (is_known ? "has no users with a value of kind " + std::string(name_of(kind))
                : std::string("is unknown")) +
      (expected.empty() ? "; expected another kind of value" : "; expected one of " + expected)};
}

Result<Population> Population::from_panel(const std::vector<UserValues>& panel,
                                          const PopulationShape& shape, const SimulationKey& key) {
  if (shape.num_users < panel.size()) {
    return Error{"users " + std::to_string(shape.num_users) + " is less than the " +
                 std::to_string(panel.size()) + " users of the values; expected at least as many"};
  }
  const auto drawn_user = [num_users = shape.num_users, size = panel.size(),
                           key](std::uint64_t user) {
    if (num_users <= size) return user;
    PhiloxSource source(key, Stream::kPopulation, 0, user);
    return std::uint64_t{UniformBits(source).below(static_cast<std::uint32_t>(size))};
  };
  if (shape.coding.kind() != CodingKind::kYesNo) {
    if (panel.empty()) return Error{"there are no values; expected a first one for every user"};
    auto courses = std::make_shared<std::vector<Values>>();
    for (const UserValues& user : panel) {
      courses->push_back(user.changes);
      courses->back().front().period = 1;
    }
    return Population(shape, {}, [courses, drawn_user](std::uint64_t user, Values& values) {
      values = (*courses)[drawn_user(user)];
    });
  }
  // Rows with the current value again are no flips.
  auto users = std::make_shared<std::vector<Flips>>();
  for (const UserValues& user : panel) {
    Flips flips;
    for (const ValueFrom& change : user.changes) {
      if (change.value == (flips.size() % 2 == 0)) flips.push_back(change.period);
    }
    users->push_back(std::move(flips));
  }
  return Population(shape, [users, drawn_user](std::uint64_t user, Flips& flips) {
    if (users->empty()) return flips.clear();
    flips = (*users)[drawn_user(user)];
  });
}

void Population::draw(std::uint64_t user, Values& values) const {
  if (draw_values_) return draw_values_(user, values);
  Flips flips;
  draw_(user, flips);
  values.clear();
  for (const ValueFrom change : FlippedValues(flips)) values.push_back(change);
}

}  // namespace futurerand
