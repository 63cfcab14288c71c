// Delivery: one request on its way to the shards that it is for, and what has become of it so far.
#pragma once

#include <chrono>
#include <utility>

#include "futurerand/collector/cluster/gathered_answer.hpp"

namespace futurerand {

struct Delivery {
  Delivery(WhenWritten when, bool forwards_too, std::chrono::steady_clock::time_point until)
      : answer(1, std::move(when)), forwards(forwards_too), give_up_at(until) {}

  GatheredAnswer answer;
  const bool forwards;  // other collectors may have shards of it
  // Until then a part that meets a shard on its way waits for it.
  const std::chrono::steady_clock::time_point give_up_at;
};

}  // namespace futurerand
