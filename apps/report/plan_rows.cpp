#include "apps/report/plan_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/cli/failure.hpp"
#include "apps/report/drowned.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/privacy/shuffle.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/influence.hpp"
#include "futurerand/estimator/predicted.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand::apps {
namespace {

using RowProgress = std::function<void(double)>;

void describe_published(const Result<double>& central, PlanRow& row) {
  if (central) {
    row.central_epsilon = *central;
  } else {
    row.no_central_epsilon = central.error().message;
  }
}

// Finds the least number of users for which rmse(users) is at most a share of them; none if 2^50
// users do not suffice. `progress` hears the share of the at most 100 tries.
template <typename Rmse>
std::optional<double> users_needed(Rmse&& rmse, double target, const RowProgress& progress) {
  int tries = 0;
  const auto enough = [&](std::uint64_t users) -> std::optional<bool> {
    progress(std::min(1.0, 0.01 * tries++));
    const std::optional<double> error = rmse(users);
    if (!error) return std::nullopt;
    return *error <= target * static_cast<double>(users);
  };
  std::uint64_t low = 0, high = 1;
  for (; high < std::uint64_t{1} << 50; high *= 2) {
    const std::optional<bool> reached = enough(high);
    if (!reached) return std::nullopt;
    if (*reached) break;
    low = high;
  }
  if (!enough(high).value_or(false)) return std::nullopt;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (enough(middle).value_or(false) ? high : low) = middle;
  }
  return static_cast<double>(high);
}

void describe_plan(const PlanCommandFlags& flags, const Plan& plan, PlanRow& row,
                   const RowProgress& progress) {
  const PlanCertificate certificate = or_bad_input(certify(plan));
  row.deployable = true;
  row.guarantee = certificate.certified() ? Guarantee::kWholeSequence : Guarantee::kPerValue;
  row.gap = common_gap(certificate);
  row.exact_epsilon = certificate.exact_epsilon();
  describe_published(shuffled_epsilon(*row.exact_epsilon, flags.users, flags.delta), row);
  const auto error_for = [&](double users) {
    if (is_online(plan.protocol, flags.estimator)) return predict_error(plan, users);
    return summarize(predicted_variances(plan, flags.estimator, users, flags.drift));
  };
  row.error = error_for(static_cast<double>(flags.users));
  if (flags.liars) {
    const Influence influence = influence_of_one(plan, flags.users);
    const double liars = std::floor(*flags.liars * static_cast<double>(flags.users));
    row.liars_move_last = liars * influence.most.back();
    row.liars_move_most = liars * *std::max_element(influence.most.begin(), influence.most.end());
  }
  if (!flags.target_error) return;
  if (flags.estimator == EstimatorKind::kTrend) {
    row.users_needed = users_needed(
        [&](std::uint64_t users) {
          return std::optional(error_for(static_cast<double>(users)).rmse);
        },
        *flags.target_error, progress);
  } else {
    // Errors grow with the root of the number of users, so as a share of the users they fall with
    // it: rmse(1) sqrt(n) <= share n.
    const double root = error_for(1).rmse / *flags.target_error;
    row.users_needed = std::ceil(root * root);
  }
}

std::optional<double> predicted_rmse(std::string_view name, const ProtocolSettings& settings) {
  const auto protocol = make_simulated_protocol(name, settings);
  if (!protocol) return std::nullopt;
  const auto variances = (*protocol)->predicted_variances();
  if (!variances) return std::nullopt;
  const double sum = std::accumulate(variances->begin(), variances->end(), 0.0);
  return std::sqrt(sum / settings.num_periods);
}

void describe_rival(const PlanCommandFlags& flags, const SimulatedProtocol& protocol,
                    const ProtocolSettings& settings, PlanRow& row, const RowProgress& progress) {
  row.guarantee = protocol.traits().guarantee;
  row.online = protocol.traits().online;
  row.exact_epsilon = protocol.sequence_loss().epsilon;
  row.unbounded = !row.exact_epsilon;
  describe_published(protocol.published_epsilon(flags.users, flags.delta), row);
  if (const auto variances = protocol.predicted_variances()) row.error = summarize(*variances);
  if (flags.target_error) {
    // A rival's error need not grow with the root of the users, so it is searched for.
    row.users_needed = users_needed(
        [&](std::uint64_t users) {
          ProtocolSettings with = settings;
          with.num_users = users;
          return predicted_rmse(row.name, with);
        },
        *flags.target_error, progress);
  }
}

PlanRow make_row(const PlanCommandFlags& flags, std::string_view name,
                 const RowProgress& progress) {
  PlanRow row;
  row.name = name;
  const ProtocolSettings settings{flags.users,         flags.plan.periods,     flags.plan.changes,
                                  flags.plan.budget(), EstimatorKind::kOnline, flags.constants};
  if (const std::optional<Protocol> planned = protocol_named(name)) {
    const Result<Plan> plan =
        make_plan(*planned, settings.num_periods, settings.max_changes, settings.epsilon);
    if (!plan) {
      row.unavailable = plan.error().message;
      return row;
    }
    describe_plan(flags, *plan, row, progress);
  } else {
    const auto protocol = make_simulated_protocol(name, settings);
    // What a rival can refuse here is a flag of its own.
    if (!protocol) throw bad_input(protocol.error().message);
    describe_rival(flags, **protocol, settings, row, progress);
  }
  return row;
}

}  // namespace

std::vector<PlanRow> make_rows(const PlanCommandFlags& flags,
                               const std::function<void(double)>& progress) {
  const std::vector<std::string_view> names = simulated_protocol_names();
  std::vector<PlanRow> rows;
  const auto of_all = [&](double share) {
    if (!progress) return;
    progress((static_cast<double>(rows.size()) + share) / static_cast<double>(names.size()));
  };
  for (const std::string_view name : names) {
    of_all(0);
    rows.push_back(make_row(flags, name, of_all));
  }
  return rows;
}

const PlanRow* recommended(const std::vector<PlanRow>& rows) {
  const PlanRow* best = nullptr;
  for (const PlanRow& row : rows) {
    if (!row.deployable || !row.sequence_private()) continue;
    if (best == nullptr || row.error->rmse < best->error->rmse) best = &row;
  }
  return best;
}

std::string plan_warning(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows) {
  const PlanRow* best = recommended(rows);
  if (best == nullptr) return "";
  constexpr double kLevel = 0.95;
  PeriodEstimate typical;
  typical.stddev = best->error->rmse;
  const Band band = pointwise_bands({typical}, kLevel).front();
  return drowned(flags.users, band.upper - band.lower, kLevel);
}

}  // namespace futurerand::apps
