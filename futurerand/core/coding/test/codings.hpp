// Codings for tests.
#pragma once

#include <string>

#include "futurerand/core/coding/coding.hpp"

namespace futurerand {

inline Coding coding_of_labels(std::size_t count) {
  CategoryCoding settings;
  for (std::size_t i = 0; i < count; ++i) settings.labels.push_back("label " + std::to_string(i));
  return *Coding::create(std::move(settings));
}

inline Coding coding_of_buckets(std::uint32_t buckets, double low = 0, double high = 1) {
  return *Coding::create(DistributionCoding{low, high, "", buckets});
}

}  // namespace futurerand
