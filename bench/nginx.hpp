// nginx beside a benchmark: it answers every request with an empty object and does nothing else. It
// runs as a process of its own, and ends with this object.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace futurerand::bench {

class Nginx {
 public:
  static constexpr const char* kProgram = "/usr/sbin/nginx";
  static bool exists() { return access(kProgram, X_OK) == 0; }

  // Requires an installed nginx. `folder` is for its files.
  Nginx(const std::filesystem::path& folder, unsigned threads) : port_(free_port()) {
    std::filesystem::create_directories(folder);
    const std::string configuration = (folder / "nginx.conf").string();
    std::ofstream(configuration) << "daemon off; pid " << (folder / "nginx.pid").string()
                                 << "; error_log stderr; worker_processes " << threads
                                 << "; events { worker_connections 4096; }\n"
                                    "http { access_log off; keepalive_requests 1000000000; "
                                    "client_body_temp_path "
                                 << (folder / "body").string()
                                 << "; default_type application/json; server { listen 127.0.0.1:"
                                 << port_ << "; location / { return 200 \"{}\\n\"; } } }\n";
    process_ = fork();
    if (process_ == 0) {
      execl(kProgram, "nginx", "-c", configuration.c_str(), "-e", "stderr", nullptr);
      _exit(127);
    }
    for (int i = 0; i < 500 && !answers(); ++i) usleep(10'000);
    if (!answers()) {
      std::fprintf(stderr, "nginx does not answer; expected it on port %u\n", port_);
      std::exit(1);
    }
  }
  ~Nginx() {
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static std::uint16_t free_port() {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    if (bind(made, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(made, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      std::perror("bind");
      std::exit(1);
    }
    close(made);
    return ntohs(address.sin_port);
  }
  bool answers() const {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(port_);
    const bool connected =
        connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(made);
    return connected;
  }

  std::uint16_t port_;
  pid_t process_ = 0;
};

}  // namespace futurerand::bench
