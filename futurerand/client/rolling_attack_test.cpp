// What a hostile server, and a wrong clock, can try with a metric without an end. One test for each
// row of the tables in the design: attempts of a server, and clocks.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/acknowledge.hpp"
#include "futurerand/client/test/endless.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"

namespace futurerand {
namespace {

using test::endless_terms;
using test::EndlessDevice;
using test::EndlessShape;
using test::kSeconds;
using test::kStart;
using test::second_of;
using test::SeenLines;

Epsilon rolling_budget(const char* text) { return *Epsilon::parse(text); }

// One season costs 0.5, and so does any window of so many seconds.
Ledger::Limits window_of(std::int64_t seconds, const char* ceiling = "16") {
  return {rolling_budget(ceiling), {}, Ledger::Window{rolling_budget("0.5"), seconds}};
}

// Runs a device to the first period of a season.
std::int64_t run_to_season(EndlessDevice& device, std::int64_t t = 1) {
  for (;; ++t) {
    EXPECT_TRUE(device.contact(t, true));
    if (device.season()) return t;
  }
}

// The most that the entries which meet any window cost. The ledger keeps what is needed for it.
std::int64_t spent_in_any(const std::vector<Ledger::Entry>& all, std::int64_t seconds) {
  std::int64_t worst = 0;
  for (const Ledger::Entry& at : all) {
    std::int64_t sum = 0;
    for (const Ledger::Entry& one : all) {
      const bool meets = one.span.from <= at.span.from && one.span.until > at.span.from - seconds;
      sum += meets ? one.epsilon.nanos() : 0;
    }
    worst = std::max(worst, sum);
  }
  return worst;
}

TEST(HostileServer, CannotChangeTheTermsUnderTheSameName) {
  EndlessDevice device(endless_terms());
  ASSERT_TRUE(device.contact(1, true));
  const auto asked = [&](const MetricTerms& terms) {
    device.start();
    const Result<RollingClient> client =
        RollingClient::open(terms, 2, *device.ledger, device.store, device.entropy);
    return client ? std::string("accepted") : client.error().message;
  };
  const std::string changed =
      "the metric 'endless' is not the one that this device joined: its plan, start, period length "
      "or seasons changed; expected the same terms for ever";
  EXPECT_EQ(asked(device.terms), "accepted");
  EXPECT_EQ(asked(endless_terms({4, 2, 4})), changed);          // a shorter season
  EXPECT_EQ(asked(endless_terms({6, 2, 0})), changed);          // no rest
  EXPECT_EQ(asked(endless_terms({6, 6, 4 * 6 / 4})), changed);  // another step
  EXPECT_EQ(asked(endless_terms({6, 2, 4, "0.6"})), changed);   // another epsilon
  MetricTerms other = device.terms;
  other.clock.start += kSeconds;
  EXPECT_EQ(asked(other), changed);
  other = device.terms;
  other.clock.length = 1;
  EXPECT_EQ(asked(other), changed);
  // A metric with an end under the same name.
  other = device.terms;
  other.seasons.reset();
  EXPECT_NE(asked(other).find("joined once, ever"), std::string::npos);
  // The pin outlives every season's state.
  for (const auto& [name, bytes] : device.store.memory.records()) {
    if (name == "ledger") continue;
    test::CountingStore only_ledger;
    ASSERT_TRUE(only_ledger.memory.save("ledger", device.store.memory.records().at("ledger")));
    Ledger ledger = *Ledger::open(only_ledger, device.limits);
    EXPECT_EQ(RollingClient::open(endless_terms({4, 2, 4}), 2, ledger, only_ledger, device.entropy)
                  .error()
                  .message,
              changed);
  }
}

// Whatever a server can say about a metric is pinned: each of these once, at the second season.
TEST(HostileServer, CannotChangeAnyTermBetweenSeasons) {
  const auto plan_of = [](std::uint32_t changes, Initial initial, const Coding& coding) {
    return *make_plan(Protocol::kInnovation, 6, changes, rolling_budget("0.5"), initial, coding);
  };
  const auto coded = [&](CodingSettings settings) {
    return plan_of(1, Initial::kUnknown, *Coding::create(std::move(settings)));
  };
  struct Change {
    const char* what;
    Plan before, after;
  };
  Plan in_segments = coded(YesNoCoding{});
  in_segments.segments = *Segments::create("country", {"de", "fr"});
  Plan in_others = in_segments;
  in_others.segments = *Segments::create("country", {"de", "fr", "it"});
  const Plan yes_no = coded(YesNoCoding{});
  const Change changes[] = {
      {"max_changes", yes_no, plan_of(2, Initial::kUnknown, {})},
      {"initial", yes_no, plan_of(1, Initial::kZero, {})},
      {"protocol", yes_no,
       *make_plan(Protocol::kOptimal, 6, 1, rolling_budget("0.5"), Initial::kUnknown)},
      {"kind of value", yes_no, coded(NumberCoding{0, 1, ""})},
      {"low", coded(NumberCoding{0, 10, ""}), coded(NumberCoding{1, 10, ""})},
      {"high", coded(NumberCoding{0, 10, ""}), coded(NumberCoding{0, 1, ""})},
      {"unit", coded(NumberCoding{0, 10, "s"}), coded(NumberCoding{0, 10, "ms"})},
      {"dead band", coded(NumberCoding{0, 10, "", 1}), coded(NumberCoding{0, 10, "", 2})},
      {"a label", coded(CategoryCoding{{"a", "b", "c"}, {}}),
       coded(CategoryCoding{{"a", "b", "d"}, {}})},
      {"order of labels", coded(CategoryCoding{{"a", "b", "c"}, {}}),
       coded(CategoryCoding{{"b", "a", "c"}, {}})},
      {"other label", coded(CategoryCoding{{"a", "b", "c"}, {}}),
       coded(CategoryCoding{{"a", "b"}, "c"})},
      {"range of buckets", coded(DistributionCoding{0, 10, "", 8}),
       coded(DistributionCoding{0, 11, "", 8})},
      {"buckets", coded(DistributionCoding{0, 10, "", 8}),
       coded(DistributionCoding{0, 10, "", 16})},
      {"bits of a hash", coded(TextCoding{8}), coded(TextCoding{9})},
      {"segments", yes_no, in_segments},
      {"a segment", in_segments, in_others},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.what);
    const auto terms_of = [](const Plan& plan) {
      MetricTerms terms = endless_terms();
      terms.plan = *CertifiedPlan::create(plan);
      return terms;
    };
    MemoryStateStore store;
    testing_sources::SeededSource entropy(4);
    Ledger ledger = *Ledger::open(store, rolling_budget("16"));
    const auto opened = [&](const Plan& plan) {
      return RollingClient::open(terms_of(plan), 1, ledger, store, entropy,
                                 plan.segments.empty() ? "" : "de");
    };
    ASSERT_TRUE(opened(change.before));
    const Ledger::Series pinned = *ledger.find_series("endless");
    const Result<RollingClient> other = opened(change.after);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::kRefused);
    EXPECT_NE(other.error().message.find("expected the same terms for ever"), std::string::npos);
    EXPECT_EQ(*ledger.find_series("endless"), pinned);
    EXPECT_TRUE(opened(change.before));
  }
  // The shares of a group, and whether there is one.
  MetricTerms alone = endless_terms(), grouped = alone, shifted = alone;
  grouped.group = *MetricGroup::create("g", {{"endless", 1}, {"other", 1}});
  shifted.group = *MetricGroup::create("g", {{"endless", 2}, {"other", 1}});
  EXPECT_NE(alone.digest(), grouped.digest());
  EXPECT_NE(grouped.digest(), shifted.digest());
}

TEST(HostileServer, CannotMakeASeasonComeTwice) {
  EndlessDevice device(endless_terms());
  SeenLines seen;
  const std::int64_t begin = run_to_season(device);
  const std::uint64_t season = *device.season();
  // It says other periods to get other seasons: the device works the season out itself.
  for (std::int64_t said = 0; said < 60; ++said) {
    device.ledger->believe(second_of(begin));
    const Status done = device.client->observe(static_cast<Period>(said), true);
    EXPECT_EQ(bool(done), std::abs(said - begin) <= 1) << said;
    EXPECT_EQ(device.season(), season);
    ASSERT_TRUE(seen.drain(*device.client));
  }
  EXPECT_EQ(seen.enrolments.size(), 1U);
  // A season is not joined again after it was charged and its state was lost.
  test::CountingStore only_ledger;
  ASSERT_TRUE(only_ledger.memory.save("ledger", device.store.memory.records().at("ledger")));
  Ledger ledger = *Ledger::open(only_ledger, device.limits);
  RollingClient again = *RollingClient::open(device.terms, static_cast<Period>(begin), ledger,
                                             only_ledger, device.entropy);
  ledger.believe(second_of(begin));
  ASSERT_TRUE(again.observe(static_cast<Period>(begin), true));
  EXPECT_EQ(again.live(), nullptr);
  // Two seasons of one device are a rest apart.
  std::map<std::uint64_t, std::int64_t> first_seen;
  for (std::int64_t t = begin; t < begin + 40; ++t) {
    ASSERT_TRUE(device.contact(t, true));
    if (device.season()) first_seen.try_emplace(*device.season(), t);
  }
  ASSERT_GE(first_seen.size(), 4U);
  for (auto at = std::next(first_seen.begin()); at != first_seen.end(); ++at) {
    EXPECT_EQ(at->first - std::prev(at)->first, 5U);
    EXPECT_EQ(at->second, device.terms.seasons->first(static_cast<std::int64_t>(at->first)));
  }
}

TEST(HostileServer, CannotGetANewPhase) {
  std::set<std::uint32_t> phases;
  EndlessDevice device(endless_terms(), 9);
  ASSERT_TRUE(device.contact(1, true));
  const std::uint32_t phase = device.phase();
  for (int i = 0; i < 50; ++i) {
    // 404, a metric deleted and made anew, a restart: the application opens the metric again.
    device.start();
    ASSERT_TRUE(device.contact(1 + i / 10, i % 2 == 0));
    phases.insert(device.phase());
  }
  EXPECT_EQ(phases, std::set<std::uint32_t>{phase});
  // Without entropy there is no phase, and nothing is pinned.
  test::CountingStore store;
  Ledger ledger = *Ledger::open(store, device.limits);
  testing_sources::FailingSource nothing(0);
  EXPECT_EQ(RollingClient::open(device.terms, 1, ledger, store, nothing).error().code,
            ErrorCode::kNoEntropy);
  EXPECT_TRUE(store.memory.records().empty());
}

// Every phase is as likely as any other: 3,000 devices, chi-square with 4 degrees of freedom, which
// passes 33.4 once in a million.
TEST(RollingClient, DrawsEveryPhaseAlike) {
  std::map<std::uint32_t, int> counts;
  testing_sources::SeededSource entropy(77);
  const MetricTerms terms = endless_terms();
  for (int i = 0; i < 3000; ++i) {
    MemoryStateStore store;
    Ledger ledger = *Ledger::open(store, rolling_budget("1"));
    ASSERT_TRUE(RollingClient::open(terms, 1, ledger, store, entropy));
    ++counts[ledger.find_series(terms.name)->phase];
  }
  ASSERT_EQ(counts.size(), 5U);
  double chi_square = 0;
  for (const auto& [phase, count] : counts) chi_square += (count - 600.0) * (count - 600.0) / 600.0;
  EXPECT_LT(chi_square, 33.4);
}

TEST(HostileServer, ANewNameCountsInTheWindowAndInTheCeiling) {
  for (const bool windowed : {true, false}) {
    EndlessDevice device(endless_terms(), 1,
                         windowed ? window_of(10 * kSeconds) : Ledger::Limits{rolling_budget("1")});
    int joined = 0;
    std::vector<RollingClient> clients;
    device.ledger->believe(second_of(3));
    for (int i = 0; i < 12; ++i) {
      const MetricTerms terms = endless_terms({6, 6, 0}, "copy" + std::to_string(i));
      clients.push_back(
          *RollingClient::open(terms, 3, *device.ledger, device.store, device.entropy));
      ASSERT_TRUE(clients.back().observe(3, true));
      joined += clients.back().live() != nullptr ? 1 : 0;
    }
    EXPECT_EQ(joined, windowed ? 1 : 2);
  }
}

TEST(HostileServer, ShortPeriodsGiveOneSeasonAndThenNothingForTheWindow) {
  EndlessDevice device(endless_terms(), 1, window_of(100'000));
  MetricTerms terms = endless_terms({6, 6, 0});
  terms.clock.length = 1;
  int joined = 0;
  std::optional<RollingClient> client;
  for (std::int64_t now = kStart; now < kStart + 1000; ++now) {
    device.ledger->believe(now);
    const auto period = static_cast<Period>(now - kStart + 1);
    if (!client) {
      client.emplace(
          *RollingClient::open(terms, period, *device.ledger, device.store, device.entropy));
    }
    const bool took_part = client->live() != nullptr;
    ASSERT_TRUE(client->observe(period, true));
    joined += !took_part && client->live() != nullptr ? 1 : 0;
  }
  EXPECT_EQ(joined, 1);
  EXPECT_EQ(device.ledger->spent_nanos(), 500'000'000);
}

TEST(HostileServer, EnrollingAgainSendsTheSameEnrolment) {
  EndlessDevice device(endless_terms());
  SeenLines seen;
  const std::int64_t begin = run_to_season(device);
  ASSERT_TRUE(seen.drain(*device.client));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(device.contact(begin + 1, true));
    ASSERT_TRUE(seen.drain(*device.client));
    // "unknown_client": the collector claims to have lost all.
    Client* part = device.client->parts()[0];
    std::vector<Outbox> outboxes = {part->outbox()};
    outboxes[0].reports.push_back({part->id(), 1, packed_signs("+")});
    ReportAnswer answer;
    answer.counts.rejected = 1;
    answer.errors.push_back({1, "unknown_client", 0});
    Client* const clients[] = {part};
    const Result<SentBatch> known = acknowledge(clients, outboxes, answer);
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->clients[0].again);
    ASSERT_TRUE(seen.drain(*device.client));  // fails if any sign or enrolment differs
  }
  EXPECT_EQ(seen.enrolments.at(*device.season()).size(), 1U);
  EXPECT_EQ(device.ledger->spent_nanos(), 500'000'000);
}

TEST(HostileServer, AnotherDefinitionForAVictimIsCountedOrShown) {
  MetricDefinition metric = default_metric("endless", endless_terms().plan.plan());
  metric.clock = {kStart, kSeconds};
  metric.seasons = *Calendar::create(6, 2, 4);
  const Digest shipped = MetricTerms::accept(metric)->digest();
  EXPECT_TRUE(MetricTerms::accept(metric, shipped));
  metric.seasons = *Calendar::create(6, 2, 0);
  // It is certified, pinned and counted as any other; with the application's digest it is refused.
  EXPECT_TRUE(MetricTerms::accept(metric));
  EXPECT_EQ(MetricTerms::accept(metric, shipped).error().code, ErrorCode::kRefused);
}

// Local privacy needs no crowd: the lines of a device do not depend on anybody else's.
TEST(HostileServer, DroppingTheOthersChangesNothing) {
  const auto alone = [](bool crowd) {
    std::deque<EndlessDevice> others;
    for (std::uint64_t i = 0; crowd && i < 5; ++i) others.emplace_back(endless_terms(), 100 + i);
    EndlessDevice device(endless_terms(), 21);
    SeenLines seen;
    for (std::int64_t t = 1; t <= 12; ++t) {
      for (EndlessDevice& other : others) EXPECT_TRUE(other.contact(t, true));
      EXPECT_TRUE(device.contact(t, t > 4));
      EXPECT_TRUE(seen.drain(*device.client));
    }
    return seen.signs;
  };
  EXPECT_EQ(alone(false), alone(true));
}

// What ties seasons together is not prevented; the content does not do it: id, noise and key are
// fresh. The figure for a life holds then, and the ceiling enforces it.
TEST(HostileServer, TyingSeasonsTogetherIsBoundedByTheCeiling) {
  EndlessDevice device(endless_terms({4, 2, 2}), 5, {rolling_budget("1.5")});
  SeenLines seen;
  for (std::int64_t t = 1; t <= 80; ++t) {
    ASSERT_TRUE(device.contact(t, true));
    ASSERT_TRUE(seen.drain(*device.client));
  }
  EXPECT_EQ(seen.enrolments.size(), 3U);
  EXPECT_EQ(seen.signs.size(), 3U);
  EXPECT_EQ(device.ledger->spent_nanos(), 1'500'000'000);
}

// An old copy of the store is one more epsilon for each time, as without seasons; with a counter
// it is refused (counter_test.cpp covers that for every record).
TEST(HostileServer, AnOldCopyOfTheStoreCostsOneSeasonMore) {
  EndlessDevice original(endless_terms({6, 6, 6}));
  ASSERT_TRUE(original.contact(1, true));
  std::set<std::string> ids;
  for (std::uint64_t copy = 0; copy < 2; ++copy) {
    EndlessDevice device(original.terms, 50 + copy);
    for (const auto& [name, bytes] : original.store.memory.records()) {
      ASSERT_TRUE(device.store.memory.save(name, bytes));
    }
    device.start();
    run_to_season(device, 13);
    ids.insert(to_hex(device.client->live()->id()));
    EXPECT_EQ(device.phase(), original.phase());
  }
  EXPECT_EQ(ids.size(), 2U);
}

// --- clocks ------------------------------------------------------------------------------------

// All seasons that a device pays for under a schedule of clocks.
struct ClockRun {
  EndlessDevice device;
  std::vector<Ledger::Entry> paid = {};

  // One contact, with the collector's period and the device's clock. A refusal is not a failure.
  void contact(std::int64_t period, std::int64_t clock) {
    const Status done = device.contact(period, true, clock);
    if (!done) {
      EXPECT_NE(action_of(done.error().code), ErrorAction::kGiveUp);
    }
    for (const Ledger::Entry& entry : device.ledger->entries()) {
      if (std::find(paid.begin(), paid.end(), entry) == paid.end()) paid.push_back(entry);
    }
  }
};

// 60 on, 40 off, in units of 10 seconds; the window is the rest.
constexpr std::int64_t kWindow = 4 * kSeconds;

TEST(DeviceClock, ThatGoesBackMakesItSitOut) {
  ClockRun run{EndlessDevice(endless_terms(), 3, window_of(kWindow))};
  for (std::int64_t t = 1; t <= 20; ++t) run.contact(t, second_of(t));
  const std::size_t paid = run.paid.size();
  const Period now = run.device.client->now();
  // It goes back by 12 periods: believed time stands still.
  for (std::int64_t t = 21; t <= 31; ++t) {
    run.contact(t, second_of(t - 12));
    EXPECT_EQ(run.device.client->now(), now);
  }
  EXPECT_EQ(run.paid.size(), paid);
  // Once real time has caught up, it goes on.
  for (std::int64_t t = 32; t <= 60; ++t) run.contact(t, second_of(t));
  EXPECT_GT(run.paid.size(), paid + 1);
  EXPECT_LE(spent_in_any(run.paid, kWindow), 500'000'000);
}

TEST(DeviceClock, ThatJumpsAheadAndStaysCostsOneWindowMore) {
  for (std::int64_t ahead = 1; ahead <= 30; ++ahead) {
    ClockRun run{EndlessDevice(endless_terms(), 3, window_of(kWindow, "3"))};
    std::int64_t real_joins = 0;
    std::vector<Ledger::Entry> real;
    for (std::int64_t t = 1; t <= 200; ++t) {
      const std::int64_t x = t <= 20 ? 0 : ahead;
      const std::size_t before = run.paid.size();
      run.contact(t + x, second_of(t + x));
      if (run.paid.size() == before) continue;
      ++real_joins;
      // In real time the spans lie x periods earlier.
      Ledger::Entry entry = run.paid.back();
      entry.span.from -= x * kSeconds;
      entry.span.until -= x * kSeconds;
      real.push_back(entry);
    }
    // At most one extra E, and windows after the jump are regular.
    EXPECT_LE(spent_in_any(real, kWindow), 1'000'000'000) << ahead;
    std::vector<Ledger::Entry> later;
    for (const Ledger::Entry& entry : real) {
      if (entry.span.from >= second_of(21) - kSeconds) later.push_back(entry);
    }
    EXPECT_LE(spent_in_any(later, kWindow), 500'000'000) << ahead;
    EXPECT_LE(real_joins, 6);  // the ceiling for life
  }
}

TEST(DeviceClock, ThatJumpsAheadAndComesBackMakesItSitOut) {
  for (std::int64_t ahead = 2; ahead <= 30; ++ahead) {
    ClockRun run{EndlessDevice(endless_terms(), 3, window_of(kWindow))};
    std::vector<Ledger::Entry> real;
    for (std::int64_t t = 1; t <= 100; ++t) {
      const std::int64_t x = t == 20 ? ahead : 0;
      const std::size_t before = run.paid.size();
      run.contact(t + x, second_of(t + x));
      if (run.paid.size() == before) continue;
      Ledger::Entry entry = run.paid.back();
      entry.span.from -= x * kSeconds;
      real.push_back(entry);
      // Believed time stays ahead: nothing is joined before real time has caught up.
      EXPECT_FALSE(t > 20 && t < 19 + ahead) << t;
    }
    EXPECT_LE(spent_in_any(real, kWindow), 1'000'000'000) << ahead;
    EXPECT_GT(run.paid.size(), 5U);
  }
}

TEST(DeviceClock, RefusesACollectorWhoseClockIsWrong) {
  EndlessDevice device(endless_terms(), 3, window_of(kWindow));
  ASSERT_TRUE(device.contact(10, true));
  for (std::int64_t said = 0; said < 40; ++said) {
    const Status done = device.contact(said, true, second_of(20));
    EXPECT_EQ(bool(done), said >= 19 && said <= 21) << said;
    if (!done) {
      EXPECT_EQ(done.error().code, ErrorCode::kNotStarted);
    }
    EXPECT_EQ(device.client->now(), done ? 20U : device.client->now());
  }
  EXPECT_EQ(device.contact(30, true, second_of(20)).error().message,
            "the metric's period is 30; by this device's clock it is 20, and expected within one "
            "period of it");
}

// Without a clock of its own a device takes part only if the application sets no window.
TEST(DeviceClock, IsNeededForAWindow) {
  for (const bool windowed : {true, false}) {
    const Ledger::Limits limits =
        windowed ? window_of(kWindow) : Ledger::Limits{rolling_budget("1.5")};
    EndlessDevice device(endless_terms(), 3, limits);
    RollingClient client =
        *RollingClient::open(device.terms, 1, *device.ledger, device.store, device.entropy);
    std::set<std::uint64_t> seasons;
    for (Period t = 1; t <= 100; ++t) {
      const Status done = client.observe(t, true);
      ASSERT_EQ(bool(done), !windowed);
      if (client.live() != nullptr) seasons.insert(client.live()->season());
    }
    EXPECT_EQ(seasons.size(), windowed ? 0U : 3U);  // the ceiling for life holds
  }
}

}  // namespace
}  // namespace futurerand
