#include "futurerand/rivals/categories/category_rival.hpp"

namespace futurerand {

Status check_category_settings(const CategorySettings& settings) {
  if (settings.num_values < 2 || settings.num_values > 65'536) {
    return Error{std::to_string(settings.num_values) + " values; expected 2 to 65536"};
  }
  if (settings.num_periods < 1) return Error{"no periods; expected at least 1"};
  if (!(settings.epsilon > 0 && settings.epsilon <= 16)) {
    return Error{"epsilon is out of range; expected more than 0 and at most 16"};
  }
  return {};
}

Status check_memoizing_settings(const CategorySettings& settings) {
  if (const Status valid = check_category_settings(settings); !valid) return valid;
  if (settings.first_epsilon > 0 && settings.first_epsilon < settings.epsilon) return {};
  return Error{
      "the epsilon of the first report is out of range; expected more than 0 and less than "
      "that of the permanent answer"};
}

}  // namespace futurerand
