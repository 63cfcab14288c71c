#include "apps/fleet/playground.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "futurerand/client/drawn_device.hpp"
#include "futurerand/core/plan/recommendation.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/simulator/populations/population.hpp"
#include "futurerand/wire/json_object.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

// Anyone may call, so what one call can make grow is small.
constexpr std::uint64_t kMaxUsers = 200'000;
constexpr Period kMaxPlaygroundPeriods = 1024;
constexpr std::uint32_t kMaxPlaygroundChanges = 64;
constexpr std::size_t kMaxMetrics = 256;
constexpr std::string_view kNamePrefix = "playground-";
constexpr std::size_t kBatchMessages = 1 << 14;

struct Wanted {
  PopulationShape shape{20'000, 128, 4, Initial::kUnknown};
  std::string population = "adoption";
  Epsilon epsilon = *Epsilon::parse("1");
  std::chrono::milliseconds period_length{150};
};

Result<Wanted> parse_wanted(const std::string& text) {
  const Result<Json> body = parse_json_object(text, "the body");
  if (!body) return body.error();
  JsonObject object(
      *body, "playground",
      {"users", "population", "periods", "changes", "epsilon", "period_milliseconds"});
  Wanted wanted;
  PopulationShape& shape = wanted.shape;
  if (object.has("users")) shape.num_users = object.integer("users", 1, kMaxUsers);
  if (object.has("periods")) {
    shape.num_periods = object.integer32("periods", 2, kMaxPlaygroundPeriods);
  }
  if (object.has("changes")) {
    shape.max_changes = object.integer32("changes", 1, kMaxPlaygroundChanges);
  }
  if (object.has("period_milliseconds")) {
    wanted.period_length =
        std::chrono::milliseconds(object.integer32("period_milliseconds", 1, 60'000));
  }
  if (object.has("population")) wanted.population = object.text("population");
  if (object.has("epsilon")) {
    const Result<Epsilon> epsilon = Epsilon::parse(object.text("epsilon"));
    if (!object.error() && !epsilon) return epsilon.error();
    if (epsilon) wanted.epsilon = *epsilon;
  }
  if (object.error()) return *object.error();
  return wanted;
}

struct Member {
  ClientId id;
  Device device;
  bool value = false;
};

Report report_of(const ClientId& id, const SignRun& run) {
  Report report{id, run.first_index, {}};
  run.append_to(report.signs);
  return report;
}

ApiResponse bad_request(const Error& error) {
  return error_response(400, "bad_playground", error.message);
}

}  // namespace

struct Playground::Fleet {
  std::uint32_t metric;
  CertifiedPlan plan;
  std::uint64_t num_users;
  std::vector<std::vector<std::uint32_t>> flips;  // element t-1: users with a flip in period t
  std::chrono::milliseconds period_length;
};

void Playground::attach(Writer& writer) {
  const std::lock_guard call(calls_);
  writer_ = &writer;
  // Leftovers of an earlier process.
  const std::shared_ptr<const Snapshot> snapshot = writer.snapshot();
  for (const auto& [name, number] : *snapshot->numbers) {
    if (!name.starts_with(kNamePrefix) || !snapshot->metrics[number]->definition->test) continue;
    metric_ = number;
    forget_run();
  }
}

void Playground::detach() {
  const std::lock_guard call(calls_);
  end_run();
  forget_run();
  writer_ = nullptr;
}

ApiResponse Playground::call(const Call& asked) {
  const std::lock_guard call(calls_);
  if (writer_ == nullptr) return retry_response(503, "starting", "not just now", 1);
  return start(asked.request.body);
}

ApiResponse Playground::start(const std::string& body) {
  const Result<Wanted> wanted = parse_wanted(body);
  if (!wanted) return bad_request(wanted.error());
  SystemEntropy entropy;
  SimulationKey key;
  const std::optional<ClientId> name = draw_client_id(entropy);
  if (!name || !entropy.fill(key.words)) {
    return error_response(503, "no_entropy", "the system's entropy cannot be read");
  }
  const Result<Population> population = Population::named(wanted->population, wanted->shape, key);
  if (!population) return bad_request(population.error());
  if (writer_->snapshot()->numbers->size() >= kMaxMetrics) {
    return error_response(409, "too_many",
                          "the collector has too many metrics for another playground");
  }

  const Result<Plan> recommended = recommended_plan(
      wanted->shape.num_periods, wanted->shape.max_changes, wanted->epsilon, wanted->shape.initial);
  if (!recommended) return bad_request(recommended.error());
  MetricDefinition definition =
      default_metric(fmt::format("{}{:02x}{:02x}{:02x}", kNamePrefix, name->bytes[0],
                                 name->bytes[1], name->bytes[2]),
                     *recommended);
  definition.test = true;
  definition.description = fmt::format("A simulated fleet ({})", wanted->population);
  Result<CertifiedPlan> plan = CertifiedPlan::create(definition.plan);
  if (!plan) return bad_request(plan.error());

  end_run();
  forget_run();
  const std::string metric = definition.name;
  if (!written([&](WhenWritten when) { writer_->create(definition, std::move(when)); })) {
    return retry_response(503, "stopping", "the collector is stopping or full; try again", 1);
  }

  metric_ = writer_->snapshot()->find(metric)->number;
  Fleet fleet{*metric_, *std::move(plan), wanted->shape.num_users, {}, wanted->period_length};
  fleet.flips.resize(wanted->shape.num_periods);
  std::vector<std::int64_t> truth(wanted->shape.num_periods);
  Flips flips;
  for (std::uint32_t user = 0; user < wanted->shape.num_users; ++user) {
    population->draw(user, flips);
    for (std::size_t i = 0; i < flips.size(); ++i) {
      fleet.flips[flips[i] - 1].push_back(user);
      truth[flips[i] - 1] += i % 2 == 0 ? 1 : -1;
    }
  }
  std::partial_sum(truth.begin(), truth.end(), truth.begin());
  thread_ = std::thread([this, moved = std::move(fleet)]() mutable { run(std::move(moved)); });
  ApiResponse response = json_response(Json{{"metric", metric}, {"truth", truth}}.dump());
  response.status = 201;
  return response;
}

void Playground::end_run() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  ending_ = false;
}

void Playground::forget_run() {
  if (!metric_ || writer_ == nullptr) return;
  // It stays if the collector stops or keeps its log.
  (void)written(
      [&](WhenWritten when) { writer_->change(MetricDeleted{*metric_}, std::move(when)); });
  metric_.reset();
}

bool Playground::pause(SteadyClock::time_point until) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_until(lock, until, [this] { return ending_; });
}

template <typename Submit>
bool Playground::written(Submit submit) {
  while (true) {
    const auto answer = std::make_shared<std::promise<Written>>();
    submit([answer](const WriteAnswer& got) { answer->set_value(got.written); });
    const Written written = answer->get_future().get();
    if (written == Written::kDurable) return true;
    if (written != Written::kBusy && written != Written::kNoRoom) return false;
    if (!pause(SteadyClock::now() + std::chrono::milliseconds(50))) return false;
  }
}

void Playground::run(Fleet fleet) {
  Batch batch{fleet.metric, {}, {}};
  const auto flush = [&] {
    if (batch.messages.empty()) return true;
    batch.lines.resize(batch.messages.size());
    const bool sent = written([&](WhenWritten when) {
      writer_->write(batch, batch.messages.size() * sizeof(Message), std::move(when));
    });
    batch.messages.clear();
    return sent && pause(SteadyClock::now());
  };
  const auto add = [&](Message message) {
    batch.messages.push_back(std::move(message));
    return batch.messages.size() < kBatchMessages || flush();
  };

  SystemEntropy entropy;
  std::vector<Member> members;
  members.reserve(fleet.num_users);
  for (std::uint64_t user = 0; user < fleet.num_users; ++user) {
    const std::optional<ClientId> id = draw_client_id(entropy);
    Result<Device> device = Device::join(fleet.plan, 1, entropy);
    if (!id || !device || !add(device->enrolment(*id))) return;
    members.push_back({*id, *std::move(device)});
  }
  if (!flush()) return;

  SteadyClock::time_point end_of_period = SteadyClock::now();
  for (Period t = 1; t <= fleet.plan.plan().num_periods; ++t) {
    end_of_period += fleet.period_length;
    if (!pause(end_of_period)) return;
    if (!written([&](WhenWritten when) { writer_->advance({fleet.metric}, std::move(when)); }))
      return;
    for (const std::uint32_t user : fleet.flips[t - 1]) members[user].value = !members[user].value;
    for (Member& member : members) {
      bool sent = true;
      const auto emit = [&](const SignRun& run) { sent = add(report_of(member.id, run)); };
      if (!member.device.observe(t, member.value, entropy, emit) || !sent) return;
    }
    if (!flush()) return;
  }
}

}  // namespace futurerand::apps
