// write_vectors > tests/data/vectors.jsonl: writes the golden vectors again, after a protocol or a
// law has changed on purpose. The entropy is that of SplitMix64 with seeds 1, 2, ..., so that only
// what changed is written anew.
#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "bindings/vectors/client_vector.hpp"
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
};

struct Setting {
  Protocol protocol;
  Period periods;
  std::uint32_t changes;
  const char* epsilon;
  Period joined;
  int devices;  // so many seeds, for plans whose views differ
  Course course = Course::kNowAndThen;
  bool sparse = false;  // changes are reported under sparse laws, whether that pays or not
};

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
};

// Changes its mind, misses periods, and goes past the horizon.
std::vector<VectorStep> steps_of(const Setting& setting, std::uint64_t seed) {
  testing_sources::SeededSource chance(~seed);
  std::vector<VectorStep> steps;
  bool value = false;
  Period period = setting.joined;
  while (period <= setting.periods) {
    value ^= setting.course == Course::kEveryPeriod || chance.below(5) == 0;
    const bool acknowledged = chance.below(3) == 0;
    steps.push_back({period, value, {}, acknowledged && setting.course != Course::kLongOutbox});
    ++period;
    if (setting.course == Course::kNowAndThen && chance.below(4) == 0) period += chance.below(5);
    if (setting.course == Course::kLongOutbox) period += chance.below(setting.periods / 16);
  }
  steps.push_back({setting.periods + 1, value, {}, true});
  return steps;
}

Result<Plan> plan_of(const Setting& setting) {
  const Epsilon epsilon = *Epsilon::parse(setting.epsilon);
  Result<Plan> plan = make_plan(setting.protocol, setting.periods, setting.changes, epsilon);
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

}  // namespace

int main() {
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
      const Result<MetricTerms> terms = terms_of(vector);
      if (!terms) return stop(terms.error().message);
      RecordingSource entropy(seed);
      const Result<DrawnDevice> drawn = DrawnDevice::draw(terms->plan, setting.joined, entropy);
      if (!drawn) return stop("cannot join");
      if (!is_wanted(setting, *plan, drawn->device)) continue;
      vector.entropy = entropy.bytes();
      Result<std::vector<VectorStep>> steps = replay(vector, false);
      if (!steps) return stop(steps.error().message);
      vector.steps = *std::move(steps);
      std::printf("%s\n", to_line(vector).c_str());
      ++device;
    }
  }
  return std::fflush(stdout) == 0 ? 0 : stop("cannot write");
}
