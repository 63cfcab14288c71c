// TLS for connections of devices, version 1.2 or higher. The server must show a certificate for the
// host that was asked for, from an authority that is trusted: there is no way to switch that off.
//
// Thread safety: a trust by any threads, a stream by one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace futurerand {

// Whose certificates are believed.
class TlsTrust {
 public:
  // The authorities of this PEM file and no others; of the system if the path is empty.
  static Result<TlsTrust> load(const std::string& ca_file);

 private:
  friend class TlsStream;
  explicit TlsTrust(std::shared_ptr<ssl_ctx_st> context) : context_(std::move(context)) {}
  std::shared_ptr<ssl_ctx_st> context_;
};

class TlsStream {
 public:
  // Shakes hands over a connected socket, which stays the caller's and outlives the stream; its
  // timeouts hold. `host` is a name or an address. Fails with kRefused if the certificate is not
  // one for this host from a trusted authority, or is not valid now.
  static Result<TlsStream> open(const TlsTrust& trust, int socket, const std::string& host);
  ~TlsStream();
  TlsStream(TlsStream&& other) noexcept;
  TlsStream& operator=(TlsStream&& other) noexcept;

  Status send(std::string_view bytes);
  // At least one byte and at most so many; an error at the end.
  Result<std::size_t> receive(char* into, std::size_t most);

 private:
  struct Free {
    void operator()(ssl_st* stream) const;
  };
  explicit TlsStream(std::unique_ptr<ssl_st, Free> stream) : stream_(std::move(stream)) {}
  std::unique_ptr<ssl_st, Free> stream_;
};

}  // namespace futurerand
