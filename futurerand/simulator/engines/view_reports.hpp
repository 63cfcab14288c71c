// ViewReports: signs of many devices of one view, index by index, before folding.
//
// Thread safety: one thread at a time; each worker has its own, and they are merged.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/device/device.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/simulator/engines/bit_counter.hpp"

namespace futurerand {

// These are the reports of one view, 64 indices a counter: how many came, and how many of them were
// minus or, of a sparse law, silent.
class ViewReports {
 public:
  ViewReports(std::uint32_t num_indices, bool may_be_zero)
      : all_((num_indices + 63) / 64),
        minus_(all_.size()),
        silent_(may_be_zero ? all_.size() : 0) {}

  void add(const SignRun& run) {
    const std::uint32_t word = (run.first_index - 1) / 64;
    const std::uint32_t position = (run.first_index - 1) % 64;
    all_[word].add((~std::uint64_t{0} >> (64 - run.count)) << position);
    minus_[word].add(run.minus << position);
    if (!silent_.empty()) silent_[word].add(run.silent << position);
  }

  void merge(const ViewReports& other) {
    for (std::size_t w = 0; w < all_.size(); ++w) {
      all_[w].merge(other.all_[w]);
      minus_[w].merge(other.minus_[w]);
      if (!silent_.empty()) silent_[w].merge(other.silent_[w]);
    }
  }

  void fold_into(Sums& sums, std::uint32_t view) const {
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      const std::uint64_t all = all_[(index - 1) / 64].count((index - 1) % 64);
      const std::uint64_t minus = minus_[(index - 1) / 64].count((index - 1) % 64);
      const std::uint64_t silent =
          silent_.empty() ? 0 : silent_[(index - 1) / 64].count((index - 1) % 64);
      const std::uint64_t spoken = all - silent;
      sums.add(
          view, index,
          {static_cast<std::int64_t>(spoken) - 2 * static_cast<std::int64_t>(minus), all, spoken});
    }
  }

 private:
  std::vector<BitCounter> all_;
  std::vector<BitCounter> minus_;
  std::vector<BitCounter> silent_;
};

}  // namespace futurerand
