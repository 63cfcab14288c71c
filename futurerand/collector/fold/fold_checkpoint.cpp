#include "futurerand/collector/fold/fold_checkpoint.hpp"

#include <algorithm>

#include "futurerand/collector/fold/presence_bytes.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kEntryBytes = 24;

// The bits of the periods that were reported, one after the other, eight a byte.
void put_transcript(std::string& bytes, const Transcript& transcript) {
  for (const std::uint64_t* words : {transcript.minus, transcript.zero}) {
    if (words == nullptr) continue;
    unsigned packed = 0;
    std::size_t at = 0;
    for (Period t = transcript.joined; t < transcript.next; ++t, ++at) {
      packed |= static_cast<unsigned>(words[(t - 1) / 64] >> ((t - 1) % 64) & 1U) << (at % 8);
      if (at % 8 != 7) continue;
      bytes.push_back(static_cast<char>(packed));
      packed = 0;
    }
    if (at % 8 != 0) bytes.push_back(static_cast<char>(packed));
  }
}

// False if bits are set that are of no report.
bool read_bits(std::string_view packed, const Transcript& transcript, std::uint64_t* words) {
  Period t = transcript.joined;
  for (std::size_t at = 0; at < packed.size() * 8; ++at, ++t) {
    const std::uint64_t bit = static_cast<std::uint8_t>(packed[at / 8]) >> (at % 8) & 1U;
    if (t < transcript.next) {
      words[(t - 1) / 64] |= bit << ((t - 1) % 64);
    } else if (bit != 0) {
      return false;
    }
  }
  return true;
}

Error damaged(const std::string& what) { return {"damaged checkpoint: " + what}; }

}  // namespace

std::string FoldCheckpoint::save(const Fold& fold, std::size_t piece) {
  return save(fold, piece, {});
}

std::string FoldCheckpoint::save(const Fold& fold, std::size_t piece, const Keep& keep) {
  return piece == 0 ? save_sums(fold) : save_clients(fold, piece - 1, keep);
}

Status FoldCheckpoint::add(const Fold& from, Fold& into) {
  if (from.dropped_clients_) {
    into.sums_.merge(from.sums_);
    if (into.presence_ && from.presence_) into.presence_->merge(*from.presence_);
    into.dropped_clients_ = true;
    return {};
  }
  if (const Status loaded = load_sums(save_sums(from), into); !loaded) return loaded;
  for (std::size_t shard = 0; shard < ClientTable::kNumShards; ++shard) {
    const Status loaded = load_clients(std::nullopt, save_clients(from, shard, {}), into);
    if (!loaded) return loaded;
  }
  return {};
}

Status FoldCheckpoint::load(std::size_t piece, std::string_view bytes, Fold& fold) {
  return piece == 0 ? load_sums(bytes, fold) : load_clients(piece - 1, bytes, fold);
}

std::string FoldCheckpoint::save_clients(const Fold& fold, std::size_t shard, const Keep& keep) {
  const std::vector<ClientTable::Entry> entries = fold.clients_.sorted_shard(shard);
  std::string bytes;
  bytes.reserve(entries.size() * kEntryBytes);
  for (const ClientTable::Entry& entry : entries) {
    if (keep && !keep(entry.client)) continue;
    bytes.append(reinterpret_cast<const char*>(entry.client.bytes.data()),
                 entry.client.bytes.size());
    put_word(bytes, entry.word);
    if (fold.presence_) {
      // The row follows from the id.
      put_transcript(bytes, fold.transcript(ClientState(entry.word),
                                            fold.clients_.own_words(entry.client), 0));
    }
  }
  // Whose they are nobody knows, so all of them stay, whoever is kept. An entry of nobody is before
  // them.
  const std::string forgotten = fold.forgotten_.save(shard);
  if (forgotten.empty()) return bytes;
  bytes.append(kEntryBytes, '\0');
  return bytes + forgotten;
}

std::string FoldCheckpoint::save_sums(const Fold& fold) {
  std::string bytes;
  for (std::uint32_t stratum = 0; stratum < fold.sums_.num_strata(); ++stratum) {
    const Sums& sums = fold.sums_.stratum(stratum);
    for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
      for (std::uint32_t index = 1; index <= fold.views_[view].num_indices; ++index) {
        const IndexSum& at = sums.at(view, index);
        put_varint(bytes, at.count);
        put_varint(bytes, zigzag(at.sum));
        if (fold.views_[view].may_be_zero) put_varint(bytes, at.spoken);
      }
    }
  }
  if (fold.presence_) put_presence(bytes, *fold.presence_);
  if (!fold.dropped_clients_) return bytes;
  for (std::uint32_t stratum = 0; stratum < fold.sums_.num_strata(); ++stratum) {
    const Sums& sums = fold.sums_.stratum(stratum);
    for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
      for (Period t = 1; t <= fold.num_periods_; ++t) {
        put_varint(bytes, sums.enrolled_in(view, t));
      }
      if (!fold.views_[view].draws_start()) continue;
      for (std::uint32_t index = 1; index <= fold.views_[view].num_indices; ++index) {
        put_varint(bytes, sums.snapshot_devices(view, index));
      }
    }
  }
  return bytes;
}

Status FoldCheckpoint::load_sums(std::string_view bytes, Fold& fold) {
  ByteReader in(bytes);
  const std::uint32_t strata = fold.sums_.num_strata();
  for (std::uint32_t stratum = 0; stratum < strata && in.ok(); ++stratum) {
    for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
      for (std::uint32_t index = 1; index <= fold.views_[view].num_indices; ++index) {
        const std::uint64_t count = in.varint();
        const std::int64_t sum = from_zigzag(in.varint());
        const std::uint64_t spoken = fold.views_[view].may_be_zero ? in.varint() : count;
        fold.sums_.add(view, index, {sum, count, spoken}, stratum);
      }
    }
  }
  if (fold.presence_) read_presence(in, *fold.presence_);
  if (in.at_end()) return {};
  fold.dropped_clients_ = true;
  for (std::uint32_t stratum = 0; stratum < strata && in.ok(); ++stratum) {
    for (std::uint32_t view = 0; view < fold.views_.size(); ++view) {
      std::vector<std::uint64_t> enrolled(fold.num_periods_);
      for (std::uint64_t& devices : enrolled) devices = in.varint();
      std::vector<std::uint64_t> snapshots(
          fold.views_[view].draws_start() ? fold.views_[view].num_indices : 0);
      for (std::uint64_t& devices : snapshots) devices = in.varint();
      if (!in.ok()) break;
      fold.sums_.add_enrolled(view, enrolled, snapshots, stratum);
    }
  }
  if (!in.at_end()) return damaged("its sums do not fit the plan");
  return {};
}

Status FoldCheckpoint::load_clients(std::optional<std::size_t> shard, std::string_view bytes,
                                    Fold& fold) {
  if (!fold.presence_ && bytes.size() % kEntryBytes != 0) {
    return damaged("clients are not of 24 bytes");
  }
  if (fold.dropped_clients_ && !bytes.empty()) return damaged("clients that were dropped");
  if (!fold.presence_ && shard) fold.clients_.reserve_shard(*shard, bytes.size() / kEntryBytes);
  ByteReader in(bytes);
  ClientId previous;
  for (bool first = true; in.remaining() > 0; first = false) {
    ClientId client;
    const std::string_view id = in.take(client.bytes.size());
    std::copy(id.begin(), id.end(), client.bytes.begin());
    const ClientState state(in.word());
    if (state.word() == 0 && client == ClientId{} && fold.presence_ && in.remaining() > 0) {
      if (!fold.forgotten_.load(in, shard)) return damaged("forgotten ids cannot be read");
      break;
    }
    if ((shard && fold.clients_.shard_of(client) != *shard) || (!first && client <= previous)) {
      return damaged("clients are not in order");
    }
    if (state.view() >= fold.views_.size() || state.period() < 1 ||
        state.period() > fold.num_periods_ || state.stratum() >= fold.segments_.num_strata()) {
      return damaged("a client does not fit the plan");
    }
    const Schedule& view = fold.views_[state.view()];
    // Where there are transcripts a client's first index matters, and is not past its next one.
    const std::uint32_t least =
        fold.presence_ ? view.first_index(state.period(), view.start_of(state.next_index())) : 1;
    if (state.next_index() < least || state.next_index() > view.num_indices + view.stride ||
        state.pulses() > view.max_pulses) {
      return damaged("a client does not fit the plan");
    }
    fold.clients_.insert(client, state);
    if (fold.presence_ && !load_transcript(in, client, state, fold)) {
      return damaged("the transcript of a client does not fit the plan");
    }
    fold.sums_.enrol(state.view(), state.period(), view.start_of(state.next_index()), 1,
                     state.stratum());
    previous = client;
  }
  return {};
}

bool FoldCheckpoint::load_transcript(ByteReader& in, const ClientId& client,
                                     const ClientState& state, Fold& fold) {
  std::uint64_t* words = fold.clients_.own_words(client);
  const Transcript transcript = fold.transcript(state, words, 0);
  const std::size_t size = (std::size_t{transcript.next} - transcript.joined + 7) / 8;
  if (!read_bits(in.take(size), transcript, words)) return false;
  if (transcript.zero != nullptr) {
    std::uint64_t* zero = words + (transcript.zero - transcript.minus);
    if (!read_bits(in.take(size), transcript, zero)) return false;
  }
  return in.ok();
}

}  // namespace futurerand
