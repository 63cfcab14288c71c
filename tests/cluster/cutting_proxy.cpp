#include "tests/cluster/cutting_proxy.hpp"

#include <array>
#include <cstdlib>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace futurerand {
namespace {

constexpr int kTickMs = 50;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int tcp_socket() {
  const int opened = socket(AF_INET, SOCK_STREAM, 0);
  if (opened < 0) std::abort();
  return opened;
}

// The received bytes; empty at the end of the stream.
std::vector<char> receive(int from) {
  std::array<char, 65536> bytes;
  const ssize_t got = recv(from, bytes.data(), bytes.size(), 0);
  return {bytes.data(), bytes.data() + (got > 0 ? got : 0)};
}

bool send_all(int to, const std::vector<char>& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t step = send(to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (step <= 0) return false;
    sent += static_cast<std::size_t>(step);
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(std::uint16_t server) : server_(server), listening_(tcp_socket()) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listening_, 16) != 0 ||
      getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  serving_ = std::thread([this] { serve(); });
}

CuttingProxy::~CuttingProxy() {
  stopping_ = true;
  serving_.join();
  close(listening_);
}

void CuttingProxy::serve() {
  std::vector<std::thread> relays;
  while (!stopping_) {
    pollfd waiting{listening_, POLLIN, 0};
    if (poll(&waiting, 1, kTickMs) <= 0) continue;
    const int client = accept(listening_, nullptr, nullptr);
    if (client >= 0) relays.emplace_back([this, client] { relay(client); });
  }
  for (std::thread& one : relays) one.join();
}

void CuttingProxy::relay(int client) {
  const int server = tcp_socket();
  const sockaddr_in address = loopback(server_);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  while (open && !stopping_) {
    std::array<pollfd, 2> waiting{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (poll(waiting.data(), waiting.size(), kTickMs) <= 0) continue;
    if (waiting[0].revents != 0) {
      const std::vector<char> request = receive(client);
      Cut before_request = Cut::kBeforeRequest;
      if (request.empty() || cut_.compare_exchange_strong(before_request, Cut::kNever)) break;
      open = send_all(server, request);
      Cut after_request = Cut::kAfterRequest;
      if (cut_.compare_exchange_strong(after_request, Cut::kNever)) break;
    }
    if (waiting[1].revents != 0) {
      const std::vector<char> reply = receive(server);
      Cut before_reply = Cut::kBeforeReply;
      if (reply.empty() || cut_.compare_exchange_strong(before_reply, Cut::kNever)) break;
      open = open && send_all(client, reply);
    }
  }
  close(client);
  close(server);
}

}  // namespace futurerand
