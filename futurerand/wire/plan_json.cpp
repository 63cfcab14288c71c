#include "futurerand/wire/plan_json.hpp"

#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/wire/coding_json.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/segments_json.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

constexpr std::array kKindNames = {
    std::pair{ViewKind::kChanges, "changes"}, std::pair{ViewKind::kSnapshot, "snapshot"},
    std::pair{ViewKind::kValues, "values"},   std::pair{ViewKind::kInnovation, "innovation"},
    std::pair{ViewKind::kPulse, "pulse"},     std::pair{ViewKind::kOnce, "once"}};

constexpr std::uint32_t kAny32 = std::numeric_limits<std::uint32_t>::max();

std::string name_of(ViewKind kind) {
  for (const auto& [known, name] : kKindNames) {
    if (known == kind) return name;
  }
  std::abort();
}

std::string field(std::string_view key, std::uint64_t value) {
  return ",\"" + std::string(key) + "\":" + std::to_string(value);
}

std::string text_field(std::string_view key, std::uint64_t value) {
  return ",\"" + std::string(key) + "\":\"" + std::to_string(value) + "\"";
}

struct LawWriter {
  std::string operator()(const ProductLaw& law) const {
    return shape("product", law.num_signs) + text_field("flip", law.flip) + "}";
  }
  std::string operator()(const SingleLaw& law) const {
    return shape("single", law.num_signs) + text_field("flip", law.flip) + "}";
  }
  std::string operator()(const AnnulusLaw& law) const {
    return shape("annulus", law.num_signs) + text_field("flip", law.flip) +
           field("first_kept", law.first_kept) + field("last_kept", law.last_kept) + "}";
  }
  std::string operator()(const ThresholdLaw& law) const {
    return shape("threshold", law.num_signs) + field("tau", law.tau) +
           text_field("low_side", law.low_side) + "}";
  }
  std::string operator()(const SparseLaw& law) const {
    return shape("sparse", law.num_signs) + field("nonzero", law.nonzero) + field("tau", law.tau) +
           text_field("high_side", law.high_side) + "}";
  }
  std::string operator()(const WeightedThresholdLaw& law) const {
    using Level = WeightedThresholdLaw::Level;
    return shape("weighted_threshold", law.num_signs) +
           list("counts", law, [](const Level& level) { return std::uint64_t{level.count}; }) +
           list("weights", law, [](const Level& level) { return std::uint64_t{level.weight}; }) +
           list("gaps", law, [](const Level& level) { return level.gap; }) +
           (law.start_levels > 0 ? field("start_levels", law.start_levels) : "") +
           (law.may_be_zero() ? field("nonzero", law.nonzero) : "") + field("theta", law.theta) +
           text_field("high_side", law.high_side) + "}";
  }
  std::string operator()(const PulseLaw& law) const {
    return shape("pulse", law.num_signs) + field("window", law.window) +
           field("pulses", law.pulses) + text_field("high_side", law.high_side) + "}";
  }

 private:
  template <typename Number>
  static std::string list(std::string_view key, const WeightedThresholdLaw& law, Number number) {
    std::string text = ",\"" + std::string(key) + "\":[";
    for (const auto& level : law.levels) {
      if (text.back() != '[') text += ',';
      text += std::to_string(number(level));
    }
    return text + ']';
  }
  static std::string shape(std::string_view name, std::uint32_t num_signs) {
    return "{\"shape\":\"" + std::string(name) + "\"" + field("signs", num_signs);
  }
};

// There are three lists of one length, with an entry for each level.
std::vector<WeightedThresholdLaw::Level> read_levels(JsonObject& law) {
  const std::vector<std::uint64_t> counts = law.integers("counts", kAny32);
  const std::vector<std::uint64_t> weights = law.integers("weights", kAny32);
  const std::vector<std::uint64_t> gaps = law.integers("gaps", std::uint64_t{1} << 53);
  if (counts.size() != weights.size() || counts.size() != gaps.size()) {
    law.fail("counts, weights and gaps have different lengths; expected one entry for each level");
    return {};
  }
  std::vector<WeightedThresholdLaw::Level> levels;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    levels.push_back(
        {static_cast<std::uint32_t>(counts[l]), static_cast<std::uint32_t>(weights[l]), gaps[l]});
  }
  return levels;
}

template <typename ReadLaw>
Result<Law> read_shape(JsonObject object, ReadLaw read) {
  Law law = read(object, object.integer32("signs", 1, kAny32));
  if (object.error()) return *object.error();
  return law;
}

// Whether a law's integers are in range is the business of validate().
Result<Law> read_law(const nlohmann::json& json, const std::string& where) {
  const auto found = json.find("shape");
  const auto* shape = found == json.end() ? nullptr : found->get_ptr<const std::string*>();
  if (shape == nullptr) return Error{where + ": the key 'shape' is missing or no string"};
  if (*shape == "product") {
    return read_shape({json, where, {"shape", "signs", "flip"}},
                      [](JsonObject& law, std::uint32_t k) -> Law {
                        return ProductLaw{k, law.integer_text("flip")};
                      });
  }
  if (*shape == "single") {
    return read_shape({json, where, {"shape", "signs", "flip"}},
                      [](JsonObject& law, std::uint32_t k) -> Law {
                        return SingleLaw{k, law.integer_text("flip")};
                      });
  }
  if (*shape == "annulus") {
    return read_shape({json, where, {"shape", "signs", "flip", "first_kept", "last_kept"}},
                      [](JsonObject& law, std::uint32_t k) -> Law {
                        return AnnulusLaw{k, law.integer_text("flip"),
                                          law.integer32("first_kept", 0, kAny32),
                                          law.integer32("last_kept", 0, kAny32)};
                      });
  }
  if (*shape == "threshold") {
    return read_shape(
        {json, where, {"shape", "signs", "tau", "low_side"}},
        [](JsonObject& law, std::uint32_t k) -> Law {
          return ThresholdLaw{k, law.integer32("tau", 0, kAny32), law.integer_text("low_side")};
        });
  }
  if (*shape == "sparse") {
    return read_shape({json, where, {"shape", "signs", "nonzero", "tau", "high_side"}},
                      [](JsonObject& law, std::uint32_t k) -> Law {
                        return SparseLaw{k, law.integer32("nonzero", 0, kAny32),
                                         law.integer32("tau", 0, kAny32),
                                         law.integer_text("high_side")};
                      });
  }
  if (*shape == "weighted_threshold") {
    return read_shape({json,
                       where,
                       {"shape", "signs", "counts", "weights", "gaps", "start_levels", "nonzero",
                        "theta", "high_side"}},
                      [](JsonObject& law, std::uint32_t d) -> Law {
                        WeightedThresholdLaw weighted{d, read_levels(law), 0, 0};
                        weighted.theta = law.integer32("theta", 0, kAny32);
                        weighted.high_side = law.integer_text("high_side");
                        // A key with its usual value is left out: one law has one form, and one
                        // digest.
                        if (law.has("nonzero")) {
                          weighted.nonzero = law.integer32("nonzero", 0, SparseLaw::kUnits - 1);
                        }
                        if (law.has("start_levels")) {
                          weighted.start_levels = law.integer32("start_levels", 1, kAny32);
                        }
                        return weighted;
                      });
  }
  if (*shape == "pulse") {
    return read_shape({json, where, {"shape", "signs", "window", "pulses", "high_side"}},
                      [](JsonObject& law, std::uint32_t slots) -> Law {
                        return PulseLaw{slots, law.integer32("window", 1, kAny32),
                                        law.integer32("pulses", 1, kAny32),
                                        law.integer_text("high_side")};
                      });
  }
  return Error{where + ": shape " + shown(*shape) +
               " is unknown; expected product, single, annulus, threshold, sparse, "
               "weighted_threshold or pulse"};
}

Result<View> read_view(const nlohmann::json& json, const std::string& where) {
  JsonObject object(json, where, {"kind", "order", "weight", "law"});
  const std::string& kind_name = object.text("kind");
  std::optional<ViewKind> kind;
  for (const auto& [known, name] : kKindNames) {
    if (kind_name == name) kind = known;
  }
  if (!kind) {
    object.fail("kind " + shown(kind_name) +
                " is unknown; expected changes, snapshot, values, innovation, pulse or once");
  }
  const Order order = object.integer32("order", 0, 31);
  const std::uint64_t weight = object.integer("weight", 1, std::uint64_t{1} << 32);
  const nlohmann::json& law_json = object.object("law");
  if (object.error()) return *object.error();
  const Result<Law> law = read_law(law_json, where + ": law");
  if (!law) return law.error();
  return View{*kind, order, weight, *law};
}

}  // namespace

Protocol read_protocol(JsonObject& object) {
  const std::string& name = object.text("protocol");
  const std::optional<Protocol> protocol = protocol_named(name);
  if (protocol) return *protocol;
  std::string names;
  for (const Protocol known : kProtocols) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(known));
  }
  object.fail("protocol " + shown(name) + " is unknown; expected one of " + names);
  return Protocol::kHybrid;
}

Initial read_initial(JsonObject& object) {
  const std::string& name = object.text("initial");
  const std::optional<Initial> initial = initial_named(name);
  if (!initial) object.fail("initial " + shown(name) + " is unknown; expected zero or unknown");
  return initial.value_or(Initial::kUnknown);
}

std::string to_json(const Law& law) { return std::visit(LawWriter{}, law); }

std::string to_json(const Plan& plan) {
  std::string json = "{\"protocol\":\"" + std::string(name_of(plan.protocol)) + "\"" +
                     field("periods", plan.num_periods) + field("max_changes", plan.max_changes) +
                     ",\"initial\":\"" + std::string(name_of(plan.initial)) + "\"" +
                     (plan.coding == Coding() ? "" : ",\"value\":" + to_json(plan.coding)) +
                     (plan.segments.empty() ? "" : ",\"segment\":" + to_json(plan.segments)) +
                     ",\"epsilon\":\"" + plan.epsilon.text() + "\",\"views\":[";
  for (const View& view : plan.views) {
    if (json.back() != '[') json += ',';
    json += "{\"kind\":\"" + name_of(view.kind) + "\"" + field("order", view.order) +
            field("weight", view.weight) + ",\"law\":" + to_json(view.law) + "}";
  }
  return json + "]}";
}

Result<Plan> read_plan(const nlohmann::json& json) {
  JsonObject object(
      json, "plan",
      {"protocol", "periods", "max_changes", "initial", "value", "segment", "epsilon", "views"});
  const Protocol protocol = read_protocol(object);
  const Period periods = object.integer32("periods", 1, kMaxPeriods);
  const std::uint32_t changes = object.integer32("max_changes", 0, kMaxChanges);
  const Initial initial = read_initial(object);
  const Coding coding = read_value_key(object);
  const Segments segments = read_segment_key(object);
  const std::string& epsilon_text = object.text("epsilon");
  const nlohmann::json& views = object.array("views");
  if (object.error()) return *object.error();
  const Result<Epsilon> epsilon = Epsilon::parse(epsilon_text);
  if (!epsilon) return Error{"plan: " + epsilon.error().message};

  Plan plan{protocol, periods, changes, *epsilon, {}, initial, coding, segments};
  for (const nlohmann::json& entry : views) {
    const Result<View> view =
        read_view(entry, "plan: views[" + std::to_string(plan.views.size()) + "]");
    if (!view) return view.error();
    plan.views.push_back(*view);
  }
  if (const Status valid = validate(plan); !valid) {
    return Error{"plan: " + valid.error().message};
  }
  return plan;
}

Result<Plan> parse_plan(std::string_view json) {
  const Result<nlohmann::json> parsed = parse_json_object(json, "the plan");
  if (!parsed) return parsed.error();
  return read_plan(*parsed);
}

}  // namespace futurerand
