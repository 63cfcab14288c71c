// system_machine_identity(): machine-id(5).
#include <algorithm>
#include <array>

#include <fcntl.h>
#include <unistd.h>

#include "futurerand/client/machine_binding.hpp"

namespace futurerand {

std::string system_machine_identity() {
  constexpr std::size_t kDigits = 32;
  const int fd = ::open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, kDigits> text{};
  const ssize_t got = ::read(fd, text.data(), text.size());
  ::close(fd);
  // While a system boots for the first time, the file may be empty or say "uninitialized".
  const bool is_hex =
      got == static_cast<ssize_t>(kDigits) && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      });
  return is_hex ? std::string(text.data(), text.size()) : std::string();
}

}  // namespace futurerand
