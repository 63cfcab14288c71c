// A batch forwarded from one collector to another. It has the parsed messages, packed as in the
// log, or one line that is too long. The verdicts come back packed too.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/collector/writer/write_request.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

// Packs a batch part by part.
class BatchBytes {
 public:
  // Expects about this many messages.
  explicit BatchBytes(std::size_t messages = 0) {
    constexpr std::size_t kTypicalMessage = 24;
    messages_.reserve(messages * kTypicalMessage);
    lines_.reserve(messages);
  }
  void add(const BatchPart& part);
  // `period` is the metric's manual clock, as known by the sender.
  std::string bytes(std::uint32_t metric, Period period) const;

 private:
  std::string too_long_;
  std::string lines_;
  std::uint64_t num_lines_ = 0;
  std::uint32_t last_line_ = 0;
  std::string messages_;
};

struct ForwardedBatch {
  Batch batch;
  Period period = 0;
};
// Takes at most a few times the memory of the bytes.
Result<ForwardedBatch> parse_forwarded_batch(std::string_view bytes);

// The outcome of a forwarded batch: whether it was written, and the answer to its lines. Requires a
// possible verdict.
std::string to_bytes(const WriteAnswer& answer);
Result<WriteAnswer> parse_answer_bytes(std::string_view bytes);

}  // namespace futurerand
