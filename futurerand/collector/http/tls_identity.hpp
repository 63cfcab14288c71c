// TlsIdentity: a server's certificate chain and key, read from files and read again on demand. New
// connections use the current ones. TLS 1.2 and 1.3, ciphers with forward secrecy only.
//
// Thread safety: all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "futurerand/core/base/result.hpp"

namespace boost::asio::ssl {
class context;
}

namespace futurerand {

struct TlsFiles {
  std::string certificate;  // PEM: the server's certificate first, then the chain to an authority
  std::string key;          // PEM, without a password
};

class TlsIdentity {
 public:
  static Result<std::shared_ptr<TlsIdentity>> load(const TlsFiles& files);

  // Reads the files again. If they are wrong, the earlier ones stay.
  Status reload();
  std::shared_ptr<boost::asio::ssl::context> context() const;
  // When the certificate is no longer valid, in seconds since 1970.
  std::int64_t expires() const;

 private:
  explicit TlsIdentity(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::int64_t expires_ = 0;
};

}  // namespace futurerand
