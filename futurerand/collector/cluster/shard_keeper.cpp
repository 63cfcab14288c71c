#include "futurerand/collector/cluster/shard_keeper.hpp"

#include <algorithm>
#include <future>

#include "futurerand/collector/log/thread_guard.hpp"

namespace futurerand {
namespace {

using std::chrono::milliseconds;

// Of a lease.
constexpr int kRenewals = 3;
constexpr milliseconds kMinTick{50};
constexpr milliseconds kMaxTick{500};
// For metrics to be written into the log of a shard that was taken.
constexpr std::chrono::seconds kFollowPatience{60};

}  // namespace

ShardKeeper::ShardKeeper(const KeeperOptions& options, Database& database,
                         const Catalogue& catalogue)
    : options_(options),
      tick_(std::clamp(milliseconds(options.lease_ms) / 20, kMinTick, kMaxTick)),
      database_(database),
      lane_(database, options.writer.die),
      catalogue_(catalogue),
      leases_(milliseconds(options.lease_ms)),
      keeping_([this] { keep(); }),
      tending_([this] { tend(); }) {}

ShardKeeper::~ShardKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  keeping_.join();
  tending_.join();
}

bool ShardKeeper::pause(milliseconds time, const std::uint64_t& count, std::uint64_t seen) {
  Lock lock(mutex_);
  wake_.wait_for(lock, time, [&] { return stopping_ || count != seen; });
  return !stopping_;
}

void ShardKeeper::look() {
  const std::lock_guard lock(mutex_);
  ++looks_;
  wake_.notify_all();
}

void ShardKeeper::told(const Status& status) {
  if (!status && answers_) options_.say(Event::kDatabaseAway, status.error().message);
  if (status && !answers_) options_.say(Event::kDatabaseBack, database_.name() + " answers again");
  answers_ = static_cast<bool>(status);
}

void ShardKeeper::keep() {
  std::uint64_t seen = 0;
  do {
    {
      const std::lock_guard lock(mutex_);
      seen = looks_;
    }
    (void)take_turn(options_.say, "the thread that keeps leases", [this] {
      renew();
      read_rows();
      drop_lost();
      exchange_sums();
    });
  } while (pause(tick_, looks_, seen));
}

void ShardKeeper::renew() {
  const auto now = std::chrono::steady_clock::now();
  if (now - renewed_ < milliseconds(options_.lease_ms) / kRenewals) return;
  // Only what is really had: what could not be given back must become free.
  std::vector<std::uint32_t> ours;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [shard, owned] : owned_) ours.push_back(shard);
    if (loading_) ours.push_back(*loading_);
  }
  const Status renewed = renew_shards(database_, options_.owner, ours);
  if (renewed) renewed_ = now;
  told(renewed);
}

void ShardKeeper::read_rows() {
  const auto now = std::chrono::steady_clock::now();
  const Instant time = options_.writer.now();
  Result<std::vector<ShardRow>> rows = read_shards(database_, options_.lease_ms);
  if (!rows) return told(rows.error());
  for (ShardRow& row : *rows) {
    row.leased = leases_.runs(std::to_string(row.shard), {row.owner, row.epoch, row.renewals}, now);
  }
  const std::lock_guard lock(mutex_);
  for (const ShardRow& row : *rows) rows_[row.shard] = row;
  read_at_ = now;
  rows_at_ = time;
  ++reads_;
  wake_.notify_all();
}

void ShardKeeper::drop_lost() {
  std::vector<std::shared_ptr<OwnedShard>> dropped;  // they end without the lock
  const std::lock_guard lock(mutex_);
  for (auto at = owned_.begin(); at != owned_.end();) {
    // A row that was read before the shard was taken says nothing: epochs only grow.
    const bool taken = rows_[at->first].epoch > at->second->epoch();
    if (!taken && !at->second->is_lost()) {
      ++at;
      continue;
    }
    if (taken) {
      options_.say(Event::kShardMoved, "shard " + std::to_string(at->first) +
                                           " was taken over by " + rows_[at->first].address);
    }
    dropped.push_back(std::move(at->second));
    at = owned_.erase(at);
  }
}

void ShardKeeper::exchange_sums() {
  const std::vector<std::shared_ptr<OwnedShard>> ours = owned();
  if (const Status written = write_sums(database_, ours, options_.writer.now()); !written) {
    return told(written);
  }
  for (const std::shared_ptr<OwnedShard>& shard : ours) keep_newer(*shard);
  std::vector<KnownSums> behind;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [shard, row] : rows_) {
      const ShardSums& known = sums_[shard];
      if (owned_.contains(shard) || row.sums_version == known.version ||
          row.sums_sequence < known.sequence) {
        continue;
      }
      behind.push_back({row, known});
    }
  }
  const Status read = read_sums(database_, *catalogue_.metrics(), behind);
  if (!read) return told(read);
  const std::lock_guard lock(mutex_);
  for (KnownSums& one : behind) sums_[one.row.shard] = std::move(one.sums);
}

void ShardKeeper::keep_newer(OwnedShard& shard) {
  ShardSums now = sums_of(shard, options_.writer.now());
  const std::lock_guard lock(mutex_);
  ShardSums& known = sums_[shard.shard()];
  if (now.sequence >= known.sequence) known = std::move(now);
}

void ShardKeeper::tend() {
  for (std::uint64_t seen = 0;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      seen = reads_;
    }
    bool more = false;
    if (!take_turn(options_.say, "the thread that takes shards", [&] { more = tend_once(); })) {
      const std::lock_guard lock(mutex_);
      loading_.reset();
      wake_.notify_all();
    }
    if (!more && !pause(tick_, reads_, seen)) return;
  }
}

std::size_t ShardKeeper::wanted() const {
  const Share share = options_.share();
  if (share.of == 0) return 0;
  // The remainder goes to other collectors in each database.
  const std::size_t turn = (share.rank + database_.number()) % share.of;
  return rows_.size() / share.of + (turn < rows_.size() % share.of ? 1 : 0);
}

bool ShardKeeper::tend_once() {
  std::uint32_t free_shard = 0;
  std::uint32_t surplus_shard = 0;
  bool is_free = false;
  bool is_surplus = false;
  {
    const std::lock_guard lock(mutex_);
    if (leaving_ || stopping_ || rows_.empty()) return false;
    const auto now = std::chrono::steady_clock::now();
    const std::size_t share = wanted();
    for (const auto& [shard, row] : rows_) {
      const bool ours = owned_.contains(shard);
      // One of ours that is not there: its log was lost, and is taken anew.
      const bool takeable = (row.owner.empty() || !row.leased || row.owner == options_.owner) &&
                            now >= not_before_[shard];
      if (!ours && takeable && owned_.size() < share && !is_free) {
        is_free = true;
        free_shard = shard;
      }
      if (ours && owned_.size() > share) {
        is_surplus = true;
        surplus_shard = shard;
      }
    }
    if (is_free) loading_ = free_shard;
  }
  if (is_free) {
    take(free_shard);
  } else if (is_surplus) {
    hand_over(surplus_shard);
  }
  return is_free || is_surplus;
}

void ShardKeeper::take(std::uint32_t shard) {
  load(shard);
  const std::lock_guard lock(mutex_);
  loading_.reset();
  wake_.notify_all();
}

void ShardKeeper::load(std::uint32_t shard) {
  ShardRow expired;
  {
    const std::lock_guard lock(mutex_);
    if (!rows_[shard].leased) expired = rows_[shard];
  }
  Result<PostgresLog> log =
      PostgresLog::take(database_, shard, options_.owner, options_.address, expired);
  if (!log) {
    // Somebody was quicker, or the database is away: look again a little later.
    const std::lock_guard lock(mutex_);
    not_before_[shard] = std::chrono::steady_clock::now() + tick_;
    return;
  }
  const std::uint64_t epoch = log->epoch();
  Result<std::shared_ptr<OwnedShard>> loaded =
      OwnedShard::load(shard, *std::move(log), lane_, options_.writer, options_.key);
  if (!loaded) {
    options_.say(Event::kShardFailed,
                 "shard " + std::to_string(shard) + ": " + loaded.error().message);
    const std::lock_guard lock(mutex_);
    not_before_[shard] = std::chrono::steady_clock::now() + milliseconds(options_.lease_ms);
    return;
  }
  const auto followed = std::make_shared<std::promise<void>>();
  (*loaded)->follow(catalogue_.metrics(), [followed] { followed->set_value(); });
  (void)followed->get_future().wait_for(kFollowPatience);
  const std::lock_guard lock(mutex_);
  ShardRow& row = rows_[shard];
  row.owner = options_.owner;
  row.address = options_.address;
  row.leased = true;
  row.epoch = std::max(row.epoch, epoch);
  owned_[shard] = *std::move(loaded);
}

void ShardKeeper::hand_over(std::uint32_t shard) {
  std::shared_ptr<OwnedShard> given;
  {
    const std::lock_guard lock(mutex_);
    const auto at = owned_.find(shard);
    if (at == owned_.end()) return;
    given = std::move(at->second);
    owned_.erase(at);
    // Not to be taken back before the row says that it is free.
    rows_[shard].owner = "being handed over";
    rows_[shard].address.clear();
    rows_[shard].leased = true;
  }
  (void)given->hand_over();  // whoever takes it waits for the end of the lease if that fails
  options_.handed_over();
  keep_newer(*given);
}

void ShardKeeper::leave() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  hand_over_all();
  {
    // One that is being loaded is had in a moment. It is free by itself when its lease has ended.
    Lock lock(mutex_);
    wake_.wait_for(lock, milliseconds(options_.lease_ms), [this] { return !loading_; });
  }
  hand_over_all();
}

void ShardKeeper::hand_over_all() {
  for (const std::shared_ptr<OwnedShard>& shard : owned()) hand_over(shard->shard());
}

ShardKeeper::Place ShardKeeper::place_of(std::uint32_t shard) const {
  const std::lock_guard lock(mutex_);
  const auto ours = owned_.find(shard);
  if (ours != owned_.end() && !ours->second->is_lost()) return {ours->second};
  const auto at = rows_.find(shard);
  if (at == rows_.end() || at->second.owner == options_.owner) return {};
  return {nullptr, at->second.address};
}

std::vector<std::shared_ptr<OwnedShard>> ShardKeeper::owned() const {
  std::vector<std::shared_ptr<OwnedShard>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [shard, owned] : owned_) all.push_back(owned);
  return all;
}

Instant ShardKeeper::as_of() const {
  const std::lock_guard lock(mutex_);
  Instant oldest = rows_at_;
  for (const auto& [shard, row] : rows_) {
    const auto at = sums_.find(shard);
    const bool is_new = at != sums_.end() && at->second.sequence >= row.last_sequence;
    if (!is_new) oldest = std::min(oldest, at == sums_.end() ? Instant{} : at->second.at);
  }
  return oldest;
}

std::map<std::uint32_t, ShardSums> ShardKeeper::sums() const {
  const std::lock_guard lock(mutex_);
  return sums_;
}

std::vector<ShardRow> ShardKeeper::rows() const {
  std::vector<ShardRow> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [shard, row] : rows_) all.push_back(row);
  return all;
}

std::chrono::steady_clock::time_point ShardKeeper::read_at() const {
  const std::lock_guard lock(mutex_);
  return read_at_;
}

}  // namespace futurerand
