#include "futurerand/rivals/categories/category_protocol.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "futurerand/simulator/populations/held_counts.hpp"

namespace futurerand {
namespace {

// One constant for the three memoizing rivals: their authors vary it between 0.4 and 0.6.
constexpr std::array kConstants = {ProtocolConstant{
    "memo-first", "SHARE",
    "the first report's epsilon, as a share of epsilon; the same for l_osue and loloha", 0.5}};

// Counts by period and value.
struct Supporters {
  std::vector<std::uint64_t> reports;
  std::vector<std::uint64_t> supporters;
  std::vector<std::uint32_t> held;  // by the user at hand, period by period

  void merge(const Supporters& other) {
    for (std::size_t i = 0; i < reports.size(); ++i) reports[i] += other.reports[i];
    for (std::size_t i = 0; i < supporters.size(); ++i) supporters[i] += other.supporters[i];
  }
};

void spell_out(const Values& values, std::vector<std::uint32_t>& held) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t end = i + 1 < values.size() ? values[i + 1].period - 1 : held.size();
    for (std::size_t t = values[i].period - 1; t < end; ++t) held[t] = values[i].value;
  }
}

std::string one_digit(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 1);
  return {text, end.ptr};
}

std::string note_of(const CategoryRival& rival) {
  const std::optional<double> stated = rival.stated_loss();
  const SequenceLoss loss = rival.sequence_loss();
  if (!stated || !loss.epsilon) return "";
  return "loses epsilon " + one_digit(*loss.epsilon) + " over the sequence; its authors count " +
         one_digit(*stated);
}

class CategoryProtocol final : public SimulatedProtocol {
 public:
  CategoryProtocol(std::shared_ptr<const CategoryRival> rival, const ProtocolSettings& settings)
      : rival_(std::move(rival)),
        num_users_(static_cast<double>(settings.num_users)),
        num_periods_(settings.num_periods),
        num_values_(num_figures(settings.coding)),
        traits_{std::string(rival_->name()),
                rival_->guarantee(),
                true,
                rival_->bits() * rival_->reporting() * num_periods_,
                1,
                note_of(*rival_)} {}

  const ProtocolTraits& traits() const override { return traits_; }

  std::optional<std::vector<double>> predicted_variances() const override {
    return std::vector<double>(num_periods_ * num_values_,
                               num_users_ * rival_->variance(1 / static_cast<double>(num_values_)));
  }

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    const Supporters zero{std::vector<std::uint64_t>(num_periods_),
                          std::vector<std::uint64_t>(num_periods_ * num_values_),
                          std::vector<std::uint32_t>(num_periods_)};
    const Supporters received = fold_users<Values>(
        population, trial.workers, zero,
        [&](Supporters& sum, std::uint64_t user, const Values& values) {
          PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
          UniformBits bits(source);
          spell_out(values, sum.held);
          rival_->run(sum.held, bits, [&](Period t, std::span<const std::uint32_t> supported) {
            ++sum.reports[t - 1];
            for (const std::uint32_t v : supported) ++sum.supporters[(t - 1) * num_values_ + v];
          });
        });
    TrialOutcome outcome;
    for (std::size_t i = 0; i < received.supporters.size(); ++i) {
      const std::size_t t = i / num_values_;
      outcome.estimates.push_back(
          estimate_of(static_cast<Period>(t + 1), received.reports[t], received.supporters[i]));
    }
    return outcome;
  }

  SequenceLoss sequence_loss() const override { return rival_->sequence_loss(); }

  // The transcript has a bit for each period and value. For a device with one report the header is
  // its period.
  Result<ClientRun> client() const override {
    if (rival_->sends_more()) {
      return Error{"'" + traits_.name +
                   "' sends a hash with its reports, which is not tested as a black box"};
    }
    return ClientRun([rival = rival_, periods = num_periods_, values = num_values_](
                         const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
      transcript.clear();
      std::vector<std::uint32_t> held(periods);
      for (std::size_t i = 0; i < flips.size(); ++i) {
        std::fill(held.begin() + (flips[i] - 1), held.end(),
                  static_cast<std::uint32_t>((i + 1) % values));
      }
      UniformBits bits(source);
      rival->run(held, bits, [&](Period t, std::span<const std::uint32_t> supported) {
        if (rival->reporting() < 1) transcript.header = t;
        for (std::uint32_t v = 0; v < values; ++v) {
          transcript.append(std::find(supported.begin(), supported.end(), v) != supported.end());
        }
      });
      return !bits.failed();
    });
  }

 private:
  PeriodEstimate estimate_of(Period period, std::uint64_t reports, std::uint64_t supporters) const {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    if (reports == 0) return {period, kUnknown, kUnknown};
    const double count =
        rival_->estimate(static_cast<double>(supporters), static_cast<double>(reports), num_users_);
    const double share = std::clamp(count / num_users_, 0.0, 1.0);
    return {period, count, std::sqrt(num_users_ * rival_->variance(share))};
  }

  std::shared_ptr<const CategoryRival> rival_;
  double num_users_;
  Period num_periods_;
  std::size_t num_values_;
  ProtocolTraits traits_;
};

Result<std::unique_ptr<SimulatedProtocol>> make_category_protocol(
    std::string_view name, const ProtocolSettings& settings) {
  const double epsilon = settings.epsilon.value();
  const CategorySettings asked{static_cast<std::uint32_t>(num_figures(settings.coding)),
                               settings.num_periods, settings.max_changes, epsilon,
                               epsilon * settings.constants.at(kConstants.front())};
  for (const NamedCategoryRival& named : kCategoryRivals) {
    if (named.name != name) continue;
    Result<std::unique_ptr<CategoryRival>> rival = named.make(asked);
    if (!rival) return rival.error();
    return std::unique_ptr<SimulatedProtocol>(
        std::make_unique<CategoryProtocol>(*std::move(rival), settings));
  }
  std::abort();
}

}  // namespace

std::vector<ProtocolKind> category_rivals() {
  std::vector<ProtocolKind> kinds;
  for (const NamedCategoryRival& named : kCategoryRivals) {
    kinds.push_back({named.name, make_category_protocol, {}, CodingKind::kCategory});
    if (named.name == "l_grr") kinds.back().constants = kConstants;
  }
  return kinds;
}

}  // namespace futurerand
