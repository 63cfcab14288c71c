#include "futurerand/collector/cluster/owned_shard.hpp"

namespace futurerand {

Result<std::shared_ptr<OwnedShard>> OwnedShard::load(std::uint32_t shard, PostgresLog log,
                                                     WriterOptions options, const HashKey& key) {
  std::shared_ptr<OwnedShard> owned(new OwnedShard(shard, std::move(log)));
  const std::string name = "shard " + std::to_string(shard) + ": ";
  const auto say = [say = options.say, name](const std::string& line) { say(name + line); };
  Result<LoadedState> loaded = load_state(key, owned->log_, owned->log_, say);
  if (!loaded) return loaded.error();
  options.say = say;
  options.lose = [self = owned.get(), say](const std::string& line) {
    self->lost_ = true;
    say(line);
  };
  owned->writer_ = std::make_unique<Writer>(options, *std::move(loaded), owned->log_, owned->log_);
  return owned;
}

void OwnedShard::follow(const CatalogueMetrics& metrics, std::function<void()> done) {
  // Calls it when the last one of those that share it is gone.
  const std::shared_ptr<void> all(nullptr, [done = std::move(done)](void*) { done(); });
  const std::shared_ptr<const Snapshot> known = writer_->snapshot();
  for (std::uint32_t number = 0; number < metrics.size(); ++number) {
    const bool is_known = number < known->metrics.size();
    if (!is_known) writer_->create(*metrics[number].definition, [all](const WriteAnswer&) {});
    Period period = is_known ? known->metrics[number]->manual_period : 1;
    for (; period < metrics[number].manual_period; ++period) {
      writer_->advance({number, period}, [all](const WriteAnswer&) {});
    }
  }
}

Status OwnedShard::hand_over() {
  writer_->stop();
  if (lost_) return Error{"it is lost"};
  return log_.release();
}

}  // namespace futurerand
