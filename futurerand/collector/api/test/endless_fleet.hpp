// A fleet of a metric without an end, and a collector for it. Tests move the clock and kill the
// collector at any time. The fleet counts its lines too, by the definition: each answered line
// counts once.
#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "futurerand/collector/api/api.hpp"
#include "futurerand/collector/log/memory_log.hpp"
#include "futurerand/collector/writer/writer.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::test {

using Json = nlohmann::json;

class KilledCollector {
 public:
  explicit KilledCollector(Instant now) : now_(now) { start(); }

  // What was durable when it was killed is all that the next one finds.
  void kill() {
    auto left = std::make_unique<MemoryLog>();
    left->groups = log_->groups;
    left->checkpoints = log_->checkpoints;
    api_.reset();
    writer_.reset();
    log_ = std::move(left);
    start();
  }
  void restart() {
    api_.reset();
    writer_.reset();
    start();
  }
  // Lets the writer look at its clock.
  void tidy() { (void)writer_->tidy(); }

  ApiResponse call(ApiRequest request) {
    std::promise<ApiResponse> answer;
    std::future<ApiResponse> answered = answer.get_future();
    api_->handle(std::move(request), [&](ApiResponse it) { answer.set_value(std::move(it)); });
    while (answered.wait_for(std::chrono::seconds(0)) != std::future_status::ready) drive();
    ApiResponse response = answered.get();
    response.finish();
    return response;
  }
  ApiResponse get(const std::string& target) { return call({.method = "GET", .target = target}); }
  Json read(const std::string& target) {
    const ApiResponse response = get(target);
    EXPECT_EQ(response.status, 200) << target << ": " << response.body;
    return Json::parse(response.body, nullptr, false);
  }
  ApiResponse send(const std::string& method, const std::string& target, std::string body) {
    return call({.method = method,
                 .target = target,
                 .body = std::move(body),
                 .authorization = "Bearer the token"});
  }

  MetricDefinition definition(const std::string& name) const {
    return *writer_->snapshot()->find(name)->definition;
  }
  WriteAnswer create(const MetricDefinition& definition) {
    std::optional<WriteAnswer> answer;
    writer_->create(definition, [&](WriteAnswer it) { answer = std::move(it); });
    drive();
    return *answer;
  }

  std::uint64_t state_bytes() const { return writer_->figures().state_bytes; }
  std::size_t checkpoint_bytes() const {
    std::size_t bytes = 0;
    if (log_->checkpoints.empty()) return 0;
    for (const MemoryLog::Piece& piece : log_->checkpoints.rbegin()->second) {
      bytes += piece.bytes.size();
    }
    return bytes;
  }

  Instant now_;

 private:
  void start() {
    Result<LoadedState> loaded = load_state({1, 2}, *log_, *log_, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    WriterOptions writer;
    writer.now = [this] { return now_; };
    writer.erase_after = std::chrono::seconds(0);
    writer.checkpoint_bytes = 1 << 20;
    writer.wake = [] {};  // the tests drive it
    writer_ = std::make_unique<Writer>(writer, *std::move(loaded), *log_, *log_);
    ApiOptions api;
    api.now = [this] { return now_; };
    api.tokens->replace({.admin = {"the token"}});
    api_ = std::make_unique<Api>(api, *writer_);
  }
  void drive() {
    while (writer_->begin()) {
      const std::string_view group = writer_->group();
      writer_->end(group.empty() ? log_->confirm() : log_->append(writer_->next_sequence(), group),
                   std::chrono::seconds(0));
    }
  }

  std::unique_ptr<MemoryLog> log_ = std::make_unique<MemoryLog>();
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Api> api_;
};

// Devices with a phase each. They send random signs: what is counted does not depend on noise.
class EndlessFleet {
 public:
  EndlessFleet(KilledCollector& collector, std::string metric, const Calendar& calendar,
               std::size_t devices, std::uint64_t seed)
      : collector_(collector), metric_(std::move(metric)), calendar_(calendar), random_(seed) {
    for (std::size_t i = 0; i < devices; ++i) {
      devices_.push_back({static_cast<std::int64_t>(
          random_() % static_cast<std::uint64_t>(calendar.num_phases()))});
    }
  }

  // In period t everybody who takes part sends what is due: the report of the period before.
  void run_period(Period t) {
    std::map<std::int64_t, std::string> lines;
    for (Device& device : devices_) {
      const auto season = calendar_.season_of(device.phase, t);
      // The last report of a season is due when the season is over.
      if (device.season != 0 && (!season || *season != device.season)) {
        report(device, static_cast<Period>(calendar_.season()), lines[device.season]);
        device.season = 0;
      }
      if (!season) continue;
      const auto age = static_cast<Period>(t - calendar_.first(*season) + 1);
      if (device.season != *season) {
        device.season = *season;
        device.joined = age;
        for (auto& byte : device.id.bytes) byte = static_cast<std::uint8_t>(random_());
        lines[*season] += to_line(Enrolment{device.id, 0, age, 0}) + '\n';
        ++enrolled[*season][age];
        continue;
      }
      if (age > device.joined) report(device, age - 1, lines[*season]);
    }
    for (const auto& [season, body] : lines) {
      if (!body.empty()) deliver(season, body);
    }
  }

  // By season and period: the sum of signs, and how many there are.
  struct Sum {
    std::int64_t sum = 0;
    std::uint64_t count = 0;
  };
  std::map<std::int64_t, std::map<Period, Sum>> sums;
  std::map<std::int64_t, std::map<Period, std::uint64_t>> enrolled;

  // Lines are sent twice when an answer was lost.
  bool repeats = false;

 private:
  struct Device {
    std::int64_t phase = 0;
    std::int64_t season = 0;
    Period joined = 0;
    ClientId id = {};
  };

  void report(Device& device, Period at, std::string& lines) {
    const bool plus = random_() % 2 == 0;
    lines += to_line(Report{device.id, at, {1, sign_of(!plus)}}) + '\n';
    Sum& sum = sums[device.season][at];
    sum.sum += plus ? 1 : -1;
    ++sum.count;
  }
  void deliver(std::int64_t season, const std::string& body) {
    const std::string target =
        "/v1/metrics/" + metric_ + "/seasons/" + std::to_string(season) + "/reports";
    for (int time = 0; time < (repeats ? 2 : 1); ++time) {
      const ApiResponse response =
          collector_.call({.method = "POST", .target = target, .body = body});
      ASSERT_EQ(response.status, 200) << response.body;
      const Json answer = Json::parse(response.body);
      ASSERT_EQ(answer.at("rejected"), 0) << response.body;
      if (time == 0) {
        ASSERT_EQ(answer.at("duplicates"), 0) << response.body;
      }
    }
  }

  KilledCollector& collector_;
  const std::string metric_;
  const Calendar calendar_;
  std::mt19937_64 random_;
  std::vector<Device> devices_;
};

// Runs days of a metric with seasons of 90 that begin every 15 days. Around the start of each
// season the collector is killed, or restarted, and some lines come twice.
template <typename EachDay>
void run_days(KilledCollector& collector, EndlessFleet& fleet, Instant first, Period days,
              const EachDay& each_day) {
  for (Period t = 1; t <= days; ++t) {
    collector.now_ = first + std::chrono::seconds(86'400) * (t - 1);
    const Period in_step = (t - 1) % 15;  // a season begins at 0
    if (in_step == 0 || in_step == 14) collector.kill();
    if (in_step == 1) collector.restart();
    fleet.repeats = t % 7 == 0;
    fleet.run_period(t);
    collector.tidy();
    each_day(t);
  }
}

// The sums of a season are those of all lines that were answered, each once.
inline void expect_sums(KilledCollector& collector, const EndlessFleet& fleet,
                        std::int64_t season) {
  const Json sums =
      collector.read("/v1/metrics/m/seasons/" + std::to_string(season) + "/sums").at("views")[0];
  const auto found = fleet.sums.find(season);
  for (Period t = 1; t <= sums.at("sums").size(); ++t) {
    EndlessFleet::Sum sum;
    if (found != fleet.sums.end() && found->second.contains(t)) sum = found->second.at(t);
    ASSERT_EQ(sums.at("sums")[t - 1], sum.sum) << "season " << season << ", period " << t;
    ASSERT_EQ(sums.at("counts")[t - 1], sum.count) << "season " << season << ", period " << t;
    const auto& enrolled = fleet.enrolled.at(season);
    ASSERT_EQ(sums.at("enrolled")[t - 1], enrolled.contains(t) ? enrolled.at(t) : 0);
  }
}

}  // namespace futurerand::test
