// Answers a call from a thread without a waiting caller: an exception there becomes an answer of
// 500 and a line for the operator, and does not end the process.
//
// Thread safety: that of its arguments.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/log/event.hpp"

namespace futurerand {

// `work` is called with a Respond that answers at most once.
template <typename Work>
void answer_or_fail(const Respond& respond, const Say& say, const Work& work) {
  const auto answered = std::make_shared<std::atomic<bool>>(false);
  const Respond once = [answered, respond](ApiResponse response) {
    if (!answered->exchange(true)) respond(std::move(response));
  };
  try {
    work(once);
  } catch (const std::exception& failure) {
    say(Event::kCallFailed, std::string("a call failed: ") + failure.what());
    once(error_response(500, "internal", "the collector could not answer this; its log says why"));
  }
}

}  // namespace futurerand
