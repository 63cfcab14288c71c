// Limits on everything that untrusted clients can make grow: connections, headers, bodies, answers,
// streams, time.
#pragma once

#include <chrono>
#include <cstdint>

namespace futurerand {

struct Limits {
  std::uint32_t max_connections = 4096;
  std::uint32_t max_connections_of_address = 1024;  // a trusted proxy has as many as it likes
  std::uint32_t max_header_bytes = 16 << 10;
  std::uint64_t max_body_bytes = std::uint64_t{8} << 20;
  std::uint64_t max_bodies_bytes = std::uint64_t{256} << 20;   // received, of all requests
  std::uint64_t max_answers_bytes = std::uint64_t{256} << 20;  // being sent, of all large answers
  std::uint32_t max_streams = 256;                             // of events
  std::uint32_t max_streams_of_address = 64;
  std::chrono::milliseconds idle_timeout{60'000};  // between requests
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{30'000};
  // Limit for a body, or the reader of an answer, without progress.
  std::chrono::milliseconds stall_timeout{10'000};
  std::uint64_t min_body_bytes_per_second = 1024;  // on average, once stall_timeout has passed
  std::chrono::milliseconds stream_lifetime{3'600'000};
};

}  // namespace futurerand
