// Fold: enrolments and reports of one metric, in any order and any number of times, into Sums that
// count each report once. Deterministic and without I/O: the same accepted messages give the same
// bytes, whatever log they came from. `estimate` over files and the collector use the same fold.
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
  kGap,            // an earlier index is missing: `expected` says which
  kEarly,          // the interval, or the period of joining, is not over yet or not begun
  kUnknownClient,  // no enrolment was seen
  kBadView,        // the plan has no such view
  kBadPeriod,      // no such period
  kBadIndex,       // the view has no such index, or this device does not report it
  // Empty, not of '+' and '-' (and '0' where the view's law is sparse), or more pulses than a
  // device of this view has.
  kBadSigns,
  kEnrolledDifferently,  // the same client enrolled before, not like this
  kClosed,               // the metric takes nothing any more
  kTooManyDevices,       // the metric has as many devices as it may have
  kLeft,                 // the device left before
  kForgotten,            // a device of this id asked to be forgotten
  kNoTranscripts,        // devices of this metric cannot be taken out: no transcripts are kept
};
inline constexpr std::size_t kNumReasons = static_cast<std::size_t>(Reason::kNoTranscripts) + 1;

// The word of the HTTP API: "gap", "early", "unknown_client", ...
std::string_view name_of(Reason reason);

struct Verdict {
  Outcome outcome = Outcome::kAccepted;
  // It tells why something was rejected; kEarly also an accepted run whose last signs are not due
  // yet: a device that reports while a period runs is always a little ahead.
  Reason reason = Reason::kNone;
  std::uint32_t expected = 0;  // of a reason: the index expected next; 0: none
  // For an accepted run: the number of its first signs that counted before, and the number after
  // them that count now.
  std::uint32_t known = 0;
  std::uint32_t counted = 0;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

class Fold {
 public:
  // Requires a valid plan. The key decides where clients lie, in memory and in checkpoints. Given a
  // presence, an empty one of the same plan, it keeps the transcript of each device, and counts
  // active devices.
  Fold(const Plan& plan, const HashKey& key, std::optional<Presence> presence = std::nullopt);

  // `current` is the period that is running: 1..num_periods, or more once the horizon is over. What
  // concerns periods before it may be counted. A file that is complete is folded at
  // num_periods + 1.
  Verdict apply(const Enrolment& enrolment, Period current);
  // Takes what of a run is new and over.
  Verdict apply(const Report& report, Period current);
  // The device counts as departed from its first missing period on. It may not report any more.
  Verdict apply(const Leave& leave, Period current);
  // Takes all out that the device reported, and its id; a hash of that stays. `taken` gets what was
  // known of it. An id that has not enrolled may never do so.
  Verdict apply(const Forget& forget, Forgotten& taken);
  // Takes back an accepted message, given what apply said. Only the last one that is not yet taken
  // back: a log that has no room must leave no trace.
  void revert(const Enrolment& enrolment);
  void revert(const Report& report, const Verdict& verdict);
  void revert(const Leave& leave);
  void revert(const Forgotten& taken);
  // Replays an accepted message onto a checkpoint whose pieces were not all cut after the same
  // group: what of it is not in there yet. False if it does not fit.
  struct Missing {
    bool client = true;
    bool sums = true;
  };
  bool replay(const Enrolment& enrolment, Period current, Missing missing);
  bool replay(const Report& report, Period current, Missing missing);
  bool replay(const Leave& leave, Period current, Missing missing);
  bool replay(const Forgotten& forgotten, Period current, Missing missing);
  bool replay(const Forget&, Period, Missing) { return false; }  // none is in a log

  // Returns null if it keeps none.
  const Presence* presence() const { return presence_ ? &*presence_ : nullptr; }

  // Nothing will be applied any more: the clients go, sums and presence stay.
  void drop_clients();
  bool dropped_clients() const { return dropped_clients_; }
  // Takes sums of the same plan that were folded elsewhere, and no clients; and tables if it has a
  // presence. Requires a new fold, and tables of its sizes.
  void adopt(Sums sums, const std::vector<PresenceTable>& tables = {}) {
    sums_ = std::move(sums);
    if (!tables.empty()) presence_->merge(tables);
    dropped_clients_ = true;
  }

  // The index expected next from a client; 0 if none is, or the client is unknown.
  std::uint32_t expected_from(const ClientId& client);
  // The index of a report's sign number `at`. Requires a client that enrolled.
  std::uint32_t index_of(const Report& report, std::uint32_t at);
  // A hint that this client comes soon; and one before that, where folds are many.
  void prefetch(const ClientId& client) const { clients_.prefetch(client); }
  void prefetch_early(const ClientId& client) const { clients_.prefetch_shard(client); }

  const Sums& sums() const { return sums_; }
  // The piece of a checkpoint that has this client is the one after this shard's number.
  std::size_t shard_of(const ClientId& client) const { return clients_.shard_of(client); }
  const HashKey& key() const { return clients_.key(); }
  std::uint64_t num_clients() const;
  // Counts the ids that may never enrol.
  std::uint64_t num_forgotten() const { return forgotten_.size(); }
  // Counts the bytes of clients, sums and presence.
  std::uint64_t memory_bytes() const;

 private:
  friend class FoldCheckpoint;

  // Returns what a device has reported. Requires presence. A client's own words are a bit for each
  // period (is it a minus?), and such bits for zero symbols where the plan has some.
  Transcript transcript(const ClientState& state, const std::uint64_t* own_words,
                        std::uint32_t row) const;
  // Returns the row of a client, or 0 if the coding has none.
  std::uint32_t row_of_client(const ClientId& client) const;
  // Adds all reports of a device to sums and presence, or with times = -1 takes them out.
  void count(const ClientState& state, const Transcript& transcript, int times);
  // Erases a device and keeps the hash of its id, or the other way round; sums of signs stay.
  void erase(const ClientId& client, const ClientState& state);
  void restore(const Forgotten& taken);
  // Keeps new signs in a client's own words.
  void keep(std::uint64_t* own_words, const ClientState& state, std::string_view new_signs) const;

  Period num_periods_;
  bool may_be_zero_;
  std::size_t num_own_words_;
  Coding coding_;
  std::vector<Schedule> views_;
  // While messages are replayed onto pieces of a checkpoint: devices that are forgotten later in
  // the log, with what of them was not added to the sums.
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
