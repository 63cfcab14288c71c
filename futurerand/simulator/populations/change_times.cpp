#include "futurerand/simulator/populations/change_times.hpp"

#include <algorithm>

#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand {
namespace {

// Fresh draws replace duplicates.
void draw_distinct(PhiloxSource& source, std::size_t count, Period num_periods, Flips& times) {
  UniformBits bits(source);
  while (times.size() < count) {
    for (std::size_t missing = count - times.size(); missing > 0; --missing) {
      times.push_back(1 + bits.below(num_periods));
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
  }
}

}  // namespace

void draw_change_times(PhiloxSource& source, Period count, Period num_periods, Flips& times) {
  times.clear();
  count = std::min(count, num_periods);
  if (count <= num_periods / 2) return draw_distinct(source, count, num_periods, times);
  // Most periods are in, so the others are drawn.
  Flips left_out;
  draw_distinct(source, num_periods - count, num_periods, left_out);
  auto next = left_out.begin();
  for (Period t = 1; t <= num_periods; ++t) {
    if (next != left_out.end() && *next == t) {
      ++next;
    } else {
      times.push_back(t);
    }
  }
}

}  // namespace futurerand
