#include "futurerand/simulator/populations/label_courses.hpp"

#include <algorithm>

#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/simulator/populations/change_times.hpp"

namespace futurerand {
namespace {

std::uint32_t num_values(const Coding& coding) {
  return coding.kind() == CodingKind::kCategory ? static_cast<std::uint32_t>(coding.labels().size())
                                                : coding.num_codes();
}

// Starts with a uniform code; next(code) returns another one after each change.
template <typename Next>
void draw_changes(PhiloxSource& source, const PopulationShape& shape, Values& values, Next&& next) {
  Flips times;
  draw_change_times(source, shape.max_changes, shape.num_periods - 1, times);
  std::uint32_t code = UniformBits(source).below(num_values(shape.coding));
  values.push_back({1, code});
  for (const Period time : times) {
    code = next(code);
    values.push_back({time + 1, code});
  }
}

}  // namespace

void draw_label_changes(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  UniformBits bits(source);
  const std::uint32_t count = num_values(shape.coding);
  draw_changes(source, shape, values, [&](std::uint32_t code) {
    const std::uint32_t other = bits.below(count - 1);
    return other < code ? other : other + 1;
  });
}

void draw_constant_label(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  values.push_back({1, UniformBits(source).below(num_values(shape.coding))});
}

void draw_small_moves(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  UniformBits bits(source);
  const std::uint32_t count = num_values(shape.coding), most = std::max(1U, count / 8);
  draw_changes(source, shape, values, [&](std::uint32_t code) {
    const std::uint32_t step = 1 + bits.below(most);
    const bool up = code + step < count && (code < step || bits.below(2) == 0);
    return up ? code + step : code - step;
  });
}

}  // namespace futurerand
