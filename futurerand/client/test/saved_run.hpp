// Saved states, and others that are sealed as well and say something else.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand::test {

inline const Epsilon kMuch = *Epsilon::parse("16");

// Offsets of the parts of a saved state.
inline constexpr std::size_t kFlagsAt = 21 + 32 + 16;
inline constexpr std::size_t kJoinedAt = kFlagsAt + 5;
inline constexpr std::size_t kAcknowledgedAt = kFlagsAt + 21;
inline constexpr std::size_t kSignsAt = kFlagsAt + 29;  // after their number
// The noise is behind the signs, of which there are fewer than 256 in these runs.
inline std::size_t noise_at(const Bytes& state) {
  const std::size_t words = (state[kSignsAt - 4] + std::size_t{63}) / 64;
  return kSignsAt + 8 * words * ((state[kFlagsAt] & 4U) != 0 ? 2 : 1) + 24;
}

inline Bytes resealed(Bytes bytes, const std::function<void(Bytes&)>& edit) {
  bytes.resize(bytes.size() - sizeof(Digest));
  edit(bytes);
  const Digest digest = blake2b(bytes);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return bytes;
}

// A saved run of some periods, by a seed that gives the wanted view.
struct SavedRun {
  MetricTerms terms;
  Bytes state;
  MemoryStateStore store;

  static SavedRun of(const MetricTerms& terms, const std::function<bool(const View&)>& wanted,
                     Period last = 41) {
    for (std::uint64_t seed = 1;; ++seed) {
      MemoryStateStore store;
      Ledger ledger = *Ledger::open(store, kMuch);
      testing_sources::SeededSource entropy(seed);
      std::optional<Client> client = *Client::open(terms, 1, ledger, store, entropy);
      if (!wanted(terms.plan.plan().views[client->view()])) continue;
      EXPECT_TRUE(client->observe(9, true));
      EXPECT_TRUE(client->observe(last, true));
      EXPECT_TRUE(client->acknowledge(0));
      client.reset();
      return {terms, store.records().rbegin()->second, store};
    }
  }

  std::string error_of(const Bytes& bytes) const {
    const Result<ClientMemory> memory = ClientCodec::read(bytes, terms);
    if (memory) return "none";
    EXPECT_NE(memory.error().code, ErrorCode::kInvalid);
    return memory.error().message;
  }
  std::string error_after(const std::function<void(Bytes&)>& edit) const {
    return error_of(resealed(state, edit));
  }
};

inline bool is_sparse_view(const View& view) { return may_be_zero(view.law); }
inline bool is_any_view(const View&) { return true; }

}  // namespace futurerand::test
