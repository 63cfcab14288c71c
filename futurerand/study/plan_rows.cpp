#include "futurerand/study/plan_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

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
#include "futurerand/simulator/figure_variances.hpp"
#include "futurerand/simulator/populations/held_counts.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand {
namespace {

// Limit of labels times periods for the comparison with rivals.
constexpr std::size_t kMostCompared = std::size_t{1} << 20;

void describe_published(const Result<double>& central, PlanRow& row) {
  if (central) {
    row.central_epsilon = *central;
  } else {
    row.no_central_epsilon = central.error().message;
  }
}

// Finds the least number of users with rmse(users) at most a share of them; none if 2^50 users do
// not suffice, or it was stopped. There are at most 100 tries.
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
    if (plan.coding.has_rows()) {
      std::vector<double> variances = predicted_variances(plan);
      for (double& variance : variances) variance *= users;
      return summarize(mean_figure_variances(plan.coding, variances, users));
    }
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
  if (question.target_error && question.value == CodingKind::kCategory && row.error) {
    // Errors grow with the root of the number of users.
    const double share = row.error->rmse / static_cast<double>(question.users);
    row.users_needed = std::ceil(static_cast<double>(question.users) * share * share /
                                 (*question.target_error * *question.target_error));
  } else if (question.target_error) {
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
  const ProtocolSettings settings = question.settings(question.users, question.constants);
  if (const std::optional<Protocol> planned = protocol_named(name)) {
    const Result<Plan> plan = question.plan(*planned);
    if (!plan) {
      row.unavailable = plan.error().message;
      return row;
    }
    if (const Status told = describe_plan(question, *plan, row, progress); !told) {
      return told.error();
    }
  } else if (num_figures(settings.coding) * question.periods > kMostCompared) {
    row.unavailable = "too many labels and periods to compare";
  } else {
    const auto protocol = make_simulated_protocol(name, settings);
    if (!protocol) {
      // A wrong constant is a mistake to correct. Settings outside a rival's range are not.
      if (!settings.constants.empty()) return protocol.error();
      row.unavailable = protocol.error().message;
      return row;
    }
    describe_rival(question, **protocol, settings, row, progress);
  }
  return row;
}

// One row for each of these protocols.
template <typename Names>
Result<std::vector<PlanRow>> make_rows(const PlanQuestion& question, const Names& names,
                                       const Progress& progress) {
  std::vector<PlanRow> rows;
  const Progress of_all{progress.cancel, [&](double share) {
                          progress.show((static_cast<double>(rows.size()) + share) /
                                        static_cast<double>(names.size()));
                        }};
  for (const auto name : names) {
    of_all.show(0);
    Result<PlanRow> row = make_row(question, name, of_all);
    if (progress.stopped()) return interrupted();
    if (!row) return row.error();
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace

Result<std::vector<PlanRow>> make_plan_rows(const PlanQuestion& question,
                                            const Progress& progress) {
  return make_rows(question, protocols_for(question.value), progress);
}

const PlanRow* most_accurate(const std::vector<PlanRow>& rows) {
  const PlanRow* best = nullptr;
  for (const PlanRow& row : rows) {
    if (!row.deployable || !row.recommendable || !row.sequence_private()) continue;
    if (best == nullptr || row.error->rmse < best->error->rmse) best = &row;
  }
  return best;
}

Result<std::string> recommended_protocol(const PlanQuestion& question) {
  if (question.estimand == Estimand::kActive) {
    const Result<Plan> plan = question.recommended();
    return plan ? Result(std::string(name_of(plan->protocol))) : plan.error();
  }
  std::vector<std::string_view> names;
  for (const Protocol protocol : kProtocols) names.push_back(name_of(protocol));
  PlanQuestion plain{question};
  plain.target_error.reset();
  plain.liars.reset();
  const Result<std::vector<PlanRow>> rows = make_rows(plain, names, {});
  if (!rows) return rows.error();
  const PlanRow* best = most_accurate(*rows);
  if (best == nullptr) return Error{"no protocol serves these parameters"};
  return best->name;
}

const PlanRow* recommended(const PlanQuestion& question, const std::vector<PlanRow>& rows) {
  if (question.estimand == Estimand::kEnrolled) return most_accurate(rows);
  const Result<std::string> name = recommended_protocol(question);
  for (const PlanRow& row : rows) {
    if (name && row.name == *name) return &row;
  }
  return nullptr;
}

Result<std::string> chosen_protocol(const ProtocolParameters& asked) {
  if (asked.protocol) return *asked.protocol;
  return recommended_protocol(PlanQuestion{asked});
}

Result<Plan> chosen_plan(const ProtocolParameters& asked) {
  const Result<std::string> name = chosen_protocol(asked);
  if (!name) return name.error();
  const std::optional<Protocol> protocol = protocol_named(*name);
  if (!protocol) return Error{"protocol: no device runs " + *name + " from a plan"};
  return asked.plan(*protocol);
}

std::string plan_warning(const PlanQuestion& question, const std::vector<PlanRow>& rows) {
  const PlanRow* best = recommended(question, rows);
  if (best == nullptr) return "";
  constexpr double kLevel = 0.95;
  PeriodEstimate typical;
  typical.stddev = best->error->rmse;
  const Band band = pointwise_bands({typical}, kLevel).front();
  return too_noisy(question.users, band.upper - band.lower, kLevel);
}

}  // namespace futurerand
