// CommitBatch: what several requests add to the state, as one unit of the log. Requests are applied
// at once (a report must see the enrolment before it), encoded, and taken back together if the log
// has no room.
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

// These are the lines of one request that are well-formed, with their numbers.
struct Batch {
  std::uint32_t metric = 0;
  std::vector<Message> messages;
  std::vector<std::uint32_t> lines;
  std::uint64_t malformed = 0;  // lines that are not among them, to be counted as rejected
  // These lines are too long; they are kept with their client: who sent them is told what is
  // expected.
  std::vector<std::pair<std::uint32_t, ClientId>> too_long = {};
  // If it is not empty, this is the order in which they are taken: a permutation of their places.
  std::vector<std::uint32_t> order = {};

  const Message& message(std::size_t at) const { return messages[place(at)]; }
  std::uint32_t line(std::size_t at) const { return lines[place(at)]; }
  std::size_t place(std::size_t at) const { return order.empty() ? at : order[at]; }
};

// This is a run of a batch's messages. Several writers may share a batch of which each has a part;
// such a batch has no lines that are too long.
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

// This is what a line that is too long is told.
inline constexpr std::string_view kTooLongLine =
    "the line has more than 65536 bytes; expected a long run as several lines";

// Says whether any of these messages enrols a device.
bool enrols(const Batch& batch, std::size_t begin, std::size_t end);
// Returns what became of two parts of a batch, together.
void merge(ReportAnswer& answer, ReportAnswer more);

class CommitBatch {
 public:
  // Both outlive the group. `now` decides which periods are over.
  // The state is one of so many shards, each of which takes its share of a metric's devices.
  CommitBatch(State& state, Instant now, std::uint32_t shards = 1)
      : state_(state), now_(now), shards_(shards) {}

  // A hint how many messages come.
  void reserve(std::size_t messages);
  // A hint that add() of the same comes soon; and one before that.
  void prefetch(const Batch& batch, std::size_t begin, std::size_t end) const;
  void prefetch_early(const Batch& batch, std::size_t begin, std::size_t end) const;
  // Requires a batch of an existing metric that is not destroyed before revert() or the end.
  // Applies the messages from number `begin` to before `end`, and answers the lines before and
  // among them that are too long; with the last message those behind it too.
  ReportAnswer add(const Batch& batch, std::size_t begin, std::size_t end);
  // Requires a new name.
  void create(NewMetric metric);
  // Writes down that a metric is closed. Its clients may be dropped once that is durable.
  void close(std::uint32_t metric, Period period);
  // Moves a manual clock by one. Requires that it is not closed.
  void advance(std::uint32_t metric);

  // Returns what the log is to hold; it is empty if nothing is new.
  const std::string& bytes() const { return bytes_; }
  // Says which metrics have changed.
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
  std::vector<Forgotten> forgotten_;  // what the applied ones took out
  std::vector<bool> touched_;
};

}  // namespace futurerand
