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
               help + "; default: the one recommended by plan");
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
  return number(
      "delta", "DELTA", member, 1e-300, 0.5,
      "delta of the central guarantee, which assumes a shuffler (none ships); shown only if given");
}

// The counted devices: shared by `simulate` and `estimate`.
Options counting(std::optional<Estimand>& estimand, Period& inactive_after, bool& uncapped) {
  return {choice("estimand", estimand, kEstimands,
                 "the counted devices. active: enrolled and still reporting; enrolled: all ever "
                 "enrolled. Default: active if the protocol supports it"),
          number("inactive_after", "G", inactive_after, kMinInactiveAfter, kMaxInactiveAfter,
                 "a device is inactive once a due report is missing for this many periods"),
          flag("uncapped", uncapped, "do not clip outlier devices (innovation)")};
}

Options bands(EstimatorKind& estimator, double& level) {
  return {
      choice("estimator", estimator, kEstimators,
             "online: period t from reports until t; hindsight: also from later reports; trend: "
             "assumes that the count moves as a random walk"),
      number("level", "SHARE", level, 0.01, 0.9999, "how often a band contains the true count")};
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

// The shown figures of labels, texts and distributions.
Option shares_option(std::vector<double>& member) {
  const auto set = [&member](std::string_view text) -> Status {
    std::vector<double> shares;
    for (bool more = true; more;) {
      const std::size_t end = text.find(',');
      const Status read =
          number("", "", shares.emplace_back(), 1e-9, 1.0, "").set(text.substr(0, end));
      if (!read) return read;
      more = end != text.npos;
      if (more) text.remove_prefix(end + 1);
    }
    member = std::move(shares);
    return {};
  };
  return {"segment_shares",
          Option::Kind::kText,
          "SHARES",
          "with --segments: the share of users in each segment, such as 0.7,0.3 (default: equal)",
          set,
          [] { return nlohmann::json(nullptr); }};
}

Options value_options(Question& question) {
  ValueQuestion& it = question.values;
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
  const auto set_by = [&question](std::string_view text) -> Status {
    question.by_segment = text == "segment";
    if (text == "label") question.values.rows = ValueRows::kByLabel;
    if (text == "cumulative") question.values.rows = ValueRows::kCumulative;
    if (question.by_segment || text == "label" || text == "cumulative") return {};
    return Error{fmt::format("'{}' is unknown; expected label, cumulative or segment", text)};
  };
  const auto set_segment = [&question](std::string_view text) -> Status {
    if (!is_segment(text)) return Error{"no segment; expected one of the header's"};
    question.segment = text;
    return {};
  };
  const auto nothing = [] { return nlohmann::json(nullptr); };
  return {
      {"label", Option::Kind::kText, "TEXT", "only this label, or this text", set_label, nothing},
      {"segment", Option::Kind::kText, "VALUE", "only the devices in this segment", set_segment,
       nothing},
      {"by", Option::Kind::kText, "label|cumulative|segment",
       "label: all labels or buckets; cumulative: the number of values below each bucket; segment: "
       "each segment",
       set_by, nothing},
      {"top", Option::Kind::kWhole, "N", "only the N most frequent labels above the noise", set_top,
       nothing},
      {"quantile", Option::Kind::kText, "SHARES",
       "quantiles of a distribution, such as 0.25,0.5,0.75", set_quantiles, nothing},
      named("curve", "", it.unbiased, {{"monotone", false}, {"unbiased", true}},
            "monotone: cumulative counts never fall; unbiased: as measured")};
}

Option segments_option(Segments& member) {
  const auto set = [&member](std::string_view text) -> Status {
    Result<Segments> segments = Segments::parse(text);
    if (!segments) return segments.error();
    member = *std::move(segments);
    return {};
  };
  const auto get = [&member]() -> nlohmann::json {
    if (member.empty()) return nullptr;
    std::string text = member.name();
    for (const std::string& value : member.values()) {
      text += (&value == &member.values().front() ? '=' : ',') + value;
    }
    return text;
  };
  return {"segments",
          Option::Kind::kText,
          "NAME=A,B,C",
          "a public attribute of devices and its values, for results by segment; simulated users "
          "are spread over the segments in turn",
          set,
          get};
}

}  // namespace

Option population_option(std::string& member) {
  std::string help = "the simulated users";
  for (const std::string_view name : population_names()) {
    help += fmt::format(";\n{}: {}", name, population_meaning(name));
  }
  return named("population", "NAME", member, same_names(population_names()), help);
}

Options metric_options(MetricParameters& it) {
  return {
      number("periods", "D", it.periods, 1, kMaxPeriods, "number of periods"),
      number(
          "changes", "K", it.changes, 0, kMaxChanges,
          "changes per user counted without bias: after joining, or with --initial zero from 0 on"),
      choice("initial", it.initial, std::array{Initial::kUnknown, Initial::kZero},
             "values before joining. unknown: any; zero: everybody holds 0, as for a new feature"),
      choice("value", it.value, kValueKinds,
             "the kind of value. yes_no: yes or no; number: a number in --range, for its mean (K "
             "bounds its total variation, in ranges); category: one of --labels; distribution: a "
             "number in --range and --buckets, for its quantiles; text: any text"),
      option::range("range", "LOW,HIGH", it.range, "the range of a number"),
      option::text("labels", "N|FILE", it.labels,
                   "the labels of a category: their number, or a file with one per line"),
      named("buckets", "B", it.buckets,
            {{"8", 8},
             {"16", 16},
             {"32", 32},
             {"64", 64},
             {"128", 128},
             {"256", 256},
             {"512", 512},
             {"1024", 1024}},
            "number of buckets of a distribution, a power of two from 8 to 1024"),
      budget("epsilon", "E", it.epsilon, "privacy budget over the whole horizon, as a decimal")};
}

Options protocol_options(ProtocolParameters& it) {
  return join({{protocol(it.protocol, device_protocols())},
               metric_options(it),
               {segments_option(it.segments)}});
}

Options plan_options(PlanQuestion& it) {
  return join(
      {{users(it.users, "number of users")},
       metric_options(it),
       {number("target_error", "SHARE", it.target_error, 1e-6, 1,
               "print the number of users needed for an rmse of this share, such as 0.01"),
        choice("estimator", it.estimator, kEstimators, "the estimator for the predicted errors"),
        number("drift", "SHARE", it.drift, 1e-9, 1,
               "with --estimator trend: movement of the share in one period"),
        choice("estimand", it.estimand, kEstimands,
               "active: recommend the best protocol able to count active devices, as for a new "
               "metric; enrolled: the one with the smallest error, even if it only counts all "
               "devices ever enrolled"),
        number("liars", "SHARE", it.liars, 0, 1,
               "print the maximum shift of the count if this share of the devices lies"),
        number("window", "W", it.window, 1, kMaxSeasonWindow,
               "a metric without an end: compare season lengths that cost epsilon in any W periods "
               "in a row"),
        number("life", "L", it.life, 1, kMaxSeasonWindow,
               "with --window: lifetime of a device in periods, with seasons and rests"),
        number("change_every", "C", it.change_every, 1, 1e9,
               "with --window: mean number of periods between two changes of a device"),
        number("resolution", "Q", it.resolution, 1, kMaxSeasonWindow,
               "with --window: number of periods in the means you read, such as 1, 7 or 30"),
        segments_option(it.segments), shares_option(it.segment_shares), delta(it.delta)},
       constants(it.constants)});
}

Options compare_options(SimulationQuestion& it) {
  return join(
      {{users(it.users, "number of users; default: 100000, or those in --values")},
       metric_options(it),
       {population_option(it.population)},
       bands(it.estimator, it.level),
       {number("trials", "T", it.trials, 1, std::uint64_t{1} << 32,
               "number of runs over the population"),
        choice("engine", it.engine, std::array{Engine::kUsers, Engine::kSums},
               "users: runs every device; sums: draws the same distribution for all users at once"),
        number("threads", "N", it.threads, 1, 1024, "number of threads; default: one per core"),
        seed(
            it.seed,
            "makes the run reproducible, for any number of threads; default: the system's entropy"),
        flag("keep_trials", it.keep_trials, "include the estimates of every trial in JSON")},
       constants(it.constants)});
}

Options simulate_options(SimulationQuestion& it) {
  return join(
      {{protocol(it.protocol, simulated_protocol_names())},
       compare_options(it),
       {choice("joining", it.churn.joining,
               std::array{Joining::kStart, Joining::kStaggered, Joining::kGrowth},
               "when devices join. start: all in period 1; staggered: each in a period drawn "
               "uniformly; growth: tenfold over the horizon"),
        number("dropout", "RATE", it.churn.dropout, 0, 1,
               "probability that a device leaves after a period"),
        number("dropout_factor", "F", it.churn.dropout_factor, 0, 1000,
               "factor on --dropout after a period with value 1"),
        number("offline", "SHARE", it.churn.offline, 0, 1,
               "share of devices offline at any time, in pauses of 4 periods on average; they "
               "catch up afterwards"),
        choice(
            "attack", it.attack, kAttacks,
            "strategy of lying devices, all with value 0;\nplus, minus: only this sign;\nview: one "
            "sign, in the report type with the largest effect on the last period;\nchanges: the "
            "same among report types of changes;\nflips: the other sign after the middle of the "
            "horizon;\nmass: like view, all enrolling in one period after the middle;\nhidden: "
            "undetectable by the tests"),
        number("liars", "SHARE", it.liars, 0, 1,
               "with --attack: share of lying devices; default: 0.01"),
        number("every", "H", it.every, 1, kMaxSeasonWindow,
               "a metric without an end: a season of --periods begins every H periods"),
        number("rest", "R", it.rest, 0, kMaxSeasonWindow,
               "with --every: periods of rest after a season; default: as long as a season"),
        number("cycles", "C", it.cycles, 1, 1000,
               "with --every: number of simulated cycles of season and rest")},
       counting(it.estimand, it.inactive_after, it.uncapped)});
}

Options audit_options(AuditQuestion& it) {
  return join(
      {{protocol(it.protocol, simulated_protocol_names())},
       metric_options(it),
       {segments_option(it.segments),
        flag("exhaustive", it.exhaustive,
             "also run every input, noise vector and coin (small --periods, such as 8)"),
        flag("empirical", it.empirical,
             "also test the client as a black box, with many pairs of sequences"),
        number("samples", "N", it.samples, 100, std::uint64_t{1} << 30,
               "runs of each sequence; half of them select an event, half test it"),
        number("confidence", "SHARE", it.confidence, 0.5, 0.999999999,
               "confidence level of the lower bound"),
        seed(it.seed, "makes the empirical test reproducible"),
        users(it.users, "number of users, for the central guarantee (see --delta)"),
        number("every", "H", it.every, 1, kMaxSeasonWindow,
               "a metric without an end: a season of --periods begins every H periods"),
        number("rest", "R", it.rest, 0, kMaxSeasonWindow,
               "with --every: periods of rest after a season; default: as long as a season"),
        number("window", "W", it.window, 1, kMaxSeasonWindow,
               "with --every: also print the epsilon of any W periods in a row; default: the rest"),
        number("life", "L", it.life, 1, kMaxSeasonWindow,
               "with --every: also print the epsilon of a lifetime of L periods"),
        delta(it.delta)},
       constants(it.constants)});
}

Options randomize_options(RandomizeQuestion& it) {
  return join(
      {protocol_options(it),
       {users(it.users, "number of users; those without values hold 0"),
        seed(it.seed, "makes the lines reproducible, and so not private; their header says so")}});
}

Options estimate_options(EstimateQuestion& it) {
  return join({bands(it.estimator, it.level),
               counting(it.estimand, it.inactive_after, it.uncapped),
               value_options(it),
               {number("window", "W", it.window, 1, kMaxPeriods,
                       "each row is the mean over this many periods, named by its last one")},
               {named("band", "", it.simultaneous, {{"pointwise", false}, {"simultaneous", true}},
                      "pointwise: each period's band holds with --level; simultaneous: all bands "
                      "hold together with --level"),
                flag("incomplete", it.incomplete,
                     "accept a file in which due reports are missing at the end")}});
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
