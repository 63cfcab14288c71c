#include "futurerand/transport/http_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "futurerand/transport/proxy.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kMaxHeaderBytes = 64 << 10;

bool same_letter(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return lower(a) == lower(b);
}

// The value of a header in the head of a reply.
std::optional<std::string_view> header(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (!std::equal(name.begin(), name.end(), line.begin(), same_letter)) continue;
    line.remove_prefix(name.size() + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    return line;
  }
  return std::nullopt;
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The first byte of an alert record (RFC 8446, 5.1).
constexpr char kTlsAlert = 21;

Error not_http(const char* what) { return {what, ErrorCode::kUntrusted}; }

Error lost(const std::string& what) {
  return {what + ": " + std::strerror(errno), ErrorCode::kUnreachable};
}

}  // namespace

Result<ServerAddress> ServerAddress::parse(std::string_view url) {
  const Error wrong{std::string(url) +
                    " is not a server; expected http://HOST:PORT or https://HOST:PORT"};
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kSecure = "https://";
  ServerAddress server;
  server.tls = url.starts_with(kSecure);
  if (!server.tls && !url.starts_with(kPlain)) return wrong;
  if (server.tls) server.port = 443;
  url.remove_prefix(server.tls ? kSecure.size() : kPlain.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  const std::size_t colon = url.rfind(':');
  const bool has_port = colon != url.npos && url.find(']', colon) == url.npos;
  if (has_port) {
    const auto port = number<std::uint16_t>(url.substr(colon + 1));
    if (!port || *port == 0) return wrong;
    server.port = *port;
    url = url.substr(0, colon);
  }
  if (url.starts_with('[') && url.ends_with(']')) url = url.substr(1, url.size() - 2);
  if (url.empty() || url.find_first_of("/@ ?#") != url.npos) return wrong;
  server.host = url;
  if (server.tls) server.proxy = proxy_from_environment(server.host);
  return server;
}

void HttpConnection::close() {
  tls_.reset();
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  received_.clear();
}

Status HttpConnection::open() {
  if (!server_.tls || server_.proxy.empty()) {
    if (const Status made = connect_to(server_.host, server_.port); !made) return made;
    return server_.tls ? secure() : Status();
  }
  const Result<ProxyAddress> proxy = ProxyAddress::parse(server_.proxy);
  if (!proxy) return proxy.error();
  if (const Status made = connect_to(proxy->host, proxy->port); !made) return made;
  if (const Status made = tunnel(proxy->authorization); !made) return made;
  return secure();
}

Status HttpConnection::tunnel(const std::string& authorization) {
  const bool v6 = server_.host.find(':') != std::string::npos;
  const std::string target =
      (v6 ? "[" + server_.host + "]" : server_.host) + ":" + std::to_string(server_.port);
  std::string request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
  if (!authorization.empty()) request += "Proxy-Authorization: Basic " + authorization + "\r\n";
  if (const Status sent = send(request + "\r\n"); !sent) return sent;
  const Deadline deadline = std::chrono::steady_clock::now() + timeout_;
  while (received_.find("\r\n\r\n") == std::string::npos) {
    if (received_.size() > kMaxHeaderBytes) return not_http("the proxy's headers do not end");
    if (const Status got = receive(deadline); !got) return got.error();
  }
  const auto status = number<int>(
      std::string_view(received_).substr(std::min<std::size_t>(9, received_.size()), 3));
  const bool whole = received_.find("\r\n\r\n") + 4 == received_.size();
  received_.clear();
  if (!status || *status < 100) return not_http("the proxy does not speak HTTP");
  if (*status == 407) {
    return Error{"the proxy wants a name and a password (407)", ErrorCode::kUnauthorized};
  }
  if (*status != 200 || !whole) {
    return Error{"the proxy made no connection to " + target + " (" + std::to_string(*status) + ")",
                 ErrorCode::kUnreachable};
  }
  return {};
}

Status HttpConnection::connect_to(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0)
    return Error{"cannot find " + host + ": " + gai_strerror(failed), ErrorCode::kUnreachable};
  Error last{"no address", ErrorCode::kUnreachable};
  for (const addrinfo* at = found; at != nullptr && socket_ < 0; at = at->ai_next) {
    const int made = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (made < 0) {
      last = lost("socket");
      continue;
    }
    timeval limit{};
    limit.tv_sec = timeout_.count() / 1000;
    limit.tv_usec = timeout_.count() % 1000 * 1000;
    setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    const int on = 1;
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(made, at->ai_addr, at->ai_addrlen) == 0) {
      socket_ = made;
    } else {
      last = lost("cannot connect to " + host + ":" + std::to_string(port));
      ::close(made);
    }
  }
  freeaddrinfo(found);
  return socket_ < 0 ? Status(last) : Status();
}

Status HttpConnection::secure() {
  if (!trust_) {
    Result<TlsTrust> trust = TlsTrust::load(server_.ca_file);
    if (!trust) return trust.error();
    trust_ = *std::move(trust);
  }
  Result<TlsStream> stream =
      TlsStream::open(*trust_, socket_, server_.host, std::chrono::steady_clock::now() + timeout_);
  if (!stream) return stream.error();
  tls_ = *std::move(stream);
  return {};
}

Status HttpConnection::send(std::string_view bytes) {
  if (tls_) return tls_->send(bytes);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return lost("cannot send");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Status HttpConnection::receive(Deadline deadline) {
  constexpr std::size_t kStep = 64 << 10;
  const std::size_t have = received_.size();
  received_.resize(have + kStep);
  if (tls_) {
    const Result<std::size_t> read = tls_->receive(received_.data() + have, kStep, deadline);
    received_.resize(have + (read ? *read : 0));
    return read ? Status() : Status(read.error());
  }
  const ssize_t got = receive_until(socket_, received_.data() + have, kStep, deadline);
  received_.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got > 0) return {};
  if (got < 0 && errno != ECONNRESET) return lost("no answer");
  // A server that expects TLS does so too, perhaps after an alert.
  const bool expects_tls = received_.empty() || received_.front() == kTlsAlert;
  return Error{"the server closed the connection" +
                   (expects_tls ? "; if it expects TLS, use https://" + server_.host + ":" +
                                      std::to_string(server_.port)
                                : ""),
               ErrorCode::kUnreachable};
}

Result<HttpReply> HttpConnection::read_reply(const ReplyLimits& limits) {
  const Deadline deadline =
      limits.within ? std::chrono::steady_clock::now() + *limits.within : Deadline::max();
  std::size_t head_end = 0;
  while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (received_.size() > kMaxHeaderBytes) return not_http("the answer's headers do not end");
    if (const Status got = receive(deadline); !got) return got.error();
  }
  const std::string head = received_.substr(0, head_end + 2);
  HttpReply reply;
  const auto status =
      number<int>(std::string_view(head).substr(std::min<std::size_t>(9, head.size()), 3));
  const auto length = number<std::size_t>(header(head, "Content-Length").value_or("0"));
  if (!head.starts_with("HTTP/1.") || !status || !length) return not_http("the answer is not HTTP");
  if (*length > limits.bytes) {
    return Error{"the answer has " + std::to_string(*length) + " bytes; expected at most " +
                     std::to_string(limits.bytes),
                 ErrorCode::kUntrusted};
  }
  reply.status = *status;
  reply.retry_after_seconds = number<int>(header(head, "Retry-After").value_or("0")).value_or(0);
  const std::size_t end = head_end + 4 + *length;
  while (received_.size() < end) {
    if (const Status got = receive(deadline); !got) return got.error();
  }
  reply.body = received_.substr(head_end + 4, *length);
  received_.erase(0, end);
  if (header(head, "Connection").value_or("") == "close") close();
  return reply;
}

Result<HttpReply> HttpConnection::exchange(std::string_view method, std::string_view path,
                                           std::string_view body, const Headers& headers,
                                           const ReplyLimits& limits) {
  if (socket_ < 0) {
    if (const Status opened = open(); !opened) {
      close();
      return opened.error();
    }
  }
  std::string request(method);
  request += ' ';
  request += path;
  request += " HTTP/1.1\r\nHost: " + server_.host +
             "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  if (!server_.token.empty()) request += "Authorization: Bearer " + server_.token + "\r\n";
  for (const auto& [name, value] : headers) request += name + ": " + value + "\r\n";
  request += "\r\n";
  request += body;
  if (const Status sent = send(request); !sent) {
    close();
    return sent.error();
  }
  Result<HttpReply> reply = read_reply(limits);
  if (!reply) close();
  return reply;
}

}  // namespace futurerand
