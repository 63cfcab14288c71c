// Fold::save and Fold::load. Piece 0 holds the sums of signs, the others a shard of clients each.
// Enrolments are not stored: the clients say when and where they joined.
#include <algorithm>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kEntryBytes = 24;

Error damaged(const std::string& what) { return {"damaged checkpoint: " + what}; }

}  // namespace

std::string Fold::save(std::size_t piece) const {
  if (piece == 0) return save_sums();
  const std::vector<ClientTable::Entry> entries = clients_.sorted_shard(piece - 1);
  std::string bytes;
  bytes.reserve(entries.size() * kEntryBytes);
  for (const ClientTable::Entry& entry : entries) {
    bytes.append(reinterpret_cast<const char*>(entry.client.bytes.data()),
                 entry.client.bytes.size());
    put_word(bytes, entry.word);
  }
  return bytes;
}

Status Fold::load(std::size_t piece, std::string_view bytes) {
  return piece == 0 ? load_sums(bytes) : load_clients(piece - 1, bytes);
}

std::string Fold::save_sums() const {
  std::string bytes;
  for (std::uint32_t view = 0; view < views_.size(); ++view) {
    for (std::uint32_t index = 1; index <= views_[view].num_indices; ++index) {
      const IndexSum& at = sums_.at(view, index);
      put_varint(bytes, at.count);
      put_varint(bytes, zigzag(at.sum));
      if (views_[view].may_be_silent) put_varint(bytes, at.spoken);
    }
  }
  return bytes;
}

Status Fold::load_sums(std::string_view bytes) {
  ByteReader in(bytes);
  for (std::uint32_t view = 0; view < views_.size(); ++view) {
    for (std::uint32_t index = 1; index <= views_[view].num_indices; ++index) {
      const std::uint64_t count = in.varint();
      const std::int64_t sum = from_zigzag(in.varint());
      sums_.add(view, index, {sum, count, views_[view].may_be_silent ? in.varint() : count});
    }
  }
  if (!in.at_end()) return damaged("its sums do not fit the plan");
  return {};
}

Status Fold::load_clients(std::size_t shard, std::string_view bytes) {
  if (bytes.size() % kEntryBytes != 0) return damaged("clients are not of 24 bytes");
  clients_.reserve_shard(shard, bytes.size() / kEntryBytes);
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
    if (state.view() >= views_.size() || state.period() < 1 || state.period() > num_periods_) {
      return damaged("a client does not fit the plan");
    }
    const ViewShape& view = views_[state.view()];
    if (state.next_index() < 1 || state.next_index() > view.num_indices + view.stride) {
      return damaged("a client does not fit the plan");
    }
    const bool snapshot = view.kind == ViewKind::kSnapshot;
    clients_.insert(client, state);
    sums_.enrol(state.view(), state.period(), snapshot ? view.start_of(state.next_index()) : 0);
    previous = client;
  }
  return {};
}

}  // namespace futurerand
