#include "futurerand/core/randomizer/sign_randomizer.hpp"

#include <algorithm>
#include <cstring>

namespace futurerand {

void SignRandomizer::randomize(std::span<const std::int8_t> inputs,
                               std::span<const std::uint64_t> coins,
                               std::span<std::uint64_t> minus) {
  for (std::size_t w = 0; w * 64 < inputs.size(); ++w) {
    std::uint64_t signs = coins[w];
    const std::span<const std::int8_t> run =
        inputs.subspan(w * 64, std::min<std::size_t>(64, inputs.size() - w * 64));
    for (std::size_t i = 0; i < run.size(); ++i) {
      // Changes are few: eight zeros are passed over at a time.
      std::uint64_t eight = 0;
      if (i % 8 == 0 && i + 8 <= run.size()) {
        std::memcpy(&eight, run.data() + i, 8);
        if (eight == 0) {
          i += 7;
          continue;
        }
      }
      if (run[i] == 0 || used_ == noise_.size()) continue;
      const std::uint64_t bit = std::uint64_t{1} << i;
      signs = next_sign(run[i]) == Sign::kMinus ? signs | bit : signs & ~bit;
    }
    minus[w] = signs;
  }
}

}  // namespace futurerand
