#include "futurerand/core/law/law.hpp"

#include <cstdlib>
#include <string>

namespace futurerand {

std::uint32_t num_signs(const Law& law) {
  return std::visit([](const auto& shape) { return shape.num_signs; }, law);
}

bool may_be_zero(const Law& law) {
  const auto of_shape = [](const auto& shape) {
    if constexpr (requires { shape.may_be_zero(); }) {
      return shape.may_be_zero();
    } else {
      return shape.kMayBeZero;
    }
  };
  return std::visit(of_shape, law);
}

std::uint32_t nonzero_units(const Law& law) {
  const auto units = [](const auto& shape) {
    if constexpr (requires { shape.nonzero; }) {
      return shape.nonzero;
    } else {
      return SparseLaw::kUnits;
    }
  };
  return std::visit(units, law);
}

Status validate(const Law& law) {
  return std::visit(
      [](const auto& shape) -> Status {
        if (shape.num_signs < 1 || shape.num_signs > shape.kMaxSigns) {
          return Error{"a law of " + std::to_string(shape.num_signs) +
                       " signs is out of range; expected 1 to " + std::to_string(shape.kMaxSigns)};
        }
        return shape.validate();
      },
      law);
}

Fraction probability(const Law& law, std::uint32_t minus, std::uint32_t silent) {
  const auto of_shape = [=](const auto& shape) -> Fraction {
    if constexpr (requires { shape.probability(minus, silent); }) {
      return shape.probability(minus, silent);
    } else {
      std::abort();
    }
  };
  return std::visit(of_shape, law);
}

Result<LossRatio> loss_ratio(const Law& law) {
  return std::visit([](const auto& shape) -> Result<LossRatio> { return shape.loss_ratio(); }, law);
}

Fraction gap(const Law& law) {
  return std::visit([](const auto& shape) { return shape.gap(); }, law);
}

double mean_square(const Law& law, double changed_share) {
  return std::visit([=](const auto& shape) { return shape.mean_square(changed_share); }, law);
}

}  // namespace futurerand
