#include "futurerand/estimator/coding/top_labels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace futurerand {

std::vector<std::uint32_t> top_labels(const std::vector<Measurement>& counts, double rate,
                                      double background) {
  // The chance of at least this count from noise alone. Without noise the count itself decides.
  const auto tail = [&](std::uint32_t place) {
    const Measurement& count = counts[place];
    const double excess = count.value - background;
    if (count.variance == 0) return excess > 0 ? 0.0 : 1.0;
    return std::erfc(excess / std::sqrt(2 * count.variance)) / 2;
  };
  std::vector<double> tails(counts.size());
  std::vector<std::uint32_t> places(counts.size());
  std::iota(places.begin(), places.end(), 0U);
  for (const std::uint32_t place : places) tails[place] = tail(place);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return tails[a] < tails[b]; });
  std::size_t found = places.size();
  while (found > 0 && tails[places[found - 1]] * static_cast<double>(counts.size()) >
                          rate * static_cast<double>(found)) {
    --found;
  }
  places.resize(found);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return counts[a].value > counts[b].value;
  });
  return places;
}

}  // namespace futurerand
