// Ctrl-C and SIGTERM: the first one asks long work to stop, so that it can tidy up; a second one
// ends the process at once.
#pragma once

#include <atomic>

namespace futurerand::apps {

// From here on signals raise the returned flag. Blocking calls return early (EINTR).
const std::atomic<bool>& catch_interrupts();

// Throws a Failure (status 130, as shells expect) once the flag is up.
void stop_if_interrupted();

// Waits until this descriptor has something to read, or its end. Throws as stop_if_interrupted()
// does, also if the signal comes just before the wait: a read alone would miss it and block.
void wait_readable(int fd);

}  // namespace futurerand::apps
