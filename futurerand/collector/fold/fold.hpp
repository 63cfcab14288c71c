// Fold: turns enrolments and reports of one metric, in any order and with repetitions, into Sums
// that count each report once. It is deterministic and without I/O: the same accepted messages give
// the same bytes from any log. `estimate` over files and the collector share it.
//
// Thread safety: one writer, and no reader meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "futurerand/collector/fold/client_table.hpp"
#include "futurerand/collector/fold/forgotten_ids.hpp"
#include "futurerand/collector/log/record.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

enum class Outcome : std::uint8_t { kAccepted, kDuplicate, kRejected };

enum class Reason : std::uint8_t {
  kNone,
  kGap,            // an earlier index is missing: `expected`
  kEarly,          // the interval is unfinished, or the period of joining is in the future
  kUnknownClient,  // no enrolment was seen
  kBadView,        // the plan has no such view
  kBadPeriod,      // no such period
  kBadIndex,       // the view has no such index, or this device does not report it
  // Empty, a zero symbol where the view's law has none, or more pulses than a device of this view
  // has.
  kBadSigns,
  kEnrolledDifferently,  // the same client enrolled before, differently
  kClosed,               // the metric rejects all reports
  kTooManyDevices,       // the metric has its maximum of devices
  kLeft,                 // the device left before
  kForgotten,            // a device of this id asked to be forgotten
  kNoTranscripts,        // without transcripts the reports of a device cannot be removed
  kBadSegment,           // its segment is missing or unknown, or the plan has none
};
inline constexpr std::size_t kNumReasons = static_cast<std::size_t>(Reason::kBadSegment) + 1;

// The word of the HTTP API: "gap", "early", "unknown_client", ...
std::string_view name_of(Reason reason);

struct Verdict {
  Outcome outcome = Outcome::kAccepted;
  // The reason of a rejection. kEarly also for an accepted run with last signs not due yet: a
  // device that reports during a period is always a little ahead.
  Reason reason = Reason::kNone;
  std::uint32_t expected = 0;  // the index expected next; 0: none
  // For an accepted run: the number of its first signs counted before, and of the following signs
  // counted now.
  std::uint32_t known = 0;
  std::uint32_t counted = 0;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

class Fold {
 public:
  // Requires a valid plan. The key decides the place of clients in memory and in checkpoints. With
  // an empty presence of the same plan, the fold stores the transcript of each device and counts
  // active devices.
  Fold(const Plan& plan, const HashKey& key, std::optional<Presence> presence = std::nullopt);

  // `current` is the current period: 1..num_periods, or more after the horizon. Messages about
  // earlier periods may count. A complete file is folded at num_periods + 1.
  Verdict apply(const Enrolment& enrolment, Period current);
  // Accepts the new and finished part of a run.
  Verdict apply(const Report& report, Period current);
  // The device counts as departed from its first missing period on. It may not report again.
  Verdict apply(const Leave& leave, Period current);
  // Removes all reports of the device, and its id; a hash of the id stays. `taken` gets the
  // device's record. An id that has not enrolled may never enrol.
  Verdict apply(const Forget& forget, Forgotten& taken);
  // Takes back an accepted message, given the result of apply. Only for the last message not taken
  // back yet: without room in the log it must leave no trace.
  void revert(const Enrolment& enrolment);
  void revert(const Report& report, const Verdict& verdict);
  void revert(const Leave& leave);
  void revert(const Forgotten& taken);
  // Replays an accepted message onto a checkpoint with pieces cut after different groups: adds only
  // the part missing there. Returns false if it does not fit.
  struct Missing {
    bool client = true;
    bool sums = true;
  };
  bool replay(const Enrolment& enrolment, Period current, Missing missing);
  bool replay(const Report& report, Period current, Missing missing);
  bool replay(const Leave& leave, Period current, Missing missing);
  bool replay(const Forgotten& forgotten, Period current, Missing missing);
  bool replay(const Forget&, Period, Missing) { return false; }  // none is in a log

  // Returns null if there is none.
  const Presence* presence() const { return presence_ ? &*presence_ : nullptr; }

  // No more messages will be applied: the clients are removed; sums and presence stay.
  void drop_clients();
  bool dropped_clients() const { return dropped_clients_; }
  // Adds sums of the same plan from elsewhere, without clients; with tables if it has a presence.
  // Requires a new fold, and tables of its sizes.
  void adopt(Sums sums, const std::vector<PresenceTable>& tables = {}) {
    sums_ = std::move(sums);
    if (!tables.empty()) presence_->merge(tables);
    dropped_clients_ = true;
  }

  // The index expected next from a client; 0 if there is none, or if the client is unknown.
  std::uint32_t expected_from(const ClientId& client);
  // The index of a report's sign number `at`. Requires an enrolled client.
  std::uint32_t index_of(const Report& report, std::uint32_t at);
  // A hint that this client comes soon; and an earlier hint, for many folds.
  void prefetch(const ClientId& client) const { clients_.prefetch(client); }
  void prefetch_early(const ClientId& client) const { clients_.prefetch_shard(client); }

  const Sums& sums() const { return sums_; }
  // The piece of a checkpoint that has this client is the one after this shard's number.
  std::size_t shard_of(const ClientId& client) const { return clients_.shard_of(client); }
  const HashKey& key() const { return clients_.key(); }
  std::uint64_t num_clients() const;
  // Returns the number of ids that may never enrol.
  std::uint64_t num_forgotten() const { return forgotten_.size(); }
  // Returns the bytes of clients, sums and presence.
  std::uint64_t memory_bytes() const;

 private:
  friend class FoldCheckpoint;

  // Returns the transcript of a device. Requires presence. A client's own words have a bit for each
  // period (is it a minus?), and such bits for zero symbols if the plan has them.
  Transcript transcript(const ClientState& state, const std::uint64_t* own_words,
                        std::uint32_t row) const;
  // Returns the row of a client, or 0 if the coding has none.
  std::uint32_t row_of_client(const ClientId& client) const;
  // Adds all reports of a device to sums and presence, or removes them with times = -1.
  void count(const ClientState& state, const Transcript& transcript, int times);
  // Erases a device and stores the hash of its id, or the reverse; sums of signs stay.
  void erase(const ClientId& client, const ClientState& state);
  void restore(const Forgotten& taken);
  // Keeps `count` new signs from a position on in a client's own words.
  void keep(std::uint64_t* own_words, const ClientState& state, const PackedSigns& signs,
            std::uint32_t from, std::uint32_t count) const;

  Period num_periods_;
  bool may_be_zero_;
  std::size_t num_own_words_;
  Coding coding_;
  Segments segments_;
  std::vector<Schedule> views_;
  // During a replay onto pieces of a checkpoint: devices forgotten later in the log, with their
  // reports not added to the sums.
  struct Skipped {
    std::uint32_t from_index = 0;  // 0: none
    bool leave = false;
  };

  ClientTable clients_;
  ForgottenIds forgotten_;
  std::map<ClientId, Skipped> skipped_;
  Sums sums_;
  std::optional<Presence> presence_;
  bool dropped_clients_ = false;
};

}  // namespace futurerand
