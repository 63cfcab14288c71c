// FoldCheckpoint: a fold in small pieces. Piece 0 has the sums of signs, and the tables of presence
// if the fold has them. Each of the others has one shard of the clients. With presence each client
// is followed by its transcript: one bit per report, or two if symbols may be zero. Hashes of
// forgotten ids come last. Enrolments are not stored, because the clients have their view and
// period of joining. A fold without its clients stores them behind the sums.
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
  // The same with only the clients selected by `keep`.
  using Keep = std::function<bool(const ClientId& client)>;
  static std::string save(const Fold& fold, std::size_t piece, const Keep& keep);
  // Reads all pieces, in order, into a new fold of the same plan and hash key.
  static Status load(std::size_t piece, std::string_view bytes, Fold& fold);
  // Adds a fold of the same plan with other clients, under any hash key. Both still have their
  // clients, or neither does; `into` may be new.
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
