// CommitBatch: the changes of several requests to the state, as one commit of the log. Requests are
// applied at once, because a report must see the enrolment before it. They are encoded, and
// reverted together if the log has no room.
//
// Thread safety: that of the state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "futurerand/collector/writer/state.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

// The well-formed lines of one request, with their numbers.
struct Batch {
  std::uint32_t metric = 0;
  std::vector<Message> messages;
  std::vector<std::uint32_t> lines;
  std::uint64_t malformed = 0;  // malformed lines, to be counted as rejected
  // Lines over the length limit, with their clients, so that each sender gets an error.
  std::vector<std::pair<std::uint32_t, ClientId>> too_long = {};
  // If not empty, the order of application: a permutation of the places in `messages`.
  std::vector<std::uint32_t> order = {};

  const Message& message(std::size_t at) const { return messages[place(at)]; }
  std::uint32_t line(std::size_t at) const { return lines[place(at)]; }
  std::size_t place(std::size_t at) const { return order.empty() ? at : order[at]; }
};

// A run of a batch's messages. Several writers may share a batch, each with its own part. Such a
// batch has no over-long lines.
struct BatchPart {
  std::shared_ptr<const Batch> batch = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};
inline BatchPart whole(Batch batch) {
  const std::size_t size = batch.messages.size();
  return {std::make_shared<const Batch>(std::move(batch)), 0, size};
}

// The error for an over-long line.
inline constexpr std::string_view kTooLongLine =
    "the line has more than 65536 bytes; expected a long run as several lines";

// Says whether any of these messages enrols a device.
bool enrols(const Batch& batch, std::size_t begin, std::size_t end);
// Merges the answers of two parts of a batch.
void merge(ReportAnswer& answer, ReportAnswer more);

class CommitBatch {
 public:
  // Both arguments outlive the batch. `now` decides which periods are over. The state is one of
  // `shards` shards. Each shard accepts its share of a metric's devices.
  CommitBatch(State& state, Instant now, std::uint32_t shards = 1)
      : state_(state), now_(now), shards_(shards) {}

  // A hint of the number of messages to come.
  void reserve(std::size_t messages);
  // Hints that add() of the same messages comes soon, and a hint to give even earlier.
  void prefetch(const Batch& batch, std::size_t begin, std::size_t end) const;
  void prefetch_early(const Batch& batch, std::size_t begin, std::size_t end) const;
  // Requires an existing metric. The batch must outlive this object, or live until revert().
  // Applies the messages in [begin, end). Answers the over-long lines before and among them, and
  // with the last message also the lines after it.
  ReportAnswer add(const Batch& batch, std::size_t begin, std::size_t end);
  // Requires a new name.
  void create(NewMetric metric);
  // Records the end of a metric. Its clients may be dropped once the record is durable.
  void close(std::uint32_t metric, Period period);
  // Moves a manual clock by one period. Requires an open metric.
  void advance(std::uint32_t metric);

  // Returns the bytes for the log. They are empty if nothing changed.
  const std::string& bytes() const { return bytes_; }
  // The changed metrics, by number.
  const std::vector<bool>& touched() const { return touched_; }
  void revert();

 private:
  struct Applied {
    const Batch* batch;  // null: a creation or an advance
    std::uint32_t at;    // of a message; of an advance its metric; of a creation kCreation
    Verdict verdict;
  };
  static constexpr std::uint32_t kCreation = UINT32_MAX;

  void touch(std::uint32_t metric);

  State& state_;
  Instant now_;
  std::uint32_t shards_;
  std::string bytes_;
  std::string messages_;  // of the batch at hand
  std::vector<Applied> applied_;
  std::vector<Forgotten> forgotten_;  // removed by the applied messages
  std::vector<bool> touched_;
};

}  // namespace futurerand
