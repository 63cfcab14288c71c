#include "futurerand/audit/empirical.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>

#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/simulator/populations/workers.hpp"

namespace futurerand {
namespace {

using Pair = std::pair<Flips, Flips>;
using Samples = std::vector<ClientTranscript>;

// Possible numbers of transcript bits in an event; every choice is tried.
constexpr std::array<std::uint32_t, 10> kPositions = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12};

// Transcripts of a group can be compared bit by bit: they have the same header and length.
using Group = std::pair<std::uint64_t, std::uint32_t>;

Group group_of(const ClientTranscript& sent) { return {sent.header, sent.length()}; }

// The distinctions of an event: the group of a transcript and its bits at chosen positions.
struct Lens {
  std::map<Group, std::pair<std::uint32_t, std::vector<std::uint32_t>>>
      groups;  // number, positions
  std::uint32_t num_positions = 0;

  // Returns none for a group never seen while choosing.
  std::optional<std::uint64_t> seen(const ClientTranscript& sent) const {
    const auto found = groups.find(group_of(sent));
    if (found == groups.end()) return std::nullopt;
    const auto& [number, positions] = found->second;
    std::uint64_t pattern = 0;
    const std::size_t used = std::min<std::size_t>(num_positions, positions.size());
    for (std::size_t i = 0; i < used; ++i) {
      pattern |= std::uint64_t{sent.bit(positions[i])} << i;
    }
    return (std::uint64_t{number} << 32) | pattern;
  }
};

struct Event {
  Lens lens;
  std::vector<std::uint64_t> members;  // sorted

  bool contains(const ClientTranscript& sent) const {
    const std::optional<std::uint64_t> seen = lens.seen(sent);
    return seen && std::binary_search(members.begin(), members.end(), *seen);
  }
};

struct Choice {
  double score = -std::numeric_limits<double>::infinity();
  std::size_t pair = 0;
  bool second_is_likely = false;
  Event event;
};

// Ranks the positions of each group by the difference of their bits between the two, largest first.
Lens rank_positions(const Samples& first, const Samples& second) {
  std::map<Group, std::vector<double>> lead;
  const auto add = [&](const ClientTranscript& sent, double sign) {
    std::vector<double>& at = lead[group_of(sent)];
    at.resize(sent.length());
    for (std::uint32_t i = 0; i < at.size(); ++i) at[i] += sent.bit(i) ? sign : -sign;
  };
  for (std::size_t s = 0; s < first.size() / 2; ++s) {
    add(first[s], +1);
    add(second[s], -1);
  }
  Lens lens;
  for (const auto& [group, at] : lead) {
    std::vector<std::uint32_t> order(at.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&at = at](std::uint32_t a, std::uint32_t b) {
      return std::abs(at[a]) > std::abs(at[b]);
    });
    order.resize(std::min<std::size_t>(order.size(), kPositions.back()));
    const auto number = static_cast<std::uint32_t>(lens.groups.size());
    lens.groups[group] = {number, std::move(order)};
  }
  return lens;
}

struct Tally {
  std::uint64_t value;
  std::array<double, 2> ranked{};  // by sequence, in the ranking quarter
  std::array<double, 2> scored{};  // and in the scoring quarter
};

std::vector<Tally> tally(const Lens& lens, const Samples& first, const Samples& second) {
  std::unordered_map<std::uint64_t, Tally> tallies;
  for (std::size_t side = 0; side < 2; ++side) {
    const Samples& samples = side == 0 ? first : second;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const std::optional<std::uint64_t> seen = lens.seen(samples[s]);
      if (!seen) continue;
      Tally& at = tallies.try_emplace(*seen, Tally{*seen}).first->second;
      ++(s < samples.size() / 2 ? at.ranked : at.scored)[side];
    }
  }
  std::vector<Tally> all;
  for (const auto& [value, at] : tallies) all.push_back(at);
  std::sort(all.begin(), all.end(),
            [](const Tally& a, const Tally& b) { return a.value < b.value; });
  return all;
}

// Sets of transcripts grow by falling ratio in the ranking quarter. The best is chosen in the other
// quarter, by a normal lower bound of the log ratio.
void choose(std::size_t pair, const Lens& lens, std::vector<Tally> tallies, double z,
            Choice& best) {
  for (const bool second_is_likely : {false, true}) {
    const std::size_t likely = second_is_likely ? 1 : 0;
    const auto ratio = [&](const Tally& at) {
      return (at.ranked[likely] + 1) / (at.ranked[1 - likely] + 1);
    };
    std::stable_sort(tallies.begin(), tallies.end(),
                     [&](const Tally& a, const Tally& b) { return ratio(a) > ratio(b); });
    double in = 0, out = 0, highest = best.score;
    std::size_t size = 0;
    for (std::size_t j = 0; j < tallies.size(); ++j) {
      in += tallies[j].scored[likely];
      out += tallies[j].scored[1 - likely];
      const double score =
          std::log(std::max(in, 0.5) / (out + 1)) - z * std::sqrt(1 / (in + 1) + 1 / (out + 1));
      if (score <= highest) continue;
      highest = score;
      size = j + 1;
    }
    if (size == 0) continue;
    best = {highest, pair, second_is_likely, {lens, {}}};
    for (std::size_t i = 0; i < size; ++i) best.event.members.push_back(tallies[i].value);
  }
  std::sort(best.event.members.begin(), best.event.members.end());
}

// Draws samples of one sequence; `sequence` and the sample's number find its randomness. Returns
// false if the client failed.
bool sample(const ClientRun& client, const Flips& flips, std::uint64_t sequence,
            std::uint64_t first, const EmpiricalSettings& settings, const Workers& workers,
            Samples& samples) {
  std::atomic<bool> failed{false};
  workers.for_each_chunk(samples.size(), [&](unsigned, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t s = from; s < to; ++s) {
      PhiloxSource source(settings.key, Stream::kDevice, sequence, first + s);
      if (!client(flips, source, samples[s])) failed = true;
    }
  });
  return !failed;
}

Flips run_of(Period first, Period count, Period num_periods) {
  Flips flips;
  for (Period t = first; t < first + count && t <= num_periods; ++t) flips.push_back(t);
  return flips;
}

}  // namespace

std::vector<Pair> audited_pairs(Period num_periods, std::uint32_t max_changes,
                                const SimulationKey& key) {
  const Period d = num_periods;
  const Period k = std::min<Period>(max_changes, d);
  const Period more = std::min<Period>(2 * max_changes, d);
  const Flips never;
  std::vector<Pair> pairs = {
      {never, {1}},
      {never, {d / 2 + 1}},
      {never, {d}},
      {never, run_of(1, k, d)},
      {never, run_of(d - k + 1, k, d)},
      {never, run_of(1, more, d)},
      {never, run_of(1, d, d)},
      {{1}, {d}},
      {run_of(1, k, d), run_of(2, k, d)},  // opposite signs wherever both change
      {run_of(1, more, d), run_of(2, more, d)},
      {run_of(1, d, d), run_of(2, d, d)},
  };
  for (std::uint64_t i = 0; i < 4; ++i) {
    PhiloxSource source(key, Stream::kPopulation, 0, i);
    UniformBits bits(source);
    Pair pair;
    // Each period flips with a chance of its own, so that both have about k changes.
    for (Period t = 1; t <= d; ++t) {
      if (bits.below(d) < k) pair.first.push_back(t);
      if (bits.below(d) < k) pair.second.push_back(t);
    }
    pairs.push_back(std::move(pair));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, [](const Pair& pair) { return pair.first == pair.second; });
  return pairs;
}

Result<EmpiricalAudit> audit_empirically(const ClientRun& client, const std::vector<Pair>& pairs,
                                         const EmpiricalSettings& settings) {
  const double alpha = (1 - settings.confidence) / 2;  // for each of the two probabilities
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), alpha));
  const std::uint64_t half = settings.samples / 2;
  const Workers workers(settings.threads, settings.cancel);
  const double steps = static_cast<double>(pairs.size()) + 1;
  const Error broken{"the client failed to run; nothing can be said about it"};

  Choice best;
  Samples first(half), second(half);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (!sample(client, pairs[p].first, 2 * p, 0, settings, workers, first) ||
        !sample(client, pairs[p].second, 2 * p + 1, 0, settings, workers, second)) {
      return broken;
    }
    if (workers.cancelled()) return Error{"interrupted"};
    Lens lens = rank_positions(first, second);
    for (const std::uint32_t positions : kPositions) {
      lens.num_positions = positions;
      choose(p, lens, tally(lens, first, second), z, best);
    }
    if (settings.progress) settings.progress(static_cast<double>(p + 1) / steps);
  }

  const Pair& pair = pairs[best.pair];
  if (!sample(client, pair.first, 2 * best.pair, half, settings, workers, first) ||
      !sample(client, pair.second, 2 * best.pair + 1, half, settings, workers, second)) {
    return broken;
  }
  if (workers.cancelled()) return Error{"interrupted"};
  const auto count = [&](const Samples& samples) {
    return static_cast<std::uint64_t>(
        std::count_if(samples.begin(), samples.end(),
                      [&](const ClientTranscript& sent) { return best.event.contains(sent); }));
  };
  std::array<std::uint64_t, 2> seen = {count(first), count(second)};
  if (best.second_is_likely) std::swap(seen[0], seen[1]);

  using Binomial = boost::math::binomial_distribution<double>;
  const double trials = static_cast<double>(half);
  const double low = Binomial::find_lower_bound_on_p(trials, static_cast<double>(seen[0]), alpha);
  const double high = Binomial::find_upper_bound_on_p(trials, static_cast<double>(seen[1]), alpha);
  return EmpiricalAudit{low > high ? std::log(low / high) : 0,
                        pairs.size(),
                        best.second_is_likely ? pair.second : pair.first,
                        best.second_is_likely ? pair.first : pair.second,
                        best.event.lens.num_positions,
                        half,
                        seen[0],
                        seen[1]};
}

}  // namespace futurerand
