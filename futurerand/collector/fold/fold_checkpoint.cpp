#include "futurerand/collector/fold/fold_checkpoint.hpp"

#include <algorithm>

#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kEntryBytes = 24;

Error damaged(const std::string& what) { return {"damaged checkpoint: " + what}; }

}  // namespace

std::string FoldCheckpoint::save(const Fold& fold, std::size_t piece) {
  return piece == 0 ? save_sums(fold) : save_clients(fold, piece - 1);
}

Status FoldCheckpoint::load(std::size_t piece, std::string_view bytes, Fold& fold) {
  return piece == 0 ? load_sums(bytes, fold) : load_clients(piece - 1, bytes, fold);
}

std::string FoldCheckpoint::save_clients(const Fold& fold, std::size_t shard) {
  const std::vector<ClientTable::Entry> entries = fold.clients_.sorted_shard(shard);
  std::string bytes;
  bytes.reserve(entries.size() * kEntryBytes);
  for (const ClientTable::Entry& entry : entries) {
    bytes.append(reinterpret_cast<const char*>(entry.client.bytes.data()),
                 entry.client.bytes.size());
    put_word(bytes, entry.word);
  }
  return bytes;
}

std::string FoldCheckpoint::save_sums(const Fold& fold) {
  std::string bytes;
  for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
    for (std::uint32_t index = 1; index <= fold.views_[view].num_indices; ++index) {
      const IndexSum& at = fold.sums_.at(view, index);
      put_varint(bytes, at.count);
      put_varint(bytes, zigzag(at.sum));
      if (fold.views_[view].may_be_silent) put_varint(bytes, at.spoken);
    }
  }
  if (fold.dropped_clients_) {
    for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
      for (Period t = 1; t <= fold.num_periods_; ++t) {
        put_varint(bytes, fold.sums_.enrolled_in(view, t));
      }
      if (fold.views_[view].kind != ViewKind::kSnapshot) continue;
      for (std::uint32_t index = 1; index <= fold.views_[view].num_indices; ++index) {
        put_varint(bytes, fold.sums_.snapshot_devices(view, index));
      }
    }
  }
  return bytes;
}

Status FoldCheckpoint::load_sums(std::string_view bytes, Fold& fold) {
  ByteReader in(bytes);
  for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
    for (std::uint32_t index = 1; index <= fold.views_[view].num_indices; ++index) {
      const std::uint64_t count = in.varint();
      const std::int64_t sum = from_zigzag(in.varint());
      fold.sums_.add(view, index,
                     {sum, count, fold.views_[view].may_be_silent ? in.varint() : count});
    }
  }
  if (in.at_end()) return {};
  fold.dropped_clients_ = true;
  for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
    std::vector<std::uint64_t> enrolled(fold.num_periods_);
    for (std::uint64_t& devices : enrolled) devices = in.varint();
    std::vector<std::uint64_t> snapshots(
        fold.views_[view].kind == ViewKind::kSnapshot ? fold.views_[view].num_indices : 0);
    for (std::uint64_t& devices : snapshots) devices = in.varint();
    if (!in.ok()) break;
    fold.sums_.set_enrolled(view, std::move(enrolled), std::move(snapshots));
  }
  if (!in.at_end()) return damaged("its sums do not fit the plan");
  return {};
}

Status FoldCheckpoint::load_clients(std::size_t shard, std::string_view bytes, Fold& fold) {
  if (bytes.size() % kEntryBytes != 0) return damaged("clients are not of 24 bytes");
  if (fold.dropped_clients_ && !bytes.empty()) return damaged("clients that were dropped");
  fold.clients_.reserve_shard(shard, bytes.size() / kEntryBytes);
  ByteReader in(bytes);
  ClientId previous;
  for (bool first = true; in.remaining() > 0; first = false) {
    ClientId client;
    const std::string_view id = in.take(client.bytes.size());
    std::copy(id.begin(), id.end(), client.bytes.begin());
    const ClientState state(in.word());
    if (client.bytes[0] != shard || (!first && client <= previous)) {
      return damaged("clients are not in order");
    }
    if (state.view() >= fold.views_.size() || state.period() < 1 ||
        state.period() > fold.num_periods_) {
      return damaged("a client does not fit the plan");
    }
    const Schedule& view = fold.views_[state.view()];
    if (state.next_index() < 1 || state.next_index() > view.num_indices + view.stride) {
      return damaged("a client does not fit the plan");
    }
    fold.clients_.insert(client, state);
    fold.sums_.enrol(state.view(), state.period(), view.start_of(state.next_index()));
    previous = client;
  }
  return {};
}

}  // namespace futurerand
