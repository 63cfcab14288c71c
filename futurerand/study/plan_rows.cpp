#include "futurerand/study/plan_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/recommendation.hpp"
#include "futurerand/core/privacy/shuffle.hpp"
#include "futurerand/documents/too_noisy.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/predicted.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/estimator/robustness/influence.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"
#include "futurerand/estimator/robustness/view_shares.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/study/ranges.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand {
namespace {

void describe_published(const Result<double>& central, PlanRow& row) {
  if (central) {
    row.central_epsilon = *central;
  } else {
    row.no_central_epsilon = central.error().message;
  }
}

// Finds the least number of users for which rmse(users) is at most a share of them; none if 2^50
// users do not suffice, or it was stopped. There are at most 100 tries.
template <typename Rmse>
std::optional<double> users_needed(Rmse&& rmse, double target, const Progress& progress) {
  int tries = 0;
  const auto enough = [&](std::uint64_t users) -> std::optional<bool> {
    progress.show(std::min(1.0, 0.01 * tries++));
    if (progress.stopped()) return std::nullopt;
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

void describe_liars(const PlanQuestion& question, const Plan& plan, PlanRow& row) {
  const Influence influence = influence_of_one(plan);
  const auto liars =
      static_cast<std::uint64_t>(*question.liars * static_cast<double>(question.users));
  const auto number = static_cast<double>(liars);
  const double last = influence.most.back();
  row.liars_move_last = number * last;
  row.liars_move_most = number * *std::max_element(influence.most.begin(), influence.most.end());
  const std::uint64_t unnoticed = std::min(
      liars, unnoticed_claims(plan, influence.by.back(), question.users - liars, kAlarmRateEach));
  if (influence.in_shares.back() < last) {
    row.liars_unnoticed = static_cast<double>(unnoticed);
    row.liars_move_unnoticed =
        *row.liars_unnoticed * last + (number - *row.liars_unnoticed) * influence.in_shares.back();
  }
  if (const std::optional<ContributionCap> cap = contribution_cap(plan)) {
    row.liars_move_capped = number * cap->most.back();
    row.cap_bias = static_cast<double>(question.users) * cap->bias.back();
    row.liars_beyond_unnoticed = static_cast<double>(
        std::min(liars, most_beyond_unnoticed(question.users, question.periods)));
  }
}

Status describe_plan(const PlanQuestion& question, const Plan& plan, PlanRow& row,
                     const Progress& progress) {
  const Result<PlanCertificate> judged = certify(plan);
  if (!judged) return judged.error();
  const PlanCertificate& certificate = *judged;
  row.deployable = true;
  row.guarantee = certificate.certified() ? Guarantee::kWholeSequence : Guarantee::kPerValue;
  row.gap = common_gap(certificate);
  row.exact_epsilon = certificate.exact_epsilon();
  describe_published(shuffled_epsilon(*row.exact_epsilon, question.users, question.delta), row);
  const auto error_for = [&](double users) {
    if (is_online(plan, question.estimator)) return predict_error(plan, users);
    return summarize(predicted_variances(plan, question.estimator, users, question.drift));
  };
  row.error = error_for(static_cast<double>(question.users));
  if (plan.protocol == Protocol::kPulse) {
    const Result<Plan> innovation =
        make_plan(Protocol::kInnovation, plan.num_periods, plan.max_changes, plan.epsilon);
    row.recommendable = !innovation || pulse_errs_less(plan, predict_error(*innovation, 1).rmse);
  }
  if (question.liars) {
    describe_liars(question, plan, row);
  }
  if (!question.target_error) return {};
  if (question.estimator == EstimatorKind::kTrend) {
    row.users_needed = users_needed(
        [&](std::uint64_t users) {
          return std::optional(error_for(static_cast<double>(users)).rmse);
        },
        *question.target_error, progress);
  } else {
    // Errors grow with the root of the number of users, so as a share of the users they fall with
    // it: rmse(1) sqrt(n) <= share n.
    const double root = error_for(1).rmse / *question.target_error;
    row.users_needed = std::ceil(root * root);
  }
  return {};
}

std::optional<double> predicted_rmse(std::string_view name, const ProtocolSettings& settings) {
  const auto protocol = make_simulated_protocol(name, settings);
  if (!protocol) return std::nullopt;
  const auto variances = (*protocol)->predicted_variances();
  if (!variances) return std::nullopt;
  const double sum = std::accumulate(variances->begin(), variances->end(), 0.0);
  return std::sqrt(sum / settings.num_periods);
}

void describe_rival(const PlanQuestion& question, const SimulatedProtocol& protocol,
                    const ProtocolSettings& settings, PlanRow& row, const Progress& progress) {
  row.guarantee = protocol.traits().guarantee;
  row.online = protocol.traits().online;
  row.exact_epsilon = protocol.sequence_loss().epsilon;
  row.unbounded = !row.exact_epsilon;
  describe_published(protocol.published_epsilon(question.users, question.delta), row);
  if (const auto variances = protocol.predicted_variances()) row.error = summarize(*variances);
  if (question.target_error) {
    // A rival's error need not grow with the root of the users, so it is searched for.
    row.users_needed = users_needed(
        [&](std::uint64_t users) {
          ProtocolSettings with = settings;
          with.num_users = users;
          return predicted_rmse(row.name, with);
        },
        *question.target_error, progress);
  }
}

Result<PlanRow> make_row(const PlanQuestion& question, std::string_view name,
                         const Progress& progress) {
  PlanRow row;
  row.name = name;
  const ProtocolSettings settings = question.settings();
  if (const std::optional<Protocol> planned = protocol_named(name)) {
    const Result<Plan> plan =
        make_plan(*planned, settings.num_periods, settings.max_changes, settings.epsilon);
    if (!plan) {
      row.unavailable = plan.error().message;
      return row;
    }
    if (const Status told = describe_plan(question, *plan, row, progress); !told) {
      return told.error();
    }
  } else {
    const auto protocol = make_simulated_protocol(name, settings);
    if (!protocol) {
      // A constant that was given is a mistake to correct; settings that a rival cannot serve are
      // not.
      if (!settings.constants.empty()) return protocol.error();
      row.unavailable = protocol.error().message;
      return row;
    }
    describe_rival(question, **protocol, settings, row, progress);
  }
  return row;
}

Status check(const PlanQuestion& question) {
  return first_failure(kUsersRange.check(question.users), kPeriodsRange.check(question.periods),
                       kChangesRange.check(question.changes), kDeltaRange.check(question.delta),
                       kDriftRange.check(question.drift),
                       kTargetErrorRange.check(question.target_error.value_or(1)),
                       kLiarsRange.check(question.liars.value_or(0)));
}

}  // namespace

Result<std::vector<PlanRow>> make_plan_rows(const PlanQuestion& question,
                                            const Progress& progress) {
  if (const Status valid = check(question); !valid) return valid.error();
  const std::vector<std::string_view> names = simulated_protocol_names();
  std::vector<PlanRow> rows;
  const Progress of_all{progress.cancel, [&](double share) {
                          progress.show((static_cast<double>(rows.size()) + share) /
                                        static_cast<double>(names.size()));
                        }};
  for (const std::string_view name : names) {
    of_all.show(0);
    Result<PlanRow> row = make_row(question, name, of_all);
    if (progress.stopped()) return interrupted();
    if (!row) return row.error();
    rows.push_back(*std::move(row));
  }
  return rows;
}

const PlanRow* recommended(const std::vector<PlanRow>& rows) {
  const PlanRow* best = nullptr;
  for (const PlanRow& row : rows) {
    if (!row.deployable || !row.recommendable || !row.sequence_private()) continue;
    if (best == nullptr || row.error->rmse < best->error->rmse) best = &row;
  }
  return best;
}

std::string plan_warning(const PlanQuestion& question, const std::vector<PlanRow>& rows) {
  const PlanRow* best = recommended(rows);
  if (best == nullptr) return "";
  constexpr double kLevel = 0.95;
  PeriodEstimate typical;
  typical.stddev = best->error->rmse;
  const Band band = pointwise_bands({typical}, kLevel).front();
  return too_noisy(question.users, band.upper - band.lower, kLevel);
}

}  // namespace futurerand
