// The protocol of systemd and similar service managers: sd_notify(3) and sd_listen_fds(3). It is
// written by hand, because both are a few lines.
//
// Thread safety: all of it, before the environment is changed by others.
#pragma once

#include <optional>
#include <string_view>

namespace futurerand::apps {

// Sends a state such as "READY=1" to the socket of NOTIFY_SOCKET. Does nothing without one, and
// ignores failures.
void notify_manager(std::string_view state);

// The passed listening socket, of LISTEN_FDS and LISTEN_PID; none if there is none for this
// process. Throws Failure if there are several.
std::optional<int> passed_socket();

}  // namespace futurerand::apps
