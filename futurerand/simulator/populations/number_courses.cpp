#include "futurerand/simulator/populations/number_courses.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {
namespace {

constexpr std::int64_t kTop = Coding::kFullScale;

// A number with a limited total variation.
class Course {
 public:
  Course(const PopulationShape& shape, Values& values)
      : left_(shape.max_changes * kTop),
        starts_(shape.initial == Initial::kUnknown),
        values_(values) {}

  bool is_spent() const { return left_ == 0; }
  std::int64_t held() const { return held_; }

  // Goes towards a number in 0..kTop. With an unknown start the first is free.
  void go(Period period, std::int64_t to) {
    const std::int64_t wanted = std::abs(to - held_);
    const std::int64_t step = starts_ ? wanted : std::min(wanted, left_);
    if (!starts_) left_ -= step;
    starts_ = false;
    held_ += to > held_ ? step : -step;
    if (values_.empty() || step > 0) values_.push_back({period, static_cast<std::uint32_t>(held_)});
  }

 private:
  std::int64_t left_;
  std::int64_t held_ = 0;
  bool starts_;
  Values& values_;
};

std::int64_t uniform_number(PhiloxSource& source) {
  return static_cast<std::int64_t>(source.uniform() * static_cast<double>(kTop + 1));
}

double steps_of(const PopulationShape& shape) {
  return std::max<double>(1, shape.num_periods - (shape.initial == Initial::kUnknown ? 1 : 0));
}

}  // namespace

void draw_jumps(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  Course course(shape, values);
  course.go(1, uniform_number(source));
  // A jump covers a third of the range on average, so three for each change use up all of it.
  const double chance = 3.0 * shape.max_changes / steps_of(shape);
  for (Period t = 2; t <= shape.num_periods && !course.is_spent(); ++t) {
    if (source.uniform() < chance) course.go(t, uniform_number(source));
  }
}

void draw_drift(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  Course course(shape, values);
  course.go(1, shape.initial == Initial::kUnknown ? uniform_number(source) : 0);
  const double most = static_cast<double>(kTop) * shape.max_changes / steps_of(shape);
  double direction = source.uniform() < 0.5 ? 1 : -1;
  for (Period t = 2; t <= shape.num_periods; ++t) {
    if (source.uniform() < 0.05) direction = -direction;
    const auto step = static_cast<std::int64_t>(direction * most * source.uniform());
    if (course.held() + step < 0 || course.held() + step > kTop) direction = -direction;
    course.go(t, std::clamp(course.held() + step, std::int64_t{0}, kTop));
  }
}

void draw_saturated(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  Course course(shape, values);
  course.go(1, source.uniform() < 0.5 ? 0 : kTop);
  const double chance = 1.5 * shape.max_changes / steps_of(shape);
  for (Period t = 2; t <= shape.num_periods && !course.is_spent(); ++t) {
    if (source.uniform() < chance) course.go(t, kTop - course.held());
  }
}

void draw_jitter(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  Course course(shape, values);
  const auto width = static_cast<std::int64_t>(std::min(0.5, shape.max_changes / steps_of(shape)) *
                                               static_cast<double>(kTop));
  const std::int64_t low =
      shape.initial == Initial::kUnknown ? uniform_number(source) * (kTop - width) / kTop : 0;
  for (Period t = 1; t <= shape.num_periods; ++t) course.go(t, t % 2 == 0 ? low + width : low);
}

void draw_constant_number(PhiloxSource& source, const PopulationShape& shape, Values& values) {
  Course(shape, values).go(1, uniform_number(source));
}

}  // namespace futurerand
