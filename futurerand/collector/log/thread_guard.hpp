// What becomes of an exception on a thread that nobody waits for, such as one that is out of
// memory.
//
// Thread safety: that of what it is given.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "futurerand/collector/log/event.hpp"

namespace futurerand {

// For work that is done again soon, and that has promised nothing: an exception ends this turn, and
// the operator is told. Returns whether there was none.
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

// For work that requests wait for: after an exception nobody knows how much of it was done. `die`
// ends the process, which has promised nothing of it, and must not return.
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
