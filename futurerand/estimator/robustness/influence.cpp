#include "futurerand/estimator/robustness/influence.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/expected_sums.hpp"
#include "futurerand/estimator/pulse_estimator.hpp"
#include "futurerand/estimator/robustness/grid_claims.hpp"
#include "futurerand/estimator/value_estimator.hpp"

namespace futurerand {
namespace {

void raise_to(double moved, const Claim& claim, double& most, Claim& by) {
  if (!(moved > most)) return;
  most = moved;
  by = claim;
}

void raise_to(const Influence& other, Influence& influence) {
  for (std::size_t t = 0; t < influence.most.size(); ++t) {
    raise_to(other.most[t], other.by[t], influence.most[t], influence.by[t]);
    raise_to(other.by_changes[t], other.in_changes[t], influence.by_changes[t],
             influence.in_changes[t]);
    influence.in_shares[t] = std::max(influence.in_shares[t], other.in_shares[t]);
  }
}

// The reports under attack, and the results so far.
class Attempts final : private EstimatorVisitor {
 public:
  Attempts(const Plan& plan, const Sums& honest, Period up_to)
      : plan_(plan),
        honest_(honest),
        enrolled_(honest.enrolled_by_period()),
        unused_(make_estimator(plan)),
        before_(estimates_of(honest, enrolled_, up_to)),
        influence_(up_to) {}

  Influence run() && {
    unused_->accept(*this);
    return std::move(influence_);
  }

 private:
  void visit(const InnovationEstimator&) override { try_one_by_one(0); }
  void visit(const HybridEstimator&) override {
    for (std::uint32_t v = 0; v < plan_.views.size(); ++v) {
      const bool takes_snapshots = plan_.views[v].kind == ViewKind::kSnapshot;
      takes_snapshots ? try_snapshots_of_hybrid(v) : try_one_by_one(v);
    }
  }
  void visit(const PulseEstimator&) override { try_pulses(); }
  void visit(const DyadicSumEstimator&) override { try_dyadic_sums(); }
  void visit(const ValueEstimator&) override { try_values(); }

  // Tries the claims of a view that reports changes or innovation by an estimate for each.
  void try_one_by_one(std::uint32_t v) {
    const Schedule schedule(plan_.views[v], plan_.num_periods);
    const Period first = schedule.due(1);
    Sums sums = honest_;
    for (const bool minus : {false, true}) {
      for (std::uint32_t index = 1; index <= schedule.last_due(up_to()); ++index) {
        minus ? sums.add(v, index, -2, 0) : sums.add(v, index, 1, 1);
      }
      try_out(sums, {v, 0, 1, minus});
      // Until its first report an enrolled device is assumed to be like the others. With the
      // opposite sign, enrolling only when the first report is due is therefore worse.
      if (1 < first && first <= up_to()) try_out(sums, {v, 0, first, minus});
    }
  }

  // Some reports count for the count and some against it. A liar sends pulses where they do.
  void try_pulses() {
    PulseEstimator estimator(plan_);
    for (Period t = 1; t <= up_to(); ++t) {
      if (!std::isfinite(estimator.advance(honest_, enrolled_[t - 1]).estimate)) continue;
      for (std::uint32_t v = 0; v < plan_.views.size(); ++v) {
        const PulseEstimator::Moves moves = estimator.one_device_moves(v);
        influence_.take(t, moves.up, {v, 0, 1, false}, ViewKind::kPulse);
        influence_.take(t, moves.down, {v, 0, 1, true}, ViewKind::kPulse);
        influence_.in_shares[t - 1] += share_of(v) * moves.up;
      }
    }
  }

  void try_snapshots_of_hybrid(std::uint32_t v) {
    GridClaims claims(plan_, v, honest_);
    for (Period t = 1; t <= up_to(); ++t) claims.advance(enrolled_[t - 1], influence_);
  }

  // A dyadic sum adds up at most one interval of each order, each by itself, and a device reports
  // one order.
  void try_dyadic_sums() {
    const double scale =
        static_cast<double>(plan_.views.size()) / to_double(gap(plan_.views.front().law));
    std::vector<std::vector<std::uint64_t>> owed;
    for (std::uint32_t v = 0; v < plan_.views.size(); ++v) {
      owed.push_back(honest_.expected_reports(v));
    }
    for (Period t = 1; t <= up_to(); ++t) {
      if (!std::isfinite(before_[t - 1].estimate)) continue;
      for_each_in_prefix(t, [&](DyadicInterval interval) {
        const IndexSum& at = honest_.at(interval.order, interval.index);
        const auto devices = static_cast<double>(owed[interval.order][interval.index - 1]);
        const auto sum = static_cast<double>(at.sum), count = static_cast<double>(at.count);
        const double said = at.count == 0 ? 0 : devices / count * sum;
        for (const int sign : {1, -1}) {
          const double moved = scale * ((devices + 1) / (count + 1) * (sum + sign) - said);
          influence_.take(t, moved, {interval.order, 0, 1, sign < 0}, ViewKind::kChanges);
          if (sign > 0) influence_.in_shares[t - 1] += share_of(interval.order) * moved;
        }
      });
    }
  }

  // For plans whose periods are counted by their own reports alone, or by all reports up to them. A
  // reporting device moves such a period the most. With a plus the mean of its reports is not below
  // the mean with one more silent device. With a minus it is not above.
  void try_values() {
    const Schedule schedule(plan_.views.front(), plan_.num_periods);
    const double c = to_double(gap(plan_.views.front().law));
    const double starts = schedule.draws_start() ? schedule.stride : 1;
    ValueEstimator estimator(plan_);
    for (Period t = 1; t <= up_to(); ++t) {
      const double before = estimator.advance(honest_, enrolled_[t - 1]).estimate;
      if (!std::isfinite(before)) continue;
      const auto moved = [&](int sum, unsigned count) {
        const IndexSum reports = estimator.last_reports() + IndexSum{sum, count, count};
        const auto devices = static_cast<double>(enrolled_[t - 1] + 1);
        return measure_value(reports, devices, c).value - before;
      };
      const std::uint32_t start = schedule.start_of(t);
      const double plus = moved(1, 1);
      influence_.take(t, plus, {0, start, 1, false}, schedule.kind);
      influence_.take(t, moved(-1, 1), {0, start, 1, true}, schedule.kind);
      influence_.in_shares[t - 1] += (plus + (starts - 1) * moved(0, 0)) / starts;
    }
  }

  Period up_to() const { return static_cast<Period>(before_.size()); }
  double share_of(std::uint32_t v) const {
    return static_cast<double>(plan_.views[v].weight) / static_cast<double>(plan_.total_weight());
  }

  std::vector<PeriodEstimate> estimates_of(const Sums& sums,
                                           const std::vector<std::uint64_t>& enrolled,
                                           Period up_to) const {
    const std::unique_ptr<Estimator> estimator = unused_->copy();
    std::vector<PeriodEstimate> estimates;
    estimates.reserve(up_to);
    for (Period t = 1; t <= up_to; ++t) {
      estimates.push_back(estimator->advance(sums, enrolled[t - 1]));
    }
    return estimates;
  }

  // Requires the honest sums with the claim's reports.
  void try_out(const Sums& sums, const Claim& claim) {
    std::vector<std::uint64_t> enrolled = enrolled_;
    for (Period t = claim.joined; t <= up_to(); ++t) ++enrolled[t - 1];
    const auto after = estimates_of(sums, enrolled, up_to());
    for (Period t = 1; t <= up_to(); ++t) {
      const double moved = after[t - 1].estimate - before_[t - 1].estimate;
      if (!std::isfinite(moved)) continue;
      influence_.take(t, moved, claim, plan_.views[claim.view].kind);
      if (claim.joined == 1 && !claim.minus) {
        influence_.in_shares[t - 1] += share_of(claim.view) * moved;
      }
    }
  }

  const Plan& plan_;
  const Sums& honest_;
  std::vector<std::uint64_t> enrolled_;
  std::unique_ptr<const Estimator> unused_;  // to copy
  std::vector<PeriodEstimate> before_;
  Influence influence_;
};

}  // namespace

void Influence::take(Period t, double moved, const Claim& claim, ViewKind kind) {
  raise_to(std::abs(moved), claim, most[t - 1], by[t - 1]);
  if (kind != ViewKind::kChanges) return;
  raise_to(std::abs(moved), claim, by_changes[t - 1], in_changes[t - 1]);
}

Influence influence_on(const Plan& plan, const Sums& honest, Period up_to) {
  return Attempts(plan, honest, up_to).run();
}

Influence influence_of_one(const Plan& plan) {
  Influence worst = influence_on(plan, steady_expected_sums(plan, 0), plan.num_periods);
  // Innovation and pulses are added up whatever anybody holds.
  const ViewKind kind = plan.views.front().kind;
  if (kind == ViewKind::kInnovation || kind == ViewKind::kPulse) return worst;
  for (int eighths = 1; eighths <= 8; ++eighths) {
    raise_to(influence_on(plan, steady_expected_sums(plan, eighths / 8.0), plan.num_periods),
             worst);
  }
  return worst;
}

std::vector<double> influence_on_active(const DeviceEstimate& estimate, Period up_to) {
  std::vector<double> most;
  for (Period t = 1; t <= up_to; ++t) most.push_back(estimate.most(t));
  return most;
}

}  // namespace futurerand
