#include "futurerand/simulator/engines/run_churn.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/simulator/engines/adversaries.hpp"
#include "futurerand/simulator/engines/run_rows.hpp"
#include "futurerand/simulator/engines/view_reports.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

struct Lived {
  ChurnSums sums;
  std::vector<ViewReports> views;
  // Each worker opens its own; a copy of the zero has none yet.
  std::shared_ptr<RandomSource> entropy;
  std::vector<std::uint64_t> minus, zero;  // the transcript of the device at hand
  Values states;                           // its values, if it answers questions of its row
  bool failed = false;

  void merge(const Lived& other) {
    sums.merge(other.sums);
    for (std::size_t v = 0; v < views.size(); ++v) views[v].merge(other.views[v]);
    failed |= other.failed;
  }
};

// Sends everything due by `last`, and nothing later. Values before joining are unseen.
template <typename Emit>
bool live_until(Device& device, const Values& values, const Participation& participation,
                RandomSource& coins, Emit&& emit) {
  if (participation.last < participation.joined) return true;
  const std::uint32_t first = value_at(values, participation.joined);
  if (!device.observe(participation.joined, first, coins, emit)) return false;
  for (const ValueFrom& at : values) {
    if (at.period <= participation.joined) continue;
    if (at.period > participation.last) break;
    if (!device.observe(at.period, at.value, coins, emit)) return false;
  }
  return device.now() >= participation.last ||
         device.observe(participation.last, device.value(), coins, emit);
}

// `row` is 0 if devices answer no questions of rows.
bool receive(const CertifiedPlan& plan, CodingRow row, const Values& values,
             const Participation& participation, RandomSource& source, Lived& lived) {
  Result<Device> device = Device::join(plan, participation.joined, source);
  if (!device) return false;
  const Enrolment enrolment = device->enrolment(ClientId{});
  Sums& sums = lived.sums.simulated.sums;
  sums.enrol(enrolment.view, enrolment.period, enrolment.index);
  ViewReports& reports = lived.views[enrolment.view];
  std::optional<Presence>& presence = lived.sums.presence;
  if (presence) {
    std::fill(lived.minus.begin(), lived.minus.end(), 0);
    std::fill(lived.zero.begin(), lived.zero.end(), 0);
  }
  const auto emit = [&](const SignRun& run) {
    reports.add(run);
    if (!presence) return;
    const std::uint32_t at = run.first_index - 1;
    lived.minus[at / 64] |= run.minus << (at % 64);
    if (!lived.zero.empty()) lived.zero[at / 64] |= run.silent << (at % 64);
  };
  if (!live_until(*device, values, participation, source, emit)) return false;
  const Plan& terms = plan.plan();
  const ViewKind kind = terms.views[enrolment.view].kind;
  if ((kind == ViewKind::kInnovation || kind == ViewKind::kOnce) &&
      variation(values, terms.initial, participation.joined, participation.last) >
          std::uint64_t{terms.max_changes} * terms.coding.full_scale()) {
    ++lived.sums.simulated.clipped_users;
  }
  if (!presence) return true;
  const Transcript transcript{.joined = participation.joined,
                              .next = participation.last + 1,
                              .minus = lived.minus.data(),
                              .zero = lived.zero.empty() ? nullptr : lived.zero.data(),
                              .row = row};
  presence->change(transcript.before(participation.joined), transcript);
  return true;
}

// Calls receive(user, source) with the source of a user's randomness.
template <typename Receive>
bool with_source(const Trial& trial, std::uint64_t user, std::shared_ptr<RandomSource>& entropy,
                 Receive&& receive) {
  if (trial.entropy) {
    if (!entropy) entropy = trial.entropy();
    return receive(*entropy);
  }
  PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
  return receive(source);
}

Error no_entropy() {
  return {"the devices' source of randomness failed; nothing was sent", ErrorCode::kNoEntropy};
}

}  // namespace

Result<ChurnSums> run_participants(const CertifiedPlan& plan, const Population& population,
                                   const Trial& trial, const std::optional<Presence>& presence,
                                   const TakesPart& takes_part) {
  const Period periods = plan.plan().num_periods;
  const Coding& coding = plan.plan().coding;
  Lived zero{{{Sums(plan.plan()), 0}, {}}, {}, nullptr, {}, {}, {}};
  if (presence) {
    zero.sums.presence = presence;
    const std::size_t words = (std::size_t{periods} + 63) / 64;
    zero.minus.resize(words);
    zero.zero.resize(zero.sums.presence->estimate().has_zeros() ? words : 0);
  }
  for (const View& view : plan.plan().views) {
    zero.views.emplace_back(view.num_indices(periods), may_be_zero(view.law));
  }
  Lived lived = fold_users<Values>(
      population, trial.workers, zero, [&](Lived& sum, std::uint64_t user, const Values& drawn) {
        if (sum.failed) return;
        Values values = drawn;
        const std::optional<Participation> participation = takes_part(user, values);
        if (!participation) return;
        sum.failed = !with_source(trial, user, sum.entropy, [&](RandomSource& source) {
          if (!coding.has_rows()) return receive(plan, 0, values, *participation, source, sum);
          std::uint64_t row_bits = 0;
          if (!source.fill({&row_bits, 1})) return false;
          const CodingRow row = row_from_bits(coding, row_bits);
          states_of(row, values, sum.states);
          return receive(plan, row, sum.states, *participation, source, sum);
        });
      });
  if (lived.failed) return no_entropy();
  for (std::uint32_t v = 0; v < lived.views.size(); ++v) {
    lived.views[v].fold_into(lived.sums.simulated.sums, v);
  }
  return std::move(lived.sums);
}

Result<ChurnTrial> run_churn(const CertifiedPlan& plan, const Population& population,
                             const Churn& churn, const Trial& trial,
                             const std::optional<Presence>& presence) {
  const Period periods = plan.plan().num_periods;
  Result<ChurnSums> lived =
      run_participants(plan, population, trial, presence,
                       [&](std::uint64_t user, Values& values) -> std::optional<Participation> {
                         if (churn.is_liar(user, population.num_users())) return std::nullopt;
                         return churn.of(user, values);
                       });
  if (!lived) return lived.error();
  ChurnTrial all{*lived};
  const std::uint64_t liars = churn.num_liars(population.num_users());
  if (liars == 0) return all;
  all.honest = *std::move(lived);
  all.influence = influence_on(plan.plan(), all.honest->simulated.sums, periods);
  const Adversaries adversaries(plan, churn.attack(), all.influence);
  std::shared_ptr<RandomSource> entropy;
  for (std::uint64_t user = 0; user < liars && !trial.workers.cancelled(); ++user) {
    const bool told = with_source(trial, user, entropy, [&](RandomSource& source) {
      return adversaries.tell(source, all.all.simulated.sums, all.all.presence);
    });
    if (!told) return no_entropy();
  }
  return all;
}

}  // namespace futurerand
