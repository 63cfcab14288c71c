#include "bindings/python/native/values.hpp"

#include "bindings/python/native/errors.hpp"

namespace futurerand::python {

std::vector<UserValues> users_of(const ValueMatrix& values) {
  if (values.ndim() != 2) {
    raise(FR_INVALID, "values: expected an array with one row a user and one column a period");
  }
  const auto rows = values.unchecked<2>();
  std::vector<UserValues> users;
  users.reserve(static_cast<std::size_t>(rows.shape(0)));
  for (pybind11::ssize_t row = 0; row < rows.shape(0); ++row) {
    UserValues user{std::to_string(row), {}};
    std::uint8_t held = 0;
    for (pybind11::ssize_t at = 0; at < rows.shape(1); ++at) {
      const std::uint8_t value = rows(row, at);
      if (value > 1)
        raise(FR_INVALID, "values: an element is neither 0 nor 1; expected one of them");
      if (value == held) continue;
      user.changes.push_back({static_cast<Period>(at + 1), value == 1});
      held = value;
    }
    users.push_back(std::move(user));
  }
  return users;
}

}  // namespace futurerand::python
