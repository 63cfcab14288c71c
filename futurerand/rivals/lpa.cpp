// LPA of LDP-IDS: some users judge whether the count moved, others are asked for a new one.
//
// Model: local, online. Half of the users are judges and half are publishers, each in w groups. In
//   every period a group of judges reports by randomized response with all of epsilon. If their
//   estimate is further from the published one than noise explains, the server asks publishers: the
//   groups of all periods since the last publication. After asking j groups it skips j - 1 periods.
//   Every group rests for w periods after a report.
// Guarantee: w-event: epsilon in any w periods, so up to ceil(d/w) epsilon over the horizon. The
//   default window is the horizon; only then is it private over the whole sequence.
// Estimator: the publishers' estimate, held until the next one. A held estimate is biased, so no
//   variance is stated for a period. The stddev is that of the last publication.
// Constants: the window w.
// Source: Ren, Shi, Yu, Yang, Zhao, Xu, "LDP-IDS: local differential privacy for infinite data
//   streams", SIGMOD 2022, from SECONDARY descriptions. Its LPU with w = d is `snapshot` here, its
//   LBU with w = d is `repeated`.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string>

#include "futurerand/simulator/engines/bernoulli.hpp"
#include "futurerand/simulator/engines/binomial.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::lpa {
namespace {

constexpr std::array kConstants = {ProtocolConstant{
    "lpa-window", "W", "periods in which a user spends epsilon once; default: all", {}, true}};

// A trial counts how many of each group of publishers hold 1 in each period.
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 24;

struct Groups {
  Period window;
  std::vector<std::uint64_t> judges;        // by group
  std::vector<std::uint64_t> judging_ones;  // by period: judges of its group with value 1
  std::vector<std::uint64_t> publishers;    // by group
  std::vector<std::int32_t> steps;          // by group and period: how the number of ones changes

  Groups(Period window_in, Period periods)
      : window(window_in),
        judges(window),
        judging_ones(periods),
        publishers(window),
        steps(std::size_t{window} * periods) {}

  void add(const Flips& flips, Period group, bool judges_now) {
    const auto periods = static_cast<Period>(judging_ones.size());
    if (!judges_now) {
      ++publishers[group];
      for (std::size_t i = 0; i < flips.size(); ++i) {
        steps[std::size_t{group} * periods + flips[i] - 1] += i % 2 == 0 ? 1 : -1;
      }
      return;
    }
    ++judges[group];
    for (Period t = group + 1; t <= periods; t += window) {
      judging_ones[t - 1] += value_at(flips, t);
      if (periods - t < window) break;
    }
  }

  void merge(const Groups& other) {
    const auto sum = [](auto& to, const auto& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    sum(judges, other.judges);
    sum(judging_ones, other.judging_ones);
    sum(publishers, other.publishers);
    sum(steps, other.steps);
  }

  std::uint64_t publishing_ones(Period group, Period t) const {
    std::int64_t ones = 0;
    for (Period s = 0; s < t; ++s) ones += steps[std::size_t{group} * judging_ones.size() + s];
    return static_cast<std::uint64_t>(ones);
  }
};

class Lpa final : public SimulatedProtocol {
 public:
  Lpa(const ProtocolSettings& settings, Period window)
      : settings_(settings),
        window_(window),
        gap_(std::tanh(settings.epsilon.value() / 2)),
        kept_((1 + gap_) / 2),
        traits_{"lpa",
                window < settings.num_periods ? Guarantee::kWindow : Guarantee::kWholeSequence,
                true,
                std::ceil(double{1} * settings.num_periods / window),
                1,
                window < settings.num_periods
                    ? "w-event privacy, in any " + std::to_string(window) + " periods"
                    : "w-event privacy; the window is the whole horizon",
                false} {}

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override { return std::nullopt; }

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const Period periods = settings_.num_periods;
    const Groups groups =
        fold_users(population, trial.workers, Groups(window_, periods),
                   [&](Groups& sum, std::uint64_t user, const Flips& flips) {
                     PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
                     UniformBits bits(source);
                     const bool judges_now = bits.word() & 1U;
                     sum.add(flips, bits.below(window_), judges_now);
                   });
    if (trial.workers.cancelled()) return TrialOutcome{};
    return publish(groups, trial);
  }

  SequenceLoss sequence_loss() const override {
    const double windows = std::ceil(double{1} * settings_.num_periods / window_);
    return {windows * settings_.epsilon.value(), "exact, over all pairs of sequences"};
  }

  Result<double> published_epsilon(std::uint64_t, double) const override {
    return Error{"the bound needs reports that do not depend on other users'"};
  }

  // The server asks as often as it may. The header is the first period asked.
  Result<ClientRun> client() const override {
    return ClientRun([window = window_, kept = kept_, periods = settings_.num_periods](
                         const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
      UniformBits bits(source);
      transcript.clear();
      transcript.header = bits.below(window) + 1;
      for (std::uint64_t t = transcript.header; t <= periods; t += window) {
        transcript.append(bernoulli(bits, kept) == value_at(flips, static_cast<Period>(t)));
      }
      return !bits.failed();
    });
  }

 private:
  struct Share {
    double estimate;
    double variance;  // of the noise only
  };

  Share ask(std::uint64_t users, std::uint64_t ones, PhiloxSource& source) const {
    const std::uint64_t sent = binomial(source, ones, threshold_of(kept_)) +
                               binomial(source, users - ones, threshold_of(1 - kept_));
    const double count = static_cast<double>(users);
    return {(static_cast<double>(sent) / count - (1 - kept_)) / gap_, noise(count)};
  }

  // Randomized response of epsilon: e^epsilon / (e^epsilon - 1)^2 over the users asked.
  double noise(double users) const { return kept_ * (1 - kept_) / (gap_ * gap_) / users; }

  TrialOutcome publish(const Groups& groups, const Trial& trial) const {
    const double users = static_cast<double>(settings_.num_users);
    std::deque<Period> rested;  // groups of publishers ready to be asked, longest rest first
    for (Period group = 0; group < window_; ++group) rested.push_back(group);
    std::deque<std::pair<Period, Period>> resting;  // group, and when it may be asked again
    Share published{0, 0};
    Period absorbed = 0;  // periods with unasked publishers
    Period skipped = 0;   // periods still to skip
    TrialOutcome outcome;
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      while (!resting.empty() && resting.front().second <= t) {
        rested.push_back(resting.front().first);
        resting.pop_front();
      }
      PhiloxSource source(trial.key, Stream::kCoins, trial.number, t);
      const Share judged = ask_judges(groups, t, source);
      if (skipped > 0) {
        --skipped;
      } else {
        absorbed = std::min<Period>(absorbed + 1, window_);
        const Period asked = std::min<Period>(absorbed, static_cast<Period>(rested.size()));
        std::uint64_t count = 0;
        for (Period i = 0; i < asked; ++i) count += groups.publishers[rested[i]];
        const double moved = judged.estimate - published.estimate;
        if (count > 0 && moved * moved - judged.variance > noise(static_cast<double>(count))) {
          std::uint64_t ones = 0;
          for (Period i = 0; i < asked; ++i) {
            ones += groups.publishing_ones(rested.front(), t);
            resting.push_back({rested.front(), t + window_});
            rested.pop_front();
          }
          published = ask(count, ones, source);
          const double share = std::clamp(published.estimate, 0.0, 1.0);
          published.variance += share * (1 - share) / static_cast<double>(count);
          skipped = asked - 1;
          absorbed = 0;
        }
      }
      outcome.estimates.push_back(
          {t, published.estimate * users, std::sqrt(published.variance) * users});
    }
    return outcome;
  }

  // Without judges nothing is known to have moved.
  Share ask_judges(const Groups& groups, Period t, PhiloxSource& source) const {
    const std::uint64_t judges = groups.judges[(t - 1) % window_];
    if (judges == 0) return {0, INFINITY};
    return ask(judges, groups.judging_ones[t - 1], source);
  }

  ProtocolSettings settings_;
  Period window_;
  double gap_;
  double kept_;  // probability of an unchanged value
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view,
                                                const ProtocolSettings& settings) {
  const double window = settings.constants.find(kConstants[0]).value_or(settings.num_periods);
  if (!(window >= 1 && window <= settings.num_periods)) {
    return Error{"lpa's window of " + std::to_string(window) +
                 " periods is out of range; expected 1 to " + std::to_string(settings.num_periods)};
  }
  const auto length = static_cast<Period>(window);
  const std::uint64_t counters = std::uint64_t{length} * settings.num_periods;
  if (counters > kMostCells) {
    return Error{"lpa needs window x periods = " + std::to_string(counters) +
                 " counters; expected at most " + std::to_string(kMostCells)};
  }
  return std::unique_ptr<SimulatedProtocol>(std::make_unique<Lpa>(settings, length));
}

}  // namespace

ProtocolKind rival() { return {"lpa", make, kConstants}; }

}  // namespace futurerand::lpa
