#include "futurerand/collector/http/tls_identity.hpp"

#include <ctime>
#include <utility>

#include <boost/asio/ssl/context.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace futurerand {
namespace {

// Of TLS 1.2; all of TLS 1.3 are as good.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

std::string openssl_reason() {
  const unsigned long code = ERR_peek_error();
  ERR_clear_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text == nullptr ? "unknown reason" : text;
}

// Nobody is there to type one: a key with a password is an error, not a prompt.
int no_password(char*, int, int, void*) { return -1; }

std::int64_t end_of(const X509& certificate) {
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) return 0;
  return timegm(&end);
}

}  // namespace

Result<std::shared_ptr<TlsIdentity>> TlsIdentity::load(const TlsFiles& files) {
  std::shared_ptr<TlsIdentity> identity(new TlsIdentity(files));
  if (const Status read = identity->reload(); !read) return read.error();
  return identity;
}

Status TlsIdentity::reload() {
  ERR_clear_error();
  auto context = std::make_shared<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(
      native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Sessions are kept by clients, as tickets: untrusted clients cannot fill a cache here.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 1);
  // An idle connection holds no buffers.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(native, no_password);
  if (SSL_CTX_set_cipher_list(native, kCiphers) != 1) {
    return Error{"TLS cannot be set up: " + openssl_reason()};
  }
  if (SSL_CTX_use_certificate_chain_file(native, files_.certificate.c_str()) != 1) {
    return Error{"cannot read a certificate from '" + files_.certificate +
                 "'; expected a chain as PEM: " + openssl_reason()};
  }
  if (SSL_CTX_use_PrivateKey_file(native, files_.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(native) != 1) {
    return Error{
        "cannot use the key in '" + files_.key +
        "'; expected that of the certificate, as PEM without a password: " + openssl_reason()};
  }
  const std::int64_t expires = end_of(*SSL_CTX_get0_certificate(native));
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  expires_ = expires;
  return {};
}

std::shared_ptr<boost::asio::ssl::context> TlsIdentity::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

std::int64_t TlsIdentity::expires() const {
  const std::lock_guard lock(mutex_);
  return expires_;
}

}  // namespace futurerand
