// write_vectors > tests/data/vectors.jsonl: writes the golden vectors again, after a protocol or a
// law has changed on purpose. write_vectors group > tests/data/group_vectors.jsonl: those of
// groups. The entropy is that of SplitMix64 with seeds 1, 2, ..., so that only what changed is
// written anew.
#include <cstdio>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "bindings/vectors/client_vector.hpp"
#include "bindings/vectors/group_vector.hpp"
#include "futurerand/client/drawn_device.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/core/law/sparse.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/wire.hpp"

using namespace futurerand;

namespace {

// Gives seeded words, and keeps them.
class RecordingSource final : public RandomSource {
 public:
  explicit RecordingSource(std::uint64_t seed) : words_(seed) {}
  bool fill(std::span<std::uint64_t> words) override {
    if (!words_.fill(words)) return false;
    for (const std::uint64_t word : words) {
      for (int i = 0; i < 64; i += 8) bytes_.push_back(static_cast<std::uint8_t>(word >> i));
    }
    return true;
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  testing_sources::SeededSource words_;
  std::vector<std::uint8_t> bytes_;
};

// What happens to a device.
enum class Course {
  kNowAndThen,   // its value changes now and then, and lines are acknowledged now and then
  kLongOutbox,   // the same in few steps, and nothing is acknowledged before the end
  kEveryPeriod,  // its value changes at every period: all of its noise is used
  // Its value is not yes or no, and lines are acknowledged now and then:
  kDrift,     // a number that moves a little at every step
  kJumps,     // a number that stays, and now and then is somewhere else
  kExtremes,  // a number at the ends of the range, beyond them, and hardly beside 0
  kJitter,    // a number that moves by about as much as the plan ignores
  kLabels,    // one of a few texts, one of which is no label
};

// How a device ends.
enum class Ending {
  kHorizon,  // it observes until the metric is over
  kLeaves,   // it leaves in the middle of the metric
  kForgotten,
  kLeavesThenForgotten,
};

struct Setting {
  Protocol protocol;
  Period periods;
  std::uint32_t changes;
  const char* epsilon;
  Period joined;
  int devices;  // number of seeds, for plans with different views
  Course course = Course::kNowAndThen;
  bool sparse = false;  // changes are reported under sparse laws, whether that pays or not
  Initial initial = Initial::kZero;
  CodingKind kind = CodingKind::kYesNo;
  Ending ending = Ending::kHorizon;
};

// Returns a setting of innovation with an unknown start.
constexpr Setting unknown(Period periods, std::uint32_t changes, const char* epsilon, Period joined,
                          int devices, Course course = Course::kNowAndThen,
                          CodingKind kind = CodingKind::kYesNo) {
  return {Protocol::kInnovation, periods, changes, epsilon, joined, devices, course, false,
          Initial::kUnknown,     kind};
}

// Every protocol; horizons that are no power of two; late joiners; and the laws of large epsilon,
// of which innovation's quiet ones come late, so that the others keep their seeds.
constexpr Setting kSettings[] = {
    {Protocol::kInnovation, 24, 3, "1", 1, 2},
    {Protocol::kInnovation, 100, 4, "0.5", 7, 1},
    {Protocol::kInnovation, 24, 3, "4", 1, 2},
    {Protocol::kInnovation, 9, 8, "16", 1, 1},
    {Protocol::kHybrid, 24, 3, "1", 1, 6},
    {Protocol::kHybrid, 40, 4, "4", 1, 6},
    {Protocol::kHybrid, 100, 2, "0.25", 13, 2},
    {Protocol::kOptimal, 24, 3, "1", 1, 3},
    {Protocol::kOptimal, 70, 5, "2", 5, 2},
    {Protocol::kFutureRand, 24, 3, "1", 1, 3},
    {Protocol::kWarner, 24, 3, "1", 1, 2},
    {Protocol::kErlingsson, 24, 3, "1", 1, 2},
    {Protocol::kBun, 24, 3, "1", 1, 2},
    {Protocol::kSnapshot, 24, 3, "1", 1, 2},
    {Protocol::kRepeated, 24, 3, "1", 1, 1},
    {Protocol::kRepeated, 1, 1, "1", 1, 1},
    {Protocol::kInnovation, 40, 1, "4", 1, 2},
    {Protocol::kInnovation, 100, 2, "8", 7, 1},
    // Noise of more than 64, 128, 256 and 1024 symbols.
    {Protocol::kInnovation, 300, 4, "1", 1, 1, Course::kLongOutbox},
    {Protocol::kInnovation, 1100, 4, "1", 1, 1, Course::kLongOutbox},
    {Protocol::kInnovation, 300, 1, "4", 1, 1, Course::kLongOutbox},
    {Protocol::kRepeated, 300, 4, "1", 1, 1, Course::kLongOutbox},
    {Protocol::kOptimal, 128, 100, "8", 1, 1, Course::kEveryPeriod, true},
    {Protocol::kOptimal, 256, 200, "1", 1, 1, Course::kEveryPeriod},
    {Protocol::kFutureRand, 300, 280, "1", 1, 1, Course::kEveryPeriod},
    {Protocol::kWarner, 300, 280, "1", 1, 1, Course::kEveryPeriod},
    {Protocol::kPulse, 24, 1, "2", 1, 4},
    {Protocol::kPulse, 100, 1, "4", 7, 2},
    {Protocol::kPulse, 300, 1, "1", 1, 1, Course::kLongOutbox},
    // Unknown starts, early and late.
    unknown(24, 0, "1", 1, 2),
    unknown(24, 0, "4", 9, 1),
    unknown(24, 3, "1", 1, 2),
    unknown(100, 3, "0.5", 37, 2),
    unknown(40, 3, "8", 5, 1),
    {Protocol::kHybrid, 24, 3, "1", 4, 2, Course::kNowAndThen, false, Initial::kUnknown},
    // Numbers, from 0 and from an unknown start.
    unknown(40, 2, "1", 1, 2, Course::kDrift, CodingKind::kNumber),
    unknown(40, 2, "4", 6, 1, Course::kDrift, CodingKind::kNumber),
    unknown(60, 3, "1", 1, 2, Course::kJumps, CodingKind::kNumber),
    unknown(24, 2, "1", 1, 2, Course::kExtremes, CodingKind::kNumber),
    unknown(40, 1, "2", 1, 2, Course::kJitter, CodingKind::kNumber),
    unknown(24, 0, "1", 3, 1, Course::kJumps, CodingKind::kNumber),
    {Protocol::kInnovation, 40, 3, "1", 1, 2, Course::kJumps, false, Initial::kZero,
     CodingKind::kNumber},
    // Values by their rows. Devices differ by their rows, so there are several.
    unknown(24, 3, "1", 1, 4, Course::kLabels, CodingKind::kCategory),
    unknown(24, 3, "4", 8, 2, Course::kLabels, CodingKind::kCategory),
    unknown(24, 3, "1", 1, 4, Course::kJumps, CodingKind::kDistribution),
    unknown(24, 2, "1", 1, 1, Course::kExtremes, CodingKind::kDistribution),
    unknown(24, 3, "1", 1, 3, Course::kLabels, CodingKind::kText),
    // One answer at joining.
    {Protocol::kOnce, 24, 0, "1", 1, 2, Course::kNowAndThen, false, Initial::kUnknown},
    {Protocol::kOnce, 24, 0, "4", 9, 1, Course::kNowAndThen, false, Initial::kUnknown},
    {Protocol::kOnce, 1, 0, "1", 1, 1, Course::kNowAndThen, false, Initial::kUnknown},
    // Devices that leave.
    {Protocol::kInnovation, 24, 3, "1", 1, 1, Course::kNowAndThen, false, Initial::kUnknown,
     CodingKind::kYesNo, Ending::kLeaves},
    {Protocol::kInnovation, 24, 3, "1", 4, 1, Course::kNowAndThen, false, Initial::kUnknown,
     CodingKind::kYesNo, Ending::kForgotten},
    {Protocol::kInnovation, 24, 3, "1", 1, 1, Course::kLabels, false, Initial::kUnknown,
     CodingKind::kText, Ending::kLeavesThenForgotten},
    {Protocol::kHybrid, 40, 3, "1", 1, 1, Course::kNowAndThen, false, Initial::kZero,
     CodingKind::kYesNo, Ending::kLeaves},
};

constexpr double kLow = -10;
constexpr double kHigh = 40;
constexpr const char* kTexts[] = {"firefox", "chrome", "safari", "caf\u00e9", "lynx"};

Coding coding_of(const Setting& setting) {
  switch (setting.kind) {
    case CodingKind::kYesNo:
      break;
    case CodingKind::kNumber:
      return *Coding::create(
          NumberCoding{kLow, kHigh, "\u00b0C", setting.course == Course::kJitter ? 2.0 : 0.0});
    case CodingKind::kCategory:  // five labels; "lynx" is another one
      return *Coding::create(
          CategoryCoding{{kTexts[0], kTexts[1], kTexts[2], kTexts[3]}, "another"});
    case CodingKind::kDistribution:
      return *Coding::create(DistributionCoding{kLow, kHigh, "\u00b0C", 16});
    case CodingKind::kText:
      return *Coding::create(TextCoding{});
  }
  return {};
}

// Returns the value after `last`.
KeptValue next_value(const Setting& setting, const KeptValue& last, bool is_first,
                     testing_sources::SeededSource& chance) {
  constexpr double kExtreme[] = {kLow, kHigh, -1e300, 1e300, -0.0, 5e-324, 39.9999, -9.9999};
  const double at = std::holds_alternative<double>(last) ? std::get<double>(last) : 15;
  switch (setting.course) {
    case Course::kNowAndThen:
    case Course::kLongOutbox:
      return std::get<bool>(last) != (chance.below(5) == 0);
    case Course::kEveryPeriod:
      return !std::get<bool>(last);
    case Course::kDrift:
      return at + (static_cast<double>(chance.below(9)) - 3) / 4;
    case Course::kJumps:
      return is_first || chance.below(6) == 0
                 ? kLow + (kHigh - kLow) * static_cast<double>(chance.below(1000)) / 1000
                 : at;
    case Course::kExtremes:
      return kExtreme[chance.below(std::size(kExtreme))];
    case Course::kJitter:
      return at + (static_cast<double>(chance.below(41)) - 20) / 8;
    case Course::kLabels:
      return is_first || chance.below(3) == 0 ? KeptValue(kTexts[chance.below(std::size(kTexts))])
                                              : last;
  }
  return last;
}

// Changes its mind, misses periods, and goes past the horizon.
std::vector<VectorStep> steps_of(const Setting& setting, std::uint64_t seed) {
  testing_sources::SeededSource chance(~seed);
  std::vector<VectorStep> steps;
  KeptValue value = false;
  Period period = setting.joined;
  while (period <= setting.periods) {
    value = next_value(setting, value, steps.empty(), chance);
    const bool acknowledged = chance.below(3) == 0;
    steps.push_back({period, value, {}, acknowledged && setting.course != Course::kLongOutbox});
    ++period;
    if (setting.course == Course::kEveryPeriod) continue;
    if (setting.course == Course::kLongOutbox) {
      period += chance.below(setting.periods / 16);
    } else if (chance.below(4) == 0) {
      period += chance.below(5);
    }
  }
  steps.push_back({setting.periods + 1, value, {}, true});
  if (setting.ending != Ending::kHorizon) {
    std::erase_if(steps, [&](const VectorStep& step) { return step.period > setting.periods / 2; });
    steps.back().acknowledged = false;
  }
  return steps;
}

// It says so until the collector has heard it, and again in later periods.
std::vector<DepartureStep> departure_of(const Setting& setting) {
  using Call = DepartureStep::Call;
  if (setting.ending == Ending::kHorizon) return {};
  const Period period = setting.periods / 2 + 1;
  const Call first = setting.ending == Ending::kForgotten ? Call::kForget : Call::kLeave;
  std::vector<DepartureStep> steps = {
      {first, period},
      {Call::kBeginPeriod, period + 1, {}, true},
      {Call::kBeginPeriod, period + 1},
      {Call::kBeginPeriod, period + 3, {}, true},
  };
  if (setting.ending != Ending::kLeavesThenForgotten) return steps;
  // Being forgotten is news in the same period.
  steps.push_back({Call::kForget, period + 4, {}, true});
  steps.push_back({Call::kLeave, period + 5, {}, true});
  return steps;
}

Result<Plan> plan_of(const Setting& setting) {
  const Epsilon epsilon = *Epsilon::parse(setting.epsilon);
  Result<Plan> plan = make_plan(setting.protocol, setting.periods, setting.changes, epsilon,
                                setting.initial, coding_of(setting));
  if (!plan) return plan;
  for (View& view : plan->views) {
    if (setting.sparse && view.kind == ViewKind::kChanges) {
      view.law = quiet(num_signs(view.law), epsilon, 0.5);
    }
  }
  return plan;
}

// A device that changes at every period uses all of its noise if it reports every period's change.
bool is_wanted(const Setting& setting, const Plan& plan, const Device& device) {
  const View& view = plan.views[device.view()];
  return setting.course != Course::kEveryPeriod ||
         (view.kind == ViewKind::kChanges && view.order == 0);
}

int stop(const std::string& why) {
  std::fprintf(stderr, "write_vectors: %s\n", why.c_str());
  return 1;
}

// One vector for each metric that may be drawn.
int write_groups() {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; drawn.size() < 3 && seed < 100; ++seed) {
    RecordingSource entropy(seed);
    Result<nlohmann::ordered_json> vector = replay_group(group_vector(seed), entropy, false);
    if (!vector) return stop(vector.error().message);
    if (!drawn.insert((*vector)["drawn"]).second) continue;
    (*vector)["entropy"] = hex_of(entropy.bytes());
    std::printf("%s\n", vector->dump().c_str());
  }
  return std::fflush(stdout) == 0 ? 0 : stop("cannot write");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "group") return write_groups();
  std::uint64_t seed = 0;
  for (const Setting& setting : kSettings) {
    const Result<Plan> plan = plan_of(setting);
    if (!plan) return stop(plan.error().message);
    for (int device = 0; device < setting.devices;) {
      ClientVector vector{std::string(name_of(setting.protocol)) + "-" + std::to_string(++seed),
                          to_json(*plan), plan_digest(*plan)};
      vector.start = 1'700'000'000;
      vector.period_seconds = 3600;
      vector.joined = setting.joined;
      vector.steps = steps_of(setting, seed);
      vector.departure = departure_of(setting);
      const Result<MetricTerms> terms = terms_of(vector);
      if (!terms) return stop(terms.error().message);
      RecordingSource entropy(seed);
      const Result<DrawnDevice> drawn = DrawnDevice::draw(terms->plan, setting.joined, entropy);
      if (!drawn) return stop("cannot join");
      if (!is_wanted(setting, *plan, drawn->device)) continue;
      vector.entropy = entropy.bytes();
      const Result<ClientVector> played = replay(vector, false);
      if (!played) return stop(played.error().message);
      std::printf("%s\n", to_line(*played).c_str());
      ++device;
    }
  }
  return std::fflush(stdout) == 0 ? 0 : stop("cannot write");
}
