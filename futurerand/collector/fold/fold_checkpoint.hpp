// FoldCheckpoint: a fold in pieces, so that none is large. Piece 0 holds the sums of signs, and the
// tables of presence where the fold keeps it. Each of the others holds one shard of the clients. In
// a fold that keeps presence each client is followed by its transcript, a bit a report (two where
// symbols may be zero). Hashes of forgotten ids are last. Enrolments are not stored, because the
// clients say when and where they joined, unless the fold has dropped its clients: then they lie
// behind the sums.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

class FoldCheckpoint {
 public:
  static constexpr std::size_t num_pieces() { return 1 + ClientTable::kNumShards; }
  // Returns the same bytes for the same state and hash key.
  static std::string save(const Fold& fold, std::size_t piece);
  // The same with those clients alone that `keep` says.
  using Keep = std::function<bool(const ClientId& client)>;
  static std::string save(const Fold& fold, std::size_t piece, const Keep& keep);
  // Reads all pieces, in order, into a new fold of the same plan and hash key.
  static Status load(std::size_t piece, std::string_view bytes, Fold& fold);
  // Adds a fold of the same plan and of other clients, under any hash key. Both have dropped their
  // clients, or neither; `into` may be new.
  static Status add(const Fold& from, Fold& into);

 private:
  static std::string save_sums(const Fold& fold);
  static bool load_transcript(ByteReader& in, const ClientId& client, const ClientState& state,
                              Fold& fold);
  static std::string save_clients(const Fold& fold, std::size_t shard, const Keep& keep);
  static Status load_sums(std::string_view bytes, Fold& fold);
  // Without a shard: of any.
  static Status load_clients(std::optional<std::size_t> shard, std::string_view bytes, Fold& fold);
};

}  // namespace futurerand
