#include "bindings/python/native/study_calls.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings/python/native/errors.hpp"
#include "bindings/python/native/values.hpp"
#include "bindings/python/native/watch.hpp"
#include "futurerand/documents/answer_document.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/study/audit.hpp"
#include "futurerand/study/plan_document.hpp"
#include "futurerand/study/randomize.hpp"
#include "futurerand/study/ranges.hpp"
#include "futurerand/study/report_fold.hpp"
#include "futurerand/study/simulation_document.hpp"
#include "futurerand/wire/wire.hpp"

namespace py = pybind11;

namespace futurerand::python {
namespace {

using Constants = std::map<std::string, double>;

[[noreturn]] void raise_invalid(const std::string& message) { raise(FR_INVALID, message); }

Epsilon epsilon_of(const std::string& text) { return or_raise(Epsilon::parse(text)); }

template <typename Named>
auto named(const char* what, const std::string& name, Named&& find, const char* expected) {
  const auto found = find(name);
  if (!found) {
    raise_invalid(std::string(what) + " '" + name + "' is unknown; expected " + expected);
  }
  return *found;
}

EstimatorKind estimator_of(const std::string& name) {
  return named("estimator", name, estimator_named, "online, hindsight or trend");
}

std::optional<Estimand> estimand_of(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  return named("estimand", *name, estimand_named, "active or enrolled");
}

// Constants of rivals by the names of their flags, with underscores.
ProtocolConstants constants_of(const Constants& given) {
  ProtocolConstants constants;
  std::size_t used = 0;
  for (const ProtocolKind& kind : protocol_kinds()) {
    for (const ProtocolConstant& constant : kind.constants) {
      std::string name(constant.name);
      for (char& c : name) c = c == '-' ? '_' : c;
      const auto found = given.find(name);
      if (found == given.end()) continue;
      constants.set(constant, found->second);
      ++used;
    }
  }
  if (used < given.size()) {
    raise_invalid(
        "constants: one is unknown; expected those that `futurerand simulate --help` has");
  }
  return constants;
}

std::string plan(std::uint64_t users, Period periods, std::uint32_t changes,
                 const std::string& epsilon, std::optional<double> target_error, double delta,
                 const std::string& estimator, double drift, const Constants& constants,
                 std::optional<double> liars, const std::optional<ValueMatrix>& values) {
  const PlanQuestion question{users,
                              periods,
                              changes,
                              epsilon_of(epsilon),
                              target_error,
                              delta,
                              estimator_of(estimator),
                              drift,
                              constants_of(constants),
                              liars};
  std::optional<std::vector<UserValues>> panel;
  if (values) panel = users_of(*values);
  Watch watch;
  std::optional<OverChanges> over;
  if (panel) {
    over = or_raise(watch.run(
        [&](const Progress& progress) { return find_over_changes(*panel, question, progress); }));
  }
  return plan_document(question, or_raise(watch.run([&](const Progress& progress) {
                         return make_plan_rows(question, progress);
                       })),
                       over);
}

Plan plan_of(const std::string& protocol, Period periods, std::uint32_t changes,
             const std::string& epsilon) {
  const std::optional<Protocol> known = protocol_named(protocol);
  if (!known) raise_invalid("protocol '" + protocol + "' is unknown, or no device runs it");
  return or_raise(make_plan(*known, periods, changes, epsilon_of(epsilon)));
}

// The document, and whether all that was asked for passed.
std::pair<std::string, bool> audit(const std::optional<std::string>& plan_json,
                                   const std::string& protocol, Period periods,
                                   std::uint32_t changes, const std::string& epsilon,
                                   std::uint64_t users, double delta, bool exhaustive,
                                   bool empirical, std::uint64_t samples, double confidence,
                                   std::optional<std::uint64_t> seed, const Constants& constants) {
  AuditQuestion question{users, delta, exhaustive, {}, constants_of(constants)};
  if (empirical) question.empirical = EmpiricalQuestion{samples, confidence, seed};
  Watch watch;
  const auto told = [&](const auto& found) {
    return std::pair(to_json(question, found, FUTURERAND_VERSION).dump(), found.passed());
  };
  if (!plan_json && !protocol_named(protocol)) {
    const Epsilon budget = epsilon_of(epsilon);
    return told(or_raise(watch.run([&](const Progress& progress) {
      return audit_rival(protocol, periods, changes, budget, question, progress);
    })));
  }
  const Plan audited =
      plan_json ? or_raise(parse_plan(*plan_json)) : plan_of(protocol, periods, changes, epsilon);
  return told(or_raise(watch.run(
      [&](const Progress& progress) { return audit_plan(audited, question, progress); })));
}

// What `simulate` and `compare` ask alike.
SimulationQuestion question_of(const py::dict& given) {
  SimulationQuestion question{.epsilon = epsilon_of(py::cast<std::string>(given["epsilon"]))};
  question.users = given["users"].cast<std::optional<std::uint64_t>>();
  question.periods = given["periods"].cast<Period>();
  question.changes = given["changes"].cast<std::uint32_t>();
  question.population = given["population"].cast<std::string>();
  question.estimator = estimator_of(given["estimator"].cast<std::string>());
  question.level = given["level"].cast<double>();
  question.constants = constants_of(given["constants"].cast<Constants>());
  question.trials = given["trials"].cast<std::uint64_t>();
  const std::string engine = given["engine"].cast<std::string>();
  if (engine != "users" && engine != "sums") {
    raise_invalid("engine '" + engine + "' is unknown; expected users or sums");
  }
  question.engine = engine == "sums" ? Engine::kSums : Engine::kUsers;
  question.threads = given["threads"].cast<unsigned>();
  question.keep_trials = given["keep_trials"].cast<bool>();
  question.seed = given["seed"].cast<std::optional<std::uint64_t>>();
  if (const py::object values = given["values"]; !values.is_none()) {
    question.panel = users_of(values.cast<ValueMatrix>());
    question.panel_name = "array";
  }
  return question;
}

void read_life(const py::dict& given, SimulationQuestion& question) {
  question.churn.joining = named("joining", given["joining"].cast<std::string>(), joining_named,
                                 "start, staggered or growth");
  question.churn.dropout = given["dropout"].cast<double>();
  question.churn.dropout_factor = given["dropout_factor"].cast<double>();
  question.churn.offline = given["offline"].cast<double>();
  if (const auto attack = given["attack"].cast<std::optional<std::string>>()) {
    question.churn.attack =
        named("attack", *attack, attack_named, "plus, minus, view, changes, flips, mass or hidden");
    question.churn.liars = given["liars"].cast<double>();
  }
  question.estimand = estimand_of(given["estimand"].cast<std::optional<std::string>>());
  question.inactive_after = given["inactive_after"].cast<Period>();
  question.transcript_cap = given["transcript_cap"].cast<bool>();
}

std::string simulate_one(const std::string& protocol, const py::dict& given) {
  SimulationQuestion question = question_of(given);
  read_life(given, question);
  Watch watch;
  const SimulationAnswer answer = or_raise(watch.run(
      [&](const Progress& progress) { return run_simulation(protocol, question, progress); }));
  return to_json(question, answer).dump();
}

std::string compare(const std::vector<std::string>& protocols, const py::dict& given) {
  const SimulationQuestion question = question_of(given);
  const Unserved unserved = protocols.empty() ? Unserved::kListed : Unserved::kRefused;
  Watch watch;
  const ComparisonAnswer answer = or_raise(watch.run([&](const Progress& progress) {
    return run_comparison(protocols, question, unserved, progress);
  }));
  return to_json(question, answer).dump();
}

py::bytes randomize_values(const ValueMatrix& values, const std::string& protocol,
                           std::uint32_t changes, const std::string& epsilon,
                           std::optional<std::uint64_t> num_users,
                           std::optional<std::uint64_t> seed) {
  const std::vector<UserValues> users = users_of(values);
  const std::uint64_t all = num_users.value_or(users.size());
  if (all < users.size() || all < 1) {
    raise_invalid("users: fewer than values has rows, or none; expected at least one, and as many");
  }
  Plan plan = plan_of(protocol, static_cast<Period>(values.shape(1)), changes, epsilon);
  const CertifiedPlan certified = or_raise(CertifiedPlan::create(std::move(plan)));
  std::string text;
  Watch watch;
  const Status done = watch.run([&](const Progress& progress) {
    return randomize(
        certified, users, all, seed, [&text](std::string_view lines) { text += lines; }, progress);
  });
  if (!done) raise(done.error());
  return text;
}

// A file of reports, read in pieces, without the GIL. Errors say which line it is.
class Folding {
 public:
  explicit Folding(bool transcript_cap) : transcript_cap_(transcript_cap) {}

  Status add(std::string_view piece) {
    rest_ += piece;
    std::size_t at = 0;
    for (std::size_t end; (end = rest_.find('\n', at)) != rest_.npos; at = end + 1) {
      const Status added = add_line(std::string_view(rest_).substr(at, end - at));
      if (!added) return added;
    }
    rest_.erase(0, at);
    if (rest_.size() <= ReportFold::kMaxLineBytes) return {};
    return placed("is too long; expected lines of reports");
  }

  Result<FoldedReports> finish(bool incomplete) {
    if (!rest_.empty()) {
      if (const Status added = add_line(std::exchange(rest_, {})); !added) return added.error();
    }
    if (!fold_) return Error{"there are no lines; expected the header that randomize writes first"};
    return fold_->finish(incomplete);
  }

 private:
  Error placed(const std::string& why) const {
    return Error{"line " + std::to_string(line_) + ": " + why};
  }
  Status add_line(std::string_view line) {
    ++line_;
    if (fold_) {
      const Status added = fold_->add(line);
      return added ? added : Status(placed(added.error().message));
    }
    Result<ReportFold> fold = ReportFold::begin(line, transcript_cap_);
    if (!fold) return placed(fold.error().message);
    fold_.emplace(*std::move(fold));
    return {};
  }

  bool transcript_cap_;
  std::optional<ReportFold> fold_;
  std::string rest_;
  std::uint64_t line_ = 0;
};

// The document, and its rows as CSV.
std::pair<std::string, std::string> estimates(Folding& folding, bool incomplete,
                                              const std::string& estimator, double level,
                                              const std::string& band,
                                              const std::optional<std::string>& estimand,
                                              Period inactive_after) {
  if (band != "pointwise" && band != "simultaneous") {
    raise_invalid("band '" + band + "' is unknown; expected pointwise or simultaneous");
  }
  const Question question{estimator_of(estimator), estimand_of(estimand), inactive_after, level,
                          band == "simultaneous"};
  using Documents = std::pair<std::string, std::string>;
  Result<Documents> documents = [&]() -> Result<Documents> {
    const py::gil_scoped_release without;
    const Result<FoldedReports> folded = folding.finish(incomplete);
    if (!folded) return folded.error();
    const Result<Answer> found = folded->answer(question);
    if (!found) return found.error();
    return Documents(to_json(folded->header.plan, *found, {.seeded = folded->header.seeded}),
                     to_csv(*found, {}));
  }();
  return or_raise(std::move(documents));
}

template <typename T>
void add_range(py::dict& ranges, const AllowedRange<T>& range) {
  ranges[range.name] = py::make_tuple(range.low, range.high);
}

}  // namespace

void add_study_calls(py::module_& module) {
  py::dict ranges;
  for (const auto& range : {kUsersRange, kTrialsRange, kSamplesRange}) add_range(ranges, range);
  for (const auto& range : {kPeriodsRange, kChangesRange, kInactiveAfterRange, kThreadsRange}) {
    add_range(ranges, range);
  }
  for (const auto& range : {kLevelRange, kTargetErrorRange, kDriftRange, kDeltaRange, kLiarsRange,
                            kDropoutRange, kDropoutFactorRange, kOfflineRange, kConfidenceRange}) {
    add_range(ranges, range);
  }
  module.attr("RANGES") = ranges;
  std::vector<std::string> protocols;
  for (const std::string_view name : simulated_protocol_names()) protocols.emplace_back(name);
  module.attr("PROTOCOLS") = py::tuple(py::cast(protocols));
  std::vector<std::string> populations;
  for (const std::string_view name : population_names()) populations.emplace_back(name);
  module.attr("POPULATIONS") = py::tuple(py::cast(populations));
  module.def("plan", plan);
  module.def("audit", audit);
  module.def("simulate", simulate_one);
  module.def("compare", compare);
  module.def("randomize", randomize_values);
  py::class_<Folding>(module, "Folding")
      .def(py::init<bool>())
      .def("add", [](Folding& folding, const py::bytes& piece) {
        const auto text = static_cast<std::string_view>(piece);
        const Status added = [&] {
          const py::gil_scoped_release without;
          return folding.add(text);
        }();
        if (!added) raise(added.error());
      });
  module.def("estimate", estimates);
}

}  // namespace futurerand::python
