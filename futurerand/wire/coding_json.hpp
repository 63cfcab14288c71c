// The JSON form of a coding: the object "value" of a plan and of a request for a metric. One coding
// has one form. A yes/no plan has no such object.
//
//   {"kind":"number","low":0,"high":100,"unit":"ms","ignore_moves_below":2}
//   {"kind":"category","labels":["firefox","chromium"],"other":"other"}
//   {"kind":"distribution","low":0,"high":100,"unit":"ms","buckets":32}
//   {"kind":"text","hash_bits":16}
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "futurerand/core/coding/coding.hpp"
#include "futurerand/wire/json_object.hpp"

namespace futurerand {

std::string to_json(const Coding& coding);

// `where` starts every error.
Result<Coding> read_coding(const nlohmann::json& json, const std::string& where);

// Reads the key "value"; yes/no if there is none. Fails the object if it is no coding.
Coding read_value_key(JsonObject& object);

}  // namespace futurerand
