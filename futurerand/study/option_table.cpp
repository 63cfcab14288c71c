#include "futurerand/study/option_table.hpp"

#include <array>
#include <limits>
#include <utility>

#include "futurerand/core/coding/label.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand {
namespace {

using option::budget;
using option::choice;
using option::flag;
using option::named;
using option::number;

constexpr Period kMaxSeasonWindow = 4096;
constexpr std::uint64_t kMaxUsers = std::uint64_t{1} << 40;
constexpr std::array kEstimators = {EstimatorKind::kOnline, EstimatorKind::kHindsight,
                                    EstimatorKind::kTrend};
constexpr std::array kValueKinds = {CodingKind::kYesNo, CodingKind::kNumber, CodingKind::kCategory,
                                    CodingKind::kDistribution, CodingKind::kText};
constexpr std::array kEstimands = {Estimand::kActive, Estimand::kEnrolled};

Options join(std::initializer_list<Options> parts) {
  Options all;
  for (const Options& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <typename Names>
std::vector<std::pair<std::string, std::string>> same_names(const Names& names) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string_view name : names) pairs.emplace_back(name, name);
  return pairs;
}

template <typename Names>
Option protocol(std::optional<std::string>& member, const Names& names) {
  std::string help = "one of ";
  for (const std::string_view name : names) {
    help += (help.back() == ' ' ? "" : ", ") + std::string(name);
  }
  return named("protocol", "NAME", member, same_names(names),
               help + "; the one that plan recommends if not given");
}

std::vector<std::string_view> device_protocols() {
  std::vector<std::string_view> names;
  for (const Protocol protocol : kProtocols) names.push_back(name_of(protocol));
  return names;
}

template <typename Seed>
Option seed(Seed& member, std::string help) {
  return number("seed", "S", member, 0, std::numeric_limits<std::uint64_t>::max(), std::move(help));
}

template <typename Member>
Option users(Member& member, std::string help) {
  return number("users", "N", member, 1, kMaxUsers, std::move(help));
}

Option delta(double& member) {
  return number("delta", "DELTA", member, 1e-300, 0.5,
                "delta of the central guarantee of published estimates, if reports are shuffled");
}

// How people are counted: what `simulate` and `estimate` share.
Options counting(std::optional<Estimand>& estimand, Period& inactive_after, bool& uncapped) {
  return {choice("estimand", estimand, kEstimands,
                 "whom to count. active: devices that are enrolled and still report; enrolled: all "
                 "that ever enrolled. If not given, active where the protocol shows who is"),
          number("inactive_after", "G", inactive_after, kMinInactiveAfter, kMaxInactiveAfter,
                 "a device is inactive once a due report is missing for so many periods"),
          flag("uncapped", uncapped, "do not clip outlier devices (innovation)")};
}

Options bands(EstimatorKind& estimator, double& level) {
  return {choice("estimator", estimator, kEstimators,
                 "online: period t from what came by t; hindsight: improved by what came later; "
                 "trend: assumes that the count moves as a random walk"),
          number("level", "SHARE", level, 0.01, 0.9999, "how often a band holds the true count")};
}

// One row for each constant of each rival. Ranges depend on other options: rivals check them.
Options constants(ProtocolConstants& given) {
  Options rows;
  for (const ProtocolKind& kind : protocol_kinds()) {
    for (const ProtocolConstant& constant : kind.constants) {
      std::string name(constant.name);
      for (char& c : name) c = c == '-' ? '_' : c;
      const double least = constant.whole ? 1 : std::numeric_limits<double>::lowest();
      const double most = constant.whole ? kMaxPeriods : std::numeric_limits<double>::max();
      const auto set = [&given, &constant, least, most](std::string_view text) -> Status {
        double value = 0;
        const Option parser = number("", "", value, least, most, "");
        const Status read = parser.set(text);
        if (read) given.set(constant, value);
        return read;
      };
      const auto get = [&given, &constant]() -> nlohmann::json {
        const std::optional<double> value = given.find(constant);
        return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
      };
      rows.push_back({std::move(name), Option::Kind::kReal, std::string(constant.symbol),
                      fmt::format("{}: {}", kind.name, constant.meaning), set, get, true});
    }
  }
  return rows;
}

// What to show of labels, texts and distributions.
Options value_options(ValueQuestion& it) {
  const auto set_top = [&it](std::string_view text) -> Status {
    const Status read = number("", "", it.top, 1, kMostTop, "").set(text);
    if (read) it.rows = ValueRows::kTop;
    return read;
  };
  const auto set_quantiles = [&it](std::string_view text) -> Status {
    Result<std::vector<double>> shares = parse_quantiles(text);
    if (!shares) return shares.error();
    it.rows = ValueRows::kQuantiles;
    it.quantiles = *std::move(shares);
    return {};
  };
  const auto set_label = [&it](std::string_view text) -> Status {
    if (!is_label(text)) return Error{"no label; expected 1 to 64 bytes of readable text"};
    it.label = text;
    return {};
  };
  const auto nothing = [] { return nlohmann::json(nullptr); };
  return {
      {"label", Option::Kind::kText, "TEXT", "only this label, or this text", set_label, nothing},
      named("by", "", it.rows,
            {{"label", ValueRows::kByLabel}, {"cumulative", ValueRows::kCumulative}},
            "label: all labels or buckets; cumulative: how many values are below each bucket"),
      {"top", Option::Kind::kWhole, "N", "only the N most frequent labels that stand out", set_top,
       nothing},
      {"quantile", Option::Kind::kText, "SHARES",
       "quantiles of a distribution, such as 0.25,0.5,0.75", set_quantiles, nothing},
      named("curve", "", it.unbiased, {{"monotone", false}, {"unbiased", true}},
            "monotone: cumulative counts rise; unbiased: as they are measured")};
}

}  // namespace

Option population_option(std::string& member) {
  std::string help = "who is simulated";
  for (const std::string_view name : population_names()) {
    help += fmt::format(";\n{}: {}", name, population_meaning(name));
  }
  return named("population", "NAME", member, same_names(population_names()), help);
}

Options metric_options(MetricParameters& it) {
  return {number("periods", "D", it.periods, 1, kMaxPeriods, "how many periods the metric runs"),
          number("changes", "K", it.changes, 0, kMaxChanges,
                 "how many changes of one user are counted without bias; after joining, or with "
                 "--initial zero from 0 on"),
          choice("initial", it.initial, std::array{Initial::kUnknown, Initial::kZero},
                 "what is known of users before they join. unknown: nothing; zero: all hold 0, as "
                 "for a feature that nobody can have yet"),
          choice("value", it.value, kValueKinds,
                 "what a user holds: yes or no; a number of --range, of which the mean is "
                 "estimated, and K bounds its total variation in ranges; one of the --labels; a "
                 "number of --range in --buckets, for quantiles; or any text"),
          option::range("range", "LOW,HIGH", it.range, "the range of a number"),
          option::text("labels", "N|FILE", it.labels,
                       "the labels of a category: how many, or a file with one on each line"),
          named("buckets", "B", it.buckets,
                {{"8", 8},
                 {"16", 16},
                 {"32", 32},
                 {"64", 64},
                 {"128", 128},
                 {"256", 256},
                 {"512", 512},
                 {"1024", 1024}},
                "the buckets of a distribution, a power of two from 8 to 1024"),
          budget("epsilon", "E", it.epsilon, "privacy budget over the whole horizon, a decimal")};
}

Options protocol_options(ProtocolParameters& it) {
  return join({{protocol(it.protocol, device_protocols())}, metric_options(it)});
}

Options plan_options(PlanQuestion& it) {
  return join(
      {{users(it.users, "how many users take part")},
       metric_options(it),
       {number("target_error", "SHARE", it.target_error, 1e-6, 1,
               "print the users needed for an rmse of this share of them, such as 0.01"),
        choice("estimator", it.estimator, kEstimators, "whose error is predicted"),
        number("drift", "SHARE", it.drift, 1e-9, 1,
               "for --estimator trend: by how much the share of users moves in a period"),
        choice("estimand", it.estimand, kEstimands,
               "active: recommend the best protocol that can count active devices, as a new metric "
               "does; enrolled: the one with the least error, which may count all that ever "
               "enrolled only"),
        number("liars", "SHARE", it.liars, 0, 1,
               "print how far this share of the devices can move the count by lying"),
        number("window", "W", it.window, 1, kMaxSeasonWindow,
               "a metric without an end: compare seasons of several lengths, each of which costs "
               "epsilon in any W periods in a row"),
        number("life", "L", it.life, 1, kMaxSeasonWindow,
               "with --window: for how many periods a device takes part and rests in turn"),
        number("change_every", "C", it.change_every, 1, 1e9,
               "with --window: a device changes once in C periods on average; it decides how many "
               "changes a season counts"),
        number("resolution", "Q", it.resolution, 1, kMaxSeasonWindow,
               "with --window: figures are read as means over Q periods, such as 1, 7 or 30"),
        delta(it.delta)},
       constants(it.constants)});
}

Options compare_options(SimulationQuestion& it) {
  return join(
      {{users(it.users,
              "how many users take part; 100000, or as many as --values has, if not "
              "given")},
       metric_options(it),
       {population_option(it.population)},
       bands(it.estimator, it.level),
       {number("trials", "T", it.trials, 1, std::uint64_t{1} << 32,
               "how often the protocol is run over the population"),
        choice("engine", it.engine, std::array{Engine::kUsers, Engine::kSums},
               "users: every device makes every report; sums: the same distribution, drawn for all "
               "users at once"),
        number("threads", "N", it.threads, 1, 1024, "as many as there are cores if not given"),
        seed(it.seed,
             "makes the run reproducible, whatever the number of threads; without it devices use "
             "the system's entropy"),
        flag("keep_trials", it.keep_trials, "JSON has the estimates of every trial")},
       constants(it.constants)});
}

Options simulate_options(SimulationQuestion& it) {
  return join(
      {{protocol(it.protocol, simulated_protocol_names())},
       compare_options(it),
       {choice("joining", it.churn.joining,
               std::array{Joining::kStart, Joining::kStaggered, Joining::kGrowth},
               "start: all in period 1; staggered: each in a period drawn uniformly; growth: "
               "tenfold over the horizon"),
        number("dropout", "RATE", it.churn.dropout, 0, 1,
               "how likely a device leaves after a period"),
        number("dropout_factor", "F", it.churn.dropout_factor, 0, 1000,
               "so many times as likely after a period in which it holds 1"),
        number("offline", "SHARE", it.churn.offline, 0, 1,
               "the share of devices that are silent at any time, in pauses of 4 periods on "
               "average, and catch up afterwards"),
        choice("attack", it.attack, kAttacks,
               "some devices lie, and hold 0. plus, minus: they send nothing else; view: one sign, "
               "in the view where it moves the last period the most; changes: in the one of those "
               "that report changes; flips: one up to the middle of the horizon, then the other; "
               "mass: as view, all enrolling in one period after the middle; hidden: what no test "
               "tells from honest noise"),
        number("liars", "SHARE", it.liars, 0, 1,
               "with --attack: the share of devices that lie; 0.01 if not given"),
        number("every", "H", it.every, 1, kMaxSeasonWindow,
               "a metric without an end: a season of --periods begins every H periods"),
        number("rest", "R", it.rest, 0, kMaxSeasonWindow,
               "with --every: how many periods a device rests after a season; as many as a season "
               "has if not given"),
        number("cycles", "C", it.cycles, 1, 1000,
               "with --every: for how many seasons and rests it runs")},
       counting(it.estimand, it.inactive_after, it.uncapped)});
}

Options audit_options(AuditQuestion& it) {
  return join(
      {{protocol(it.protocol, simulated_protocol_names())},
       metric_options(it),
       {flag("exhaustive", it.exhaustive,
             "also run every input, noise vector and coin (small --periods, such as 8)"),
        flag("empirical", it.empirical,
             "also test the client as a black box, on many pairs of sequences"),
        number("samples", "N", it.samples, 100, std::uint64_t{1} << 30,
               "runs of each sequence of a pair; half of them choose an event, half judge it"),
        number("confidence", "SHARE", it.confidence, 0.5, 0.999999999,
               "confidence level of the lower bound"),
        seed(it.seed, "makes the empirical test reproducible"),
        users(it.users, "how many users' reports are shuffled together, if they are"),
        number("every", "H", it.every, 1, kMaxSeasonWindow,
               "a metric without an end: a season of --periods begins every H periods"),
        number("rest", "R", it.rest, 0, kMaxSeasonWindow,
               "with --every: how many periods a device rests after a season; as many as a season "
               "has if not given"),
        number("window", "W", it.window, 1, kMaxSeasonWindow,
               "with --every: what any W periods in a row cost; the rest if not given"),
        number("life", "L", it.life, 1, kMaxSeasonWindow,
               "with --every: what a life of L periods costs"),
        delta(it.delta)},
       constants(it.constants)});
}

Options randomize_options(RandomizeQuestion& it) {
  return join({protocol_options(it),
               {users(it.users, "how many users there are; those without values hold 0"),
                seed(it.seed, "makes the lines reproducible, hence not private; they say so")}});
}

Options estimate_options(EstimateQuestion& it) {
  return join(
      {bands(it.estimator, it.level),
       counting(it.estimand, it.inactive_after, it.uncapped),
       value_options(it.values),
       {number("window", "W", it.window, 1, kMaxPeriods,
               "each row is the mean over so many periods, and names the last of them")},
       {named("band", "", it.simultaneous, {{"pointwise", false}, {"simultaneous", true}},
              "pointwise: each period's count is inside its band with --level; simultaneous: the "
              "whole curve is"),
        flag("incomplete", it.incomplete,
             "accept a file that ends before all devices sent all due reports")}});
}

Status set_option(const Options& options, std::string_view name, std::string_view text) {
  for (const Option& option : options) {
    if (option.name != name) continue;
    const Status set = option.set(text);
    return set ? set : Status(Error{option.name + ": " + set.error().message});
  }
  return Error{fmt::format("option '{}' is unknown", name)};
}

}  // namespace futurerand
