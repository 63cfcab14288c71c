#include "futurerand/rivals/categories/memoized_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace futurerand {
namespace {

// Numbers of periods by the values of the two sequences: both the first value, first and second,
// second and first, both the second. The loss depends on nothing else.
using GroupSizes = std::array<std::uint32_t, 4>;

// Returns ln of the chance of the reports of one value's periods, up to a factor. The factor
// depends only on their number. `sent` has the number of reports of one cell of each kind.
double log_chance(const std::array<double, 3>& permanent, const std::array<double, 3>& sent,
                  const MemoizedPart& part) {
  const double most = part.log_ratio * std::max({sent[0], sent[1], sent[2]});
  double sum = 0;
  for (std::size_t m = 0; m < part.kinds; ++m) {
    sum += permanent[m] * std::exp(sent[m] * part.log_ratio - most);
  }
  if (part.kinds == 3) sum += permanent[2] * (part.third_cells - 1) * std::exp(-most);
  return most + std::log(sum);
}

// With two cells the ratio is monotone in the number of reports of each group (a ratio of linear
// functions), so every group sends one cell. With three kinds the test compares with all reports.
double part_loss(const MemoizedPart& part, const GroupSizes& sizes) {
  double largest = 0;
  std::array<std::size_t, 4> cell{};
  const std::size_t combinations = part.kinds * part.kinds * part.kinds * part.kinds;
  for (std::size_t c = 0; c < combinations; ++c) {
    std::size_t rest = c;
    bool needless = false;
    for (std::size_t g = 0; g < 4; ++g, rest /= part.kinds) {
      cell[g] = rest % part.kinds;
      needless = needless || (sizes[g] == 0 && cell[g] != 0);
    }
    if (needless) continue;
    const auto chance = [&](const std::array<double, 3>& permanent, std::size_t a, std::size_t b) {
      std::array<double, 3> sent{};
      sent[cell[a]] += sizes[a];
      sent[cell[b]] += sizes[b];
      return log_chance(permanent, sent, part);
    };
    largest = std::max(largest, chance(part.first, 0, 1) + chance(part.second, 2, 3) -
                                    chance(part.first, 0, 2) - chance(part.second, 1, 3));
  }
  return largest;
}

double loss_of(const std::vector<MemoizedPart>& parts, const GroupSizes& sizes) {
  double sum = 0;
  for (const MemoizedPart& part : parts) sum += part.copies * part_loss(part, sizes);
  return sum;
}

// Calls `visit` with all sizes of sum `periods`.
template <typename Visit>
void for_all_sizes(Period periods, const std::array<bool, 4>& used, const Visit& visit) {
  GroupSizes sizes{};
  for (sizes[0] = 0; sizes[0] <= (used[0] ? periods : 0); ++sizes[0]) {
    const Period after_first = periods - sizes[0];
    for (sizes[1] = 0; sizes[1] <= (used[1] ? after_first : 0); ++sizes[1]) {
      const Period after_second = after_first - sizes[1];
      for (sizes[2] = 0; sizes[2] <= (used[2] ? after_second : 0); ++sizes[2]) {
        sizes[3] = after_second - sizes[2];
        if (sizes[3] == 0 || used[3]) visit(sizes);
      }
    }
  }
}

// Above this number of periods sizes are searched instead of enumerated.
constexpr Period kEnumerated = 32;

// The best points of a coarse grid, and from each of them uphill in ever smaller steps.
double searched_loss(const std::vector<MemoizedPart>& parts, Period periods,
                     const std::array<std::size_t, 3>& groups) {
  using Point = std::array<std::int64_t, 2>;
  constexpr std::int64_t kGrid = 16;
  constexpr std::size_t kStarts = 4;
  const std::int64_t all = periods;
  const auto loss_at = [&](const Point& at) {
    if (at[0] < 0 || at[1] < 0 || at[0] + at[1] > all) return -1.0;
    GroupSizes sizes{};
    sizes[groups[0]] = static_cast<std::uint32_t>(at[0]);
    sizes[groups[1]] = static_cast<std::uint32_t>(at[1]);
    sizes[groups[2]] = static_cast<std::uint32_t>(all - at[0] - at[1]);
    return loss_of(parts, sizes);
  };
  std::vector<std::pair<double, Point>> grid;
  for (std::int64_t i = 0; i <= kGrid; ++i) {
    for (std::int64_t j = 0; i + j <= kGrid; ++j) {
      const Point at = {i * all / kGrid, j * all / kGrid};
      grid.emplace_back(loss_at(at), at);
    }
  }
  std::sort(grid.begin(), grid.end(), std::greater<>());
  double largest = 0;
  for (std::size_t start = 0; start < kStarts; ++start) {
    auto [loss, at] = grid[start];
    for (std::int64_t step = all / kGrid; step > 0; step /= 2) {
      constexpr std::array<Point, 6> kMoves = {Point{1, 0},  Point{-1, 0}, Point{0, 1},
                                               Point{0, -1}, Point{1, -1}, Point{-1, 1}};
      for (std::size_t tried = 0; tried < kMoves.size();) {
        const Point next = {at[0] + step * kMoves[tried][0], at[1] + step * kMoves[tried][1]};
        const double there = loss_at(next);
        tried = there > loss ? 0 : tried + 1;
        if (there > loss) loss = there, at = next;
      }
    }
    largest = std::max(largest, loss);
  }
  return largest;
}

double largest_loss(const std::vector<MemoizedPart>& parts, Period periods,
                    const std::array<bool, 4>& used) {
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < used.size(); ++g) {
    if (used[g]) groups.push_back(g);
  }
  if (groups.size() == 3 && periods > kEnumerated) {
    return searched_loss(parts, periods, {groups[0], groups[1], groups[2]});
  }
  double largest = 0;
  for_all_sizes(periods, used, [&](const GroupSizes& sizes) {
    largest = std::max(largest, loss_of(parts, sizes));
  });
  return largest;
}

}  // namespace

MemoizedPart memoized_grr(std::uint32_t cells, double own, double other, double log_ratio) {
  return {{own, other, other}, {other, own, other}, cells > 2 ? 3U : 2U, log_ratio, cells - 2.0};
}

// With one change, any three of the four groups may occur, in any sizes: first/first, first/second,
// second/second; first/second, first/first, second/first; and so on. With two changes all four.
double memoized_loss(const std::vector<MemoizedPart>& parts, Period num_periods,
                     std::uint32_t max_changes) {
  if (max_changes == 0) {
    return std::max(loss_of(parts, {0, num_periods, 0, 0}), loss_of(parts, {0, 0, num_periods, 0}));
  }
  if (max_changes > 1 && num_periods <= 16) {
    return largest_loss(parts, num_periods, {true, true, true, true});
  }
  double largest = 0;
  for (std::size_t missing = 0; missing < 4; ++missing) {
    std::array<bool, 4> used = {true, true, true, true};
    used[missing] = false;
    largest = std::max(largest, largest_loss(parts, num_periods, used));
  }
  return largest;
}

double memoized_loss_from_zero(const std::vector<MemoizedPart>& parts, Period num_periods) {
  return std::max(largest_loss(parts, num_periods, {true, true, false, true}),
                  largest_loss(parts, num_periods, {true, false, true, true}));
}

}  // namespace futurerand
