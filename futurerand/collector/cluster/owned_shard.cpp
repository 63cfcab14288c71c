#include "futurerand/collector/cluster/owned_shard.hpp"

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

// Sums of shards are read when they are written to their table, which is seldom.
constexpr std::chrono::milliseconds kPublishInterval{500};

}  // namespace

Result<std::shared_ptr<OwnedShard>> OwnedShard::load(std::uint32_t shard, PostgresLog log,
                                                     ShardLane& lane, WriterOptions options,
                                                     const HashKey& key) {
  std::shared_ptr<OwnedShard> owned(new OwnedShard(shard, std::move(log), lane));
  const std::string name = "shard " + std::to_string(shard) + ": ";
  const Say say = [say = options.say, name](Event event, const std::string& line) {
    say(event, name + line);
  };
  Result<LoadedState> loaded = load_state(key, owned->log_, owned->log_, say);
  if (!loaded) return loaded.error();
  options.say = say;
  options.lose = [self = owned.get(), say](const std::string& line) {
    self->lost_ = true;
    say(Event::kShardLost, line);
  };
  options.wake = [self = owned.get()] { self->lane_.wake(self->seat_); };
  options.publish_interval = kPublishInterval;
  owned->writer_ = std::make_unique<Writer>(options, *std::move(loaded), owned->log_, owned->log_);
  owned->seat_.writer = owned->writer_.get();
  owned->seat_.log = &owned->log_;
  lane.enter(owned->seat_);
  return owned;
}

void OwnedShard::stop() {
  if (writer_ == nullptr) return;
  lane_.leave(seat_);
  writer_->stop();
}

void OwnedShard::follow(const std::shared_ptr<const CatalogueMetrics>& metrics,
                        std::function<void()> done) {
  {
    const std::lock_guard lock(mutex_);
    if (followed_ == metrics) return done();
  }
  const auto failed = std::make_shared<std::atomic<bool>>(false);
  // Called when the last one of those that share it is gone.
  const std::shared_ptr<void> all(nullptr, [this, metrics, failed, done = std::move(done)](void*) {
    if (!*failed) {
      const std::lock_guard lock(mutex_);
      followed_ = metrics;
    }
    done();
  });
  const WhenWritten when = [all, failed](const WriteAnswer& answer) {
    const bool later = answer.written == Written::kNoRoom || answer.written == Written::kBusy ||
                       answer.written == Written::kMoved || answer.written == Written::kStopping;
    if (later) *failed = true;
  };
  const std::shared_ptr<const Snapshot> known = writer_->snapshot();
  for (std::uint32_t number = 0; number < metrics->size(); ++number) {
    const bool is_new = number >= known->metrics.size();
    follow(number, (*metrics)[number], is_new ? nullptr : known->metrics[number].get(), is_new,
           when);
  }
}

void OwnedShard::follow(std::uint32_t number, const CatalogueMetric& metric,
                        const MetricSnapshot* known, bool is_new, const WhenWritten& when) {
  if (!is_new && known == nullptr) return;  // it is deleted here
  if (is_new && metric.imported != nullptr && !metric.deleted) {
    // Its sums are the first shard's; the others only give it its number.
    const Plan& plan = metric.definition->plan;
    Fold none(plan, HashKey{}, empty_presence(*metric.definition));
    none.adopt(Sums(plan));
    const std::string nothing =
        metric.definition->seasons ? endless_sums(plan, none, {}) : FoldCheckpoint::save(none, 0);
    writer_->change(MetricImported{to_json(*metric.definition), metric.ended.value_or(0),
                                   shard_ == 0 ? *metric.imported : nothing},
                    when);
    return;
  }
  if (is_new) writer_->create(*metric.definition, when);
  if (metric.deleted) return writer_->change(MetricDeleted{number}, when);
  for (Period period = is_new ? 1 : known->manual_period; period < metric.manual_period; ++period) {
    writer_->advance({number, period}, when);
  }
  const bool is_ended = !is_new && known->ended;
  if (metric.ended && !is_ended) {
    writer_->change(MetricEnded{.metric = number, .keeps_devices = true}, when);
  }
  if (!metric.ended && is_ended) writer_->change(MetricReopened{number}, when);
}

Status OwnedShard::hand_over() {
  stop();
  if (lost_) return Error{"it is lost"};
  return log_.release();
}

}  // namespace futurerand
