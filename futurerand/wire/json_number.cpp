#include "futurerand/wire/json_number.hpp"

#include <nlohmann/json.hpp>

namespace futurerand {

std::string to_json_number(double number) { return nlohmann::json(number).dump(); }

}  // namespace futurerand
