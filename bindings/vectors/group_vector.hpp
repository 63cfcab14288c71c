// GroupVector: one line of tests/data/group_vectors.jsonl: the metrics of a group, fixed entropy
// and values in, the draw and the exact lines out. The application opens and observes all of them.
//
//   {"metrics":[DOCUMENT,...],"entropy":HEX,"drawn":NAME,
//    "steps":[{"period":1,"values":{NAME:0,...},"lines":{NAME:[...],...}},...]}
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

// Returns a vector of three metrics without draw and lines, for other values with each seed.
nlohmann::ordered_json group_vector(std::uint64_t seed);

// Runs a device over the vector, and returns it with its draw and lines. With `restart` each client
// is opened anew for each step.
Result<nlohmann::ordered_json> replay_group(const nlohmann::ordered_json& vector,
                                            RandomSource& entropy, bool restart);

}  // namespace futurerand
