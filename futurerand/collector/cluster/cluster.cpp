#include "futurerand/collector/cluster/cluster.hpp"

#include <algorithm>
#include <future>

#include "futurerand/collector/cluster/shard_row.hpp"
#include "futurerand/collector/log/thread_guard.hpp"

namespace futurerand {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kBeat{250};
constexpr milliseconds kMaxClockAnswer{1000};
constexpr milliseconds kStartPause{1000};
// Adding up may take at most a tenth of the time, and what is added up changes once a second.
constexpr int kMergingShare = 10;
constexpr milliseconds kMergingInterval{900};
// Databases that say nothing for so long are away; they are asked every half second at least.
constexpr milliseconds kSilence{3000};
// Larger calls to other collectors save nothing more.
constexpr std::uint64_t kMaxCallBytes = std::uint64_t{1} << 20;
// How long whoever creates a metric waits until all collectors know it.
constexpr std::chrono::seconds kSpreadPatience{10};
// So far apart the database is asked for metrics that nobody here knows: strangers may invent
// names.
constexpr milliseconds kLooksApart{100};
// Its name, for the operator.
constexpr const char* kLooking = "the thread that reads who owns what";

}  // namespace

std::vector<std::unique_ptr<Database>> databases_of(const ClusterFile& file) {
  std::vector<std::unique_ptr<Database>> databases;
  const auto count = static_cast<std::uint32_t>(file.databases.size());
  for (std::uint32_t number = 0; number < count; ++number) {
    databases.push_back(
        std::make_unique<Database>(file.databases[number], file.id(), number, count));
  }
  return databases;
}

Result<std::unique_ptr<Cluster>> Cluster::join(const ClusterOptions& options) {
  std::vector<std::unique_ptr<Database>> databases = databases_of(options.file);
  // Without database 0 nobody knows which metrics there are.
  Result<ClusterTerms> terms = databases[0]->terms();
  for (bool said = false; !terms && terms.error().code == ErrorCode::kUnreachable; said = true) {
    if (!said) options.say(Event::kDatabaseAway, terms.error().message + "; waiting for it");
    std::this_thread::sleep_for(kStartPause);
    terms = databases[0]->terms();
  }
  if (!terms) return terms.error();
  for (std::size_t number = 1; number < databases.size(); ++number) {
    const Result<ClusterTerms> other = databases[number]->terms();
    if (!other && other.error().code == ErrorCode::kUnreachable) {
      options.say(Event::kDatabaseAway, other.error().message + "; going on without it");
    } else if (!other) {
      return other.error();
    }
  }
  for (const auto& database : databases) {
    if (const Result<std::string> words = database->durability())
      options.say(Event::kDatabaseDurability, *words);
  }
  std::unique_ptr<Cluster> cluster(new Cluster(options, *terms, std::move(databases)));
  if (const Status registered = cluster->register_here(); !registered) return registered.error();
  // Without the databases' clock nobody knows which period it is.
  while (!cluster->follow_clock()) std::this_thread::sleep_for(kStartPause);
  if (const Status read = cluster->catalogue_.refresh(); !read) return read.error();
  cluster->look_around();
  cluster->publish(true);
  WriterOptions writer = options.writer;
  writer.now = [self = cluster.get()] { return self->now(); };
  writer.clock = &cluster->clock_;
  writer.shards = terms->shards;
  writer.may_erase_ended = [self = cluster.get()](std::uint32_t metric) {
    const std::shared_ptr<const CatalogueMetrics> metrics = self->catalogue_.metrics();
    return metric < metrics->size() && (*metrics)[metric].erased;
  };
  writer.all_state_bytes = [self = cluster.get()] { return self->figures_.state_bytes.load(); };
  for (const auto& database : cluster->databases_) {
    cluster->keepers_.push_back(std::make_unique<ShardKeeper>(
        KeeperOptions{options.owner, options.address, terms->lease_ms, writer, options.key,
                      options.say,
                      [self = cluster.get()] {
                        return self->leaving_ ? Share{0, 0} : self->share_.load();
                      },
                      [self = cluster.get()] { self->tell_others("/cluster/look", nullptr); }},
        *database, cluster->catalogue_));
  }
  cluster->beating_ = std::thread([self = cluster.get()] { self->beat(); });
  return cluster;
}

Cluster::Cluster(const ClusterOptions& options, const ClusterTerms& terms,
                 std::vector<std::unique_ptr<Database>> databases)
    : options_(options),
      terms_(terms),
      shard_of_(terms.id, terms.shards),
      secret_(TokenLists{.admin = {options.file.secret}}),
      databases_(std::move(databases)),
      catalogue_(*databases_[0]),
      clock_({options.clock_patience, options.say}),
      leases_(milliseconds(terms.lease_ms)),
      snapshot_(merged_.merge({}, {}, {})),
      peers_(options.connect, std::min(options.max_call_bytes, kMaxCallBytes), options.writer.die),
      resends_([this] { (void)take_turn(options_.say, kLooking, [this] { look(); }); },
               [this](const Resends::Part& part) {
                 work_or_die(options_.writer.die, "the thread that sends again",
                             [&] { scatter(part.messages, part.bytes, part.of); });
               }),
      looks_(
          [this] {
            bool done = false;
            (void)take_turn(options_.say, kLooking, [&] { done = read_updates(); });
            return done;
          },
          kLooksApart) {}

Cluster::~Cluster() { stop(); }

void Cluster::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (beating_.joinable()) beating_.join();
  resends_.stop();
  looks_.stop();
  updates_.stop();
  work_.stop();
  for (const auto& keeper : keepers_) keeper->leave();
  peers_.stop();
}

Status Cluster::register_here() {
  std::optional<std::uint64_t> seen;
  CollectorRow expired;
  for (;; std::this_thread::sleep_for(kStartPause / 4)) {
    const Result<bool> here =
        renew_collector(*databases_[0], options_.owner, options_.address, expired);
    if (here && *here) return {};
    if (!here && here.error().code != ErrorCode::kUnreachable) return here.error();
    const SteadyClock::time_point now = SteadyClock::now();
    const Result<std::vector<CollectorRow>> rows = read_collectors(*databases_[0], terms_.lease_ms);
    if (!rows) continue;
    for (const CollectorRow& row : *rows) {
      if (row.address != options_.address || row.owner == options_.owner) continue;
      if (!leases_.runs(row.address, {row.owner, 0, row.renewals}, now)) expired = row;
      if (seen && row.renewals != *seen) {
        return Error{"another running collector has the address " + options_.address +
                         "; give this one its own with --advertise",
                     ErrorCode::kBusy};
      }
      if (!seen) {
        options_.say(Event::kEarlierProcess,
                     "an earlier process at " + options_.address +
                         " ended without notice; waiting until its lease expires");
      }
      seen = row.renewals;
    }
  }
}

bool Cluster::follow_clock() {
  const GuardedClock::Steady before = GuardedClock::steady_now();
  const Result<ClockRow> row = read_clock(*databases_[0]);
  if (!row) return false;
  const GuardedClock::Steady after = GuardedClock::steady_now();
  const bool is_first = clock_.at(after) == Instant{};
  // Nobody knows when in between the database looked at its clock.
  if (!is_first && after - before > kMaxClockAnswer) return true;
  if (is_first) {
    if (row->trusted != Instant{}) clock_.begin_after(row->trusted);
    confirmations_ = row->confirmations;
  }
  const Instant time = clock_.observe(row->now, (before + after) / 2);
  if (std::exchange(confirmations_, row->confirmations) != row->confirmations) clock_.confirm();
  if (!clock_.is_stopped()) (void)trust_time(*databases_[0], time);
  return true;
}

bool Cluster::confirm_clock() {
  if (!add_confirmation(*databases_[0])) return false;
  clock_.confirm();
  return true;
}

void Cluster::look_around() {
  const std::lock_guard one_at_a_time(looking_);
  const SteadyClock::time_point now = SteadyClock::now();
  const Result<std::vector<CollectorRow>> rows = read_collectors(*databases_[0], terms_.lease_ms);
  if (!rows) return;
  std::vector<std::string> others;
  Share share{0, 0};
  bool draining = false;
  for (const CollectorRow& row : *rows) {
    const bool here = row.owner == options_.owner;
    if (here) {
      draining = row.draining;
      share.rank = share.of;
    }
    if (!leases_.runs(row.address, {row.owner, 0, row.renewals}, now) && !here) continue;
    if (!row.draining) ++share.of;
    if (!here) others.push_back(row.address);
  }
  share_ = draining ? Share{0, 0} : Share{std::max(1U, share.of), share.rank};
  peers_.keep_only(others);
  const std::lock_guard lock(mutex_);
  others_ = std::move(others);
}

void Cluster::beat() {
  SteadyClock::time_point renewed{};
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, kBeat, [this] { return stopping_; })) return;
    }
    (void)take_turn(options_.say, "the thread that follows the cluster", [&] {
      const SteadyClock::time_point now = SteadyClock::now();
      if (!leaving_ && now - renewed >= milliseconds(terms_.lease_ms) / 3) {
        if (renew_collector(*databases_[0], options_.owner, options_.address)) {
          renewed = now;
        }
        (void)follow_clock();  // without it the clock goes on by itself
      }
      look_around();
      if (catalogue_.refresh()) follow_catalogue();
      catalogue_.erase_ended(options_.writer.least_closed());
      publish(false);
      count_figures();
    });
  }
}

std::vector<std::shared_ptr<OwnedShard>> Cluster::owned() const {
  std::vector<std::shared_ptr<OwnedShard>> all;
  for (const auto& keeper : keepers_) {
    for (auto& shard : keeper->owned()) all.push_back(std::move(shard));
  }
  return all;
}

void Cluster::follow_catalogue() {
  const std::shared_ptr<const CatalogueMetrics> metrics = catalogue_.metrics();
  const auto done = std::make_shared<std::promise<void>>();
  {
    const std::shared_ptr<void> all(nullptr, [done](void*) { done->set_value(); });
    for (const auto& shard : owned()) shard->follow(metrics, [all] {});
  }
  (void)done->get_future().wait_for(kSpreadPatience);
}

void Cluster::tell_others(const std::string& path, const std::shared_ptr<void>& until_told) {
  std::vector<std::string> others;
  {
    const std::lock_guard lock(mutex_);
    others = others_;
  }
  // Beside the channels of the databases.
  const auto channel = static_cast<std::uint32_t>(databases_.size());
  for (const std::string& address : others) {
    peers_.call(address, channel, path, "",
                [until_told](const Result<PeerReply>&, const std::string&) {});
  }
}

void Cluster::tell_peers() {
  look_around();  // who joined a moment ago is told too: nobody asks the database for a clock
  const auto done = std::make_shared<std::promise<void>>();
  tell_others("/cluster/updates",
              std::shared_ptr<void>(nullptr, [done](void*) { done->set_value(); }));
  (void)done->get_future().wait_for(kSpreadPatience);
}

void Cluster::look() {
  for (const auto& keeper : keepers_) keeper->look();
}

bool Cluster::read_updates() {
  if (!catalogue_.refresh()) return false;
  // Reports wait for the shards that are to know it first.
  for (const auto& shard : owned()) shard->follow(catalogue_.metrics(), [] {});
  publish(false);
  return true;
}

void Cluster::spread_updates() {
  follow_catalogue();
  publish(true);
  tell_peers();
}

void Cluster::post(WorkThread& thread, std::function<void()> work) {
  thread.post([this, work = std::move(work)] {
    work_or_die(options_.writer.die, "a thread of the cluster", work);
  });
}

void Cluster::create(MetricDefinition definition, WhenWritten when) {
  const auto shared = std::make_shared<MetricDefinition>(std::move(definition));
  post(work_, [this, shared, when = std::move(when)] {
    WriteAnswer answer = catalogue_.create(*shared);
    if (answer.written == Written::kDurable) spread_updates();
    when(std::move(answer));
  });
}

void Cluster::advance(const AdvanceRequest& advance, WhenWritten when) {
  post(work_, [this, advance, when = std::move(when)] {
    WriteAnswer answer = catalogue_.advance(advance, now());
    if (answer.written == Written::kDurable) spread_updates();
    when(std::move(answer));
  });
}

void Cluster::change(LifecycleChange change, WhenWritten when) {
  const auto shared = std::make_shared<LifecycleChange>(std::move(change));
  post(work_, [this, shared, when = std::move(when)] {
    WriteAnswer answer = catalogue_.change(*shared, now());
    if (answer.written == Written::kDurable) spread_updates();
    when(std::move(answer));
  });
}

std::shared_ptr<const Snapshot> Cluster::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void Cluster::publish(bool now) {
  const std::lock_guard one_at_a_time(publishing_);
  const SteadyClock::time_point begin = SteadyClock::now();
  const auto least =
      std::max<SteadyClock::duration>(kMergingShare * merging_cost_, kMergingInterval);
  const std::shared_ptr<const CatalogueMetrics> metrics = catalogue_.metrics();
  if (!now && metrics == merged_metrics_ && begin - merged_at_ < least) return;
  Instant as_of = Instant::max();
  std::map<std::uint32_t, ShardSums> sums;
  for (const auto& keeper : keepers_) {
    // Before the sums: they may be newer than that.
    as_of = std::min(as_of, keeper->as_of());
    sums.merge(keeper->sums());
  }
  std::shared_ptr<const Snapshot> merged = merged_.merge(*metrics, sums, own_lines());
  merged_metrics_ = metrics;
  merged_at_ = SteadyClock::now();
  merging_cost_ = merged_at_ - begin;
  const std::lock_guard lock(mutex_);
  snapshot_.swap(merged);
  as_of_ = keepers_.empty() ? Instant{} : as_of;
}

std::optional<Instant> Cluster::as_of() const {
  const std::lock_guard lock(mutex_);
  return as_of_;
}

std::vector<LineCounts> Cluster::own_lines() const {
  std::vector<LineCounts> lines;
  for (const auto& shard : owned()) {
    for (const auto& metric : shard->writer().snapshot()->metrics) {
      if (metric == nullptr) continue;
      if (lines.size() <= metric->number) lines.resize(metric->number + 1);
      lines[metric->number] += metric->lines;
    }
  }
  return lines;
}

void Cluster::count_figures() {
  std::uint64_t groups = 0;
  std::uint64_t waiting = 0;
  std::uint64_t state = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t log = 0;
  std::uint64_t refused = 0;
  bool has_room = true;
  for (const auto& shard : owned()) {
    const WriterFigures& of = shard->writer().figures();
    groups += of.groups;
    waiting += of.waiting_bytes;
    state += of.state_bytes;
    checkpoints += of.checkpoint_bytes;
    log += of.log_bytes;
    refused += of.refused_memory;
    has_room = has_room && of.has_room;
  }
  figures_.groups = groups;
  figures_.waiting_bytes = waiting;
  figures_.state_bytes = state;
  figures_.checkpoint_bytes = checkpoints;
  figures_.log_bytes = log;
  figures_.refused_memory = refused;
  figures_.has_room = has_room;
}

std::chrono::milliseconds Cluster::stalled() const {
  milliseconds longest{0};
  for (const auto& shard : owned()) longest = std::max(longest, shard->writer().stalled());
  for (const auto& keeper : keepers_) longest = std::max(longest, keeper->stalled());
  // Without any database a collector can do nothing.
  auto last_read = SteadyClock::time_point::min();
  for (const auto& keeper : keepers_) last_read = std::max(last_read, keeper->read_at());
  const auto silent = std::chrono::duration_cast<milliseconds>(SteadyClock::now() - last_read);
  return silent > kSilence ? std::max(longest, silent) : longest;
}

void Cluster::leave() {
  leaving_ = true;
  for (const auto& keeper : keepers_) keeper->leave();
  const Status removed = remove_collector(*databases_[0], options_.owner);
  if (!removed) options_.say(Event::kLeavingFailed, removed.error().message);
}

}  // namespace futurerand
