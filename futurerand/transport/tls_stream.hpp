// TLS for connections of devices, version 1.2 or higher. The server must show a certificate for the
// requested host from a trusted authority. This cannot be switched off.
//
// Thread safety: a trust by any threads, a stream by one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "futurerand/core/base/result.hpp"

struct bio_method_st;
struct bio_st;
struct ssl_ctx_st;
struct ssl_st;

namespace futurerand {

// The trusted authorities.
class TlsTrust {
 public:
  // The authorities of this PEM file only, or the system's if the path is empty.
  static Result<TlsTrust> load(const std::string& ca_file);

 private:
  friend class TlsStream;
  explicit TlsTrust(std::shared_ptr<ssl_ctx_st> context) : context_(std::move(context)) {}
  std::shared_ptr<ssl_ctx_st> context_;
};

using Deadline = std::chrono::steady_clock::time_point;

// recv(2) with a deadline, independent of the socket's own timeout; ETIMEDOUT after it. A timeout
// alone would restart with every byte.
ssize_t receive_until(int socket, char* into, std::size_t most, Deadline deadline);

class TlsStream {
 public:
  // Shakes hands over a connected socket, which stays the caller's and outlives the stream; its
  // timeouts hold. `host` is a name or an address. Fails with kUntrusted if the certificate is not
  // one for this host from a trusted authority, or is not valid now.
  static Result<TlsStream> open(const TlsTrust& trust, int socket, const std::string& host,
                                Deadline deadline);
  ~TlsStream();
  TlsStream(TlsStream&& other) noexcept;
  TlsStream& operator=(TlsStream&& other) noexcept;

  Status send(std::string_view bytes);
  // Reads at least one byte and at most this many; fails at the end.
  Result<std::size_t> receive(char* into, std::size_t most, Deadline deadline);

 private:
  struct Free {
    void operator()(ssl_st* stream) const;
  };
  // The stream's source, at an address that survives a move of the stream.
  struct Source {
    int socket;
    Deadline deadline;
  };
  TlsStream(std::unique_ptr<ssl_st, Free> stream, std::unique_ptr<Source> source);
  static int write_socket(bio_st* bio, const char* bytes, int size);
  static int read_socket(bio_st* bio, char* into, int size);
  static const bio_method_st* quiet_socket();

  std::unique_ptr<Source> source_;
  std::unique_ptr<ssl_st, Free> stream_;
};

}  // namespace futurerand
