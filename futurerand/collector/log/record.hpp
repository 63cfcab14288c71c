// Records: the parts of a commit of the log. Only accepted messages are written, and only the new
// signs of a run. So replay must accept every record, or the log is damaged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/report.hpp"

namespace futurerand {

// In the log: a device was forgotten. The record repeats the device's data, because a checkpoint
// may have the sums from before and the devices from after. It leaves with the log when the next
// checkpoint is cut.
struct Forgotten {
  ClientId client;
  std::uint64_t word = 0;                  // its ClientState; 0 if it had not enrolled
  std::vector<std::uint64_t> own_words{};  // its transcript
  friend bool operator==(const Forgotten&, const Forgotten&) = default;
};

// A device sends the first four; a log has all but Forget.
using Message = std::variant<Enrolment, Report, Leave, Forget, Forgotten>;

struct MetricCreated {
  std::string definition;  // its JSON
  friend bool operator==(const MetricCreated&, const MetricCreated&) = default;
};

struct PeriodAdvanced {
  std::uint32_t metric = 0;  // the number in the order of creation
  Period period = 0;
  friend bool operator==(const PeriodAdvanced&, const PeriodAdvanced&) = default;
};

struct MessagesAccepted {
  std::uint32_t metric = 0;
  Period period = 0;       // that was running
  std::string_view bytes;  // put_message's
  friend bool operator==(const MessagesAccepted&, const MessagesAccepted&) = default;
};

// The metric was closed in this period, by the clock or early by the operator. It accepts nothing
// more. Its sums stay, its clock stops, and its clients' data is dropped.
struct MetricEnded {
  std::uint32_t metric = 0;
  Period period = 0;
  bool keeps_devices = false;  // until they are erased it may be reopened
  friend bool operator==(const MetricEnded&, const MetricEnded&) = default;
};

// Reopens an operator-ended metric. Its devices must still be stored.
struct MetricReopened {
  std::uint32_t metric = 0;
  friend bool operator==(const MetricReopened&, const MetricReopened&) = default;
};

// A season of a metric without an end is over for good. Its counts move to the endless metric. Only
// the number of the season stays.
struct SeasonFinalized {
  std::uint32_t metric = 0;  // the season's own number
  std::string figures;       // final_season.hpp; empty if no device ever took part
  friend bool operator==(const SeasonFinalized&, const SeasonFinalized&) = default;
};

// Out of sight, or back in it. Nothing else changes.
struct MetricArchived {
  std::uint32_t metric = 0;
  bool archived = true;
  friend bool operator==(const MetricArchived&, const MetricArchived&) = default;
};

// Only the metric's number stays. It is never used again.
struct MetricDeleted {
  std::uint32_t metric = 0;
  friend bool operator==(const MetricDeleted&, const MetricDeleted&) = default;
};

// More candidate texts for a text metric, one per line.
struct CandidatesAdded {
  std::uint32_t metric = 0;
  std::string lines;
  friend bool operator==(const CandidatesAdded&, const CandidatesAdded&) = default;
};
std::string to_lines(const std::vector<std::string>& texts);
std::vector<std::string> from_lines(std::string_view lines);

// An operator's note on a date, set or removed: one line of wire/annotation.hpp.
struct MetricAnnotated {
  std::uint32_t metric = 0;
  std::string line;
  friend bool operator==(const MetricAnnotated&, const MetricAnnotated&) = default;
};

// A metric counted elsewhere: its definition, its last period, its sums, and its annotations.
struct MetricImported {
  std::string definition;  // its JSON
  Period period = 0;
  std::string sums;              // FoldCheckpoint's piece 0, of a fold without clients
  std::string annotations = {};  // lines of wire/annotation.hpp
  friend bool operator==(const MetricImported&, const MetricImported&) = default;
};

using Record = std::variant<MetricCreated, PeriodAdvanced, MessagesAccepted, MetricEnded,
                            MetricArchived, MetricDeleted, MetricImported, MetricReopened,
                            CandidatesAdded, SeasonFinalized, MetricAnnotated>;

void put_record(std::string& group, const Record& record);
// Bytes of accepted messages point into `group`.
Result<std::vector<Record>> read_records(std::string_view group);

void put_message(std::string& bytes, const Enrolment& enrolment);
void put_message(std::string& bytes, const Leave& leave);
void put_message(std::string& bytes, const Forget& forget);
void put_message(std::string& bytes, const Forgotten& forgotten);
// Only `count` signs of a report from position `from` on; the first of them has this index.
// Requires at least one.
void put_message(std::string& bytes, const Report& report, std::uint32_t first_index,
                 std::uint32_t from, std::uint32_t count);

class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : in_(bytes) {}
  // Returns false at the end, and at the first bytes other than a message.
  bool next(Message& message);
  bool ok() const { return in_.ok(); }

 private:
  bool read_rarer_kind(Message& message);

  ByteReader in_;
};

}  // namespace futurerand
