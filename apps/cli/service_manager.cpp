#include "apps/cli/service_manager.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

constexpr int kFirstPassed = 3;  // SD_LISTEN_FDS_START

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace

void notify_manager(std::string_view state) {
  const std::string path = variable("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || (path[0] != '/' && path[0] != '@') ||
      path.size() >= sizeof address.sun_path) {
    return;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const int to = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (to < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  (void)sendto(to, state.data(), state.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), size);
  close(to);
}

std::optional<int> passed_socket() {
  if (variable("LISTEN_PID") != std::to_string(getpid())) return std::nullopt;
  const std::string count = variable("LISTEN_FDS");
  if (count != "1") {
    throw bad_input("LISTEN_FDS is '" + count + "'; expected one listening socket");
  }
  (void)fcntl(kFirstPassed, F_SETFD, FD_CLOEXEC);
  return kFirstPassed;
}

}  // namespace futurerand::apps
