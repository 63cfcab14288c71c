// The data between the collectors of a cluster and in their databases: calls and batches, rows of
// sums with departed devices, cluster files. Any bytes are rejected, or equal their own rewriting.
#include <cstdint>
#include <string_view>

#include "futurerand/collector/cluster/cluster_file.hpp"
#include "futurerand/collector/cluster/forwarded_batch.hpp"
#include "futurerand/collector/cluster/joined_call.hpp"
#include "futurerand/collector/cluster/part_sums.hpp"

namespace {

using namespace futurerand;

void fuzz_sums(const Plan& plan, const std::optional<Presence>& empty, std::string_view bytes) {
  const Result<PartSums> part = parse_sums_bytes(plan, empty, bytes);
  if (!part) return;
  const bool keeps_presence = empty.has_value();
  if ((part->presence != nullptr) != keeps_presence) __builtin_trap();
  // Numbers may be written in more bytes than they need.
  const std::string again = to_bytes(plan, *part);
  const Result<PartSums> same = parse_sums_bytes(plan, empty, again);
  if (!same || *same->sums != *part->sums || again.size() > bytes.size()) __builtin_trap();
  if (keeps_presence && *same->presence != *part->presence) __builtin_trap();
  // Any collector adds them up.
  Sums sums = *part->sums;
  sums.merge(*same->sums);
  if (keeps_presence) {
    Presence presence = *part->presence;
    presence.merge(*same->presence);
  }
}

void fuzz_seasons(const Plan& plan, std::string_view bytes) {
  const Result<FinalSeasons> seasons = parse_final_seasons(plan, bytes);
  if (!seasons) return;
  const std::string again = to_bytes(plan, *seasons);
  const Result<FinalSeasons> same = parse_final_seasons(plan, again);
  if (!same || same->size() != seasons->size() || again.size() > bytes.size()) __builtin_trap();
  FinalSeasons both = *seasons;
  add(plan, both, *same);
  if (both.size() != seasons->size()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const Result<ForwardedBatch> forwarded = parse_forwarded_batch(bytes)) {
    const Batch& batch = forwarded->batch;
    if (batch.lines.size() != batch.messages.size() || batch.messages.size() > size) {
      __builtin_trap();
    }
    BatchBytes packed;
    packed.add(whole(batch));
    const auto same = parse_forwarded_batch(packed.bytes(batch.metric, forwarded->period));
    if (!same || same->period != forwarded->period || same->batch.lines != batch.lines ||
        same->batch.messages != batch.messages || same->batch.too_long != batch.too_long) {
      __builtin_trap();
    }
  }
  if (const Result<std::vector<std::string_view>> bodies = split_bodies(bytes)) {
    const std::string again = join_bodies(*bodies);
    if (again.size() > size || *split_bodies(again) != *bodies) __builtin_trap();
  }
  if (const Result<WriteAnswer> answer = parse_answer_bytes(bytes)) {
    const std::string again = to_bytes(*answer);
    const Result<WriteAnswer> same = parse_answer_bytes(again);
    if (again.size() > size || !same || to_bytes(*same) != again) __builtin_trap();
  }
  if (const Result<std::vector<PeerReply>> replies = split_replies(bytes)) {
    const std::string again = join_replies(*replies);
    if (again.size() > size || *split_replies(again) != *replies) __builtin_trap();
  }
  static const Plan hybrid = *make_plan(Protocol::kHybrid, 8, 2, *Epsilon::parse("1"));
  static const Plan innovation = *make_plan(Protocol::kInnovation, 8, 2, *Epsilon::parse("1"));
  fuzz_sums(hybrid, std::nullopt, bytes);
  fuzz_sums(innovation, std::nullopt, bytes);
  static const std::optional<Presence> uncapped = empty_presence(innovation, false);
  static const std::optional<Presence> capped = empty_presence(innovation, true);
  fuzz_sums(innovation, uncapped, bytes);
  fuzz_sums(innovation, capped, bytes);
  fuzz_seasons(hybrid, bytes);
  fuzz_seasons(innovation, bytes);
  if (const Result<ClusterFile> file = parse_cluster_file(bytes)) {
    if (file->databases.empty() || file->id().size() != 32) __builtin_trap();
  }
  return 0;
}
