// Handles exceptions, such as out of memory, on threads without a waiting caller.
//
// Thread safety: that of its arguments.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "futurerand/collector/log/event.hpp"

namespace futurerand {

// For repeated work without promises: an exception ends this turn, and the operator gets a message.
// Returns true without an exception.
template <typename Turn>
bool take_turn(const Say& say, const std::string& thread, const Turn& turn) {
  try {
    turn();
    return true;
  } catch (const std::exception& failure) {
    say(Event::kThreadFailed, thread + " failed and goes on: " + failure.what());
    return false;
  }
}

// For work with waiting requests. After an exception, its progress is unknown. `die` ends the
// process and must not return. Nothing of this work has been promised yet.
template <typename Work>
void work_or_die(const std::function<void(const std::string& line)>& die, const std::string& thread,
                 const Work& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    die(thread + " failed: " + failure.what());
  }
}

}  // namespace futurerand
