#include "futurerand/transport/tls_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

namespace futurerand {
namespace {

long control_socket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

struct FreeMethod {
  void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};

// The reason that OpenSSL noted last, or the system's.
std::string tls_reason(int error_number) {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code != 0) {
    const char* text = ERR_reason_error_string(code);
    if (text != nullptr) return text;
  }
  return error_number != 0 ? std::strerror(error_number) : "the server closed the connection";
}

Error lost_stream(const std::string& what, int error_number) {
  return {what + ": " + tls_reason(error_number), ErrorCode::kUnreachable};
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// The certificate must be one for this host. Names go to the server too, which may have several.
bool expect_host(SSL* stream, const std::string& host) {
  if (is_address(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream), host.c_str()) == 1;
  }
  SSL_set_hostflags(stream, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(stream, host.c_str()) == 1 &&
         SSL_ctrl(stream, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(host.c_str())) == 1;
}

}  // namespace

ssize_t receive_until(int socket, char* into, std::size_t most, Deadline deadline) {
  while (true) {
    if (deadline != Deadline::max()) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd ready{socket, POLLIN, 0};
      const auto wait = std::clamp<std::int64_t>(left.count(), 0, INT_MAX);
      const int found = poll(&ready, 1, static_cast<int>(wait));
      if (found < 0 && errno == EINTR) continue;
      if (found == 0) errno = ETIMEDOUT;
      if (found <= 0) return -1;
    }
    const ssize_t got = recv(socket, into, most, 0);
    if (got >= 0 || errno != EINTR) return got;
  }
}

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL, and a server that is gone would end the
// process.
int TlsStream::write_socket(BIO* bio, const char* bytes, int size) {
  const auto& source = *static_cast<const Source*>(BIO_get_data(bio));
  ssize_t sent = 0;
  do {
    sent = ::send(source.socket, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return static_cast<int>(sent);
}

int TlsStream::read_socket(BIO* bio, char* into, int size) {
  const auto& source = *static_cast<const Source*>(BIO_get_data(bio));
  return static_cast<int>(
      receive_until(source.socket, into, static_cast<std::size_t>(size), source.deadline));
}

const BIO_METHOD* TlsStream::quiet_socket() {
  static const std::unique_ptr<BIO_METHOD, FreeMethod> kMethod = [] {
    std::unique_ptr<BIO_METHOD, FreeMethod> method(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE"));
    BIO_meth_set_write(method.get(), write_socket);
    BIO_meth_set_read(method.get(), read_socket);
    BIO_meth_set_ctrl(method.get(), control_socket);
    BIO_meth_set_create(method.get(), [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    return method;
  }();
  return kMethod.get();
}

TlsStream::TlsStream(std::unique_ptr<ssl_st, Free> stream, std::unique_ptr<Source> source)
    : source_(std::move(source)), stream_(std::move(stream)) {}

Result<TlsTrust> TlsTrust::load(const std::string& ca_file) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) return Error{"TLS cannot be set up: " + tls_reason(0)};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1) {
      return Error{"the system's certificate authorities cannot be read: " + tls_reason(0)};
    }
  } else if (SSL_CTX_load_verify_locations(context.get(), ca_file.c_str(), nullptr) != 1) {
    return Error{"cannot read certificate authorities from '" + ca_file +
                 "'; expected certificates as PEM: " + tls_reason(0)};
  }
  return TlsTrust(std::move(context));
}

Result<TlsStream> TlsStream::open(const TlsTrust& trust, int socket, const std::string& host,
                                  Deadline deadline) {
  ERR_clear_error();
  TlsStream made(std::unique_ptr<SSL, Free>(SSL_new(trust.context_.get())),
                 std::make_unique<Source>(Source{socket, deadline}));
  SSL* stream = made.stream_.get();
  BIO* bio = BIO_new(quiet_socket());
  if (stream == nullptr || bio == nullptr || !expect_host(stream, host)) {
    BIO_free(bio);
    return Error{"TLS to " + host + " cannot be set up: " + tls_reason(0)};
  }
  BIO_set_data(bio, made.source_.get());
  SSL_set_bio(stream, bio, bio);  // which the stream frees
  errno = 0;
  if (SSL_connect(stream) == 1) return made;
  const int error_number = errno;
  const long verdict = SSL_get_verify_result(stream);
  if (verdict != X509_V_OK) {
    ERR_clear_error();
    return Error{
        "the certificate of " + host + " is refused: " + X509_verify_cert_error_string(verdict),
        ErrorCode::kUntrusted};
  }
  return lost_stream("no TLS with " + host, error_number);
}

void TlsStream::Free::operator()(ssl_st* stream) const { SSL_free(stream); }
TlsStream::~TlsStream() = default;
TlsStream::TlsStream(TlsStream&& other) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&& other) noexcept = default;

Status TlsStream::send(std::string_view bytes) {
  if (bytes.empty()) return {};
  ERR_clear_error();
  std::size_t sent = 0;
  errno = 0;
  // Without partial writes, which are off unless asked for, all of it is sent or nothing is known.
  if (SSL_write_ex(stream_.get(), bytes.data(), bytes.size(), &sent) == 1) return {};
  return lost_stream("cannot send", errno);
}

Result<std::size_t> TlsStream::receive(char* into, std::size_t most, Deadline deadline) {
  ERR_clear_error();
  source_->deadline = deadline;
  std::size_t got = 0;
  errno = 0;
  if (SSL_read_ex(stream_.get(), into, most, &got) == 1) return got;
  return lost_stream("no answer", errno);
}

}  // namespace futurerand
