#include "bindings/python/native/study_calls.hpp"

#include <array>
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
#include "futurerand/study/option_table.hpp"
#include "futurerand/study/plan_document.hpp"
#include "futurerand/study/simulation_document.hpp"
#include "futurerand/wire/wire.hpp"

namespace py = pybind11;

namespace futurerand::python {
namespace {

// Options by name, each value as text (study/option_table.hpp).
using Given = std::map<std::string, std::string>;

[[noreturn]] void raise_invalid(const std::string& message) { raise(FR_INVALID, message); }

void raise_unless(const Status& done) {
  if (!done) raise(done.error());
}

// The question with these options.
template <typename Asked>
Asked asked(Options (*options_of)(Asked&), const Given& given) {
  Asked question;
  const Options options = options_of(question);
  for (const auto& [name, text] : given) raise_unless(set_option(options, name, text));
  return question;
}

std::string plan(const Given& given, const std::optional<ValueMatrix>& values) {
  const auto question = asked(plan_options, given);
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

// The document, and whether all that was asked for passed.
std::pair<std::string, bool> audit(const Given& given,
                                   const std::optional<std::string>& plan_json) {
  const auto question = asked(audit_options, given);
  Watch watch;
  const auto documented = [&](const auto& found) {
    return std::pair(to_json(question, found, FUTURERAND_VERSION).dump(), found.passed());
  };
  const std::string name = or_raise(chosen_protocol(question));
  if (!plan_json && !protocol_named(name)) {
    return documented(or_raise(watch.run(
        [&](const Progress& progress) { return audit_rival(name, question, progress); })));
  }
  const Plan audited = or_raise(plan_json ? parse_plan(*plan_json) : chosen_plan(question));
  return documented(or_raise(watch.run(
      [&](const Progress& progress) { return audit_plan(audited, question, progress); })));
}

void read_panel(const std::optional<ValueMatrix>& values, SimulationQuestion& question) {
  if (!values) return;
  question.panel = users_of(*values);
  question.panel_name = "array";
}

std::string simulate_one(const Given& given, const std::optional<ValueMatrix>& values) {
  auto question = asked(simulate_options, given);
  read_panel(values, question);
  Watch watch;
  const SimulationAnswer answer = or_raise(
      watch.run([&](const Progress& progress) { return run_simulation(question, progress); }));
  return to_json(question, answer).dump();
}

std::string compare(const std::vector<std::string>& protocols, const Given& given,
                    const std::optional<ValueMatrix>& values) {
  auto question = asked(compare_options, given);
  read_panel(values, question);
  const Unserved unserved = protocols.empty() ? Unserved::kListed : Unserved::kRefused;
  Watch watch;
  const ComparisonAnswer answer = or_raise(watch.run([&](const Progress& progress) {
    return run_comparison(protocols, question, unserved, progress);
  }));
  return to_json(question, answer).dump();
}

py::bytes randomize_values(const Given& given, const ValueMatrix& values) {
  const auto question = asked(randomize_options, given);
  const std::vector<UserValues> users = users_of(values);
  const std::uint64_t all = question.users.value_or(users.size());
  if (all < users.size() || all < 1) {
    raise_invalid("users: fewer than the rows of values, or none; expected at least as many");
  }
  const CertifiedPlan certified = or_raise(CertifiedPlan::create(or_raise(chosen_plan(question))));
  std::string text;
  Watch watch;
  raise_unless(watch.run([&](const Progress& progress) {
    return randomize(
        certified, users, all, question.seed, [&text](std::string_view lines) { text += lines; },
        progress);
  }));
  return text;
}

// A file of reports, read in pieces, without the GIL. Errors say which line it is.
class Folding {
 public:
  explicit Folding(const Given& given) : question_(asked(estimate_options, given)) {}

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

  const EstimateQuestion& question() const { return question_; }

  Result<FoldedReports> finish() {
    if (!rest_.empty()) {
      if (const Status added = add_line(std::exchange(rest_, {})); !added) return added.error();
    }
    if (!fold_) return Error{"there are no lines; expected the header that randomize writes first"};
    return fold_->finish(question_.incomplete);
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
    Result<ReportFold> fold = ReportFold::begin(line, !question_.uncapped);
    if (!fold) return placed(fold.error().message);
    fold_.emplace(*std::move(fold));
    return {};
  }

  EstimateQuestion question_;
  std::optional<ReportFold> fold_;
  std::string rest_;
  std::uint64_t line_ = 0;
};

// The document, and its rows as CSV.
std::pair<std::string, std::string> estimates(Folding& folding) {
  using Documents = std::pair<std::string, std::string>;
  Result<Documents> documents = [&]() -> Result<Documents> {
    const py::gil_scoped_release without;
    const Result<FoldedReports> folded = folding.finish();
    if (!folded) return folded.error();
    const Result<Answer> found = folded->answer(folding.question());
    if (!found) return found.error();
    return Documents(to_json(folded->header.plan, *found, {.seeded = folded->header.seeded}),
                     to_csv(*found, {}));
  }();
  return or_raise(std::move(documents));
}

// The rows of the table for a command: name, kind, default (None: may be left out) and help.
template <typename Asked>
py::list rows_of(Options (*options_of)(Asked&)) {
  constexpr std::array kKinds = {"whole", "real", "budget", "text", "flag"};
  Asked usual;
  py::list rows;
  const py::object loads = py::module_::import("json").attr("loads");
  for (const Option& option : options_of(usual)) {
    rows.append(py::make_tuple(option.name, kKinds.at(static_cast<std::size_t>(option.kind)),
                               loads(option.get().dump()), option.help, option.constant));
  }
  return rows;
}

}  // namespace

void add_study_calls(py::module_& module) {
  py::dict options;
  options["plan"] = rows_of(plan_options);
  options["audit"] = rows_of(audit_options);
  options["simulate"] = rows_of(simulate_options);
  options["compare"] = rows_of(compare_options);
  options["randomize"] = rows_of(randomize_options);
  options["estimate"] = rows_of(estimate_options);
  module.attr("OPTIONS") = options;
  module.attr("MAX_PERIODS") = kMaxPeriods;
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
      .def(py::init<const Given&>())
      .def("add", [](Folding& folding, const py::bytes& piece) {
        const auto text = static_cast<std::string_view>(piece);
        raise_unless([&] {
          const py::gil_scoped_release without;
          return folding.add(text);
        }());
      });
  module.def("estimate", estimates);
}

}  // namespace futurerand::python
