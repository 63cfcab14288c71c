// The ledger's window, endless metrics, and what their record keeps.
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/ledger.hpp"
#include "futurerand/client/test/saved_run.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

Epsilon budget(const char* text) { return *Epsilon::parse(text); }

const Epsilon kLife = budget("16");

// One span that was charged, in the model.
struct Charged {
  std::int64_t nanos, from, until;
};

// The rule from its definition, over everything that was ever charged.
bool model_allows(const std::vector<Charged>& all, const Ledger::Limits& limits, std::int64_t nanos,
                  const Ledger::Span& span) {
  std::int64_t in_life = nanos, in_window = nanos;
  for (const Charged& one : all) {
    in_life += one.nanos;
    if (one.until > span.from - limits.window->seconds) in_window += one.nanos;
  }
  return in_life <= limits.ceiling.nanos() && in_window <= limits.window->epsilon.nanos();
}

// The most that the spans meeting any window [a, a + seconds) cost, over all a.
std::int64_t worst_window(const std::vector<Charged>& all, std::int64_t seconds) {
  std::int64_t worst = 0;
  for (const Charged& at : all) {
    // The sum rises only where a window's end passes a beginning: take a = from - seconds + 1/2.
    std::int64_t sum = 0;
    for (const Charged& one : all) {
      if (one.from <= at.from && one.until > at.from - seconds) sum += one.nanos;
    }
    worst = std::max(worst, sum);
  }
  return worst;
}

// A hostile server picks names, seasons, lengths, starts and budgets. The clock jumps. The
// application closes and opens the ledger.
TEST(LedgerWindow, IsNeverPassedUnderHostileSchedules) {
  std::mt19937_64 random(3);
  const auto pick = [&](std::initializer_list<std::int64_t> list) {
    return *(list.begin() + static_cast<std::ptrdiff_t>(random() % list.size()));
  };
  int charged = 0, refused_by_window = 0, folded = 0;
  for (int schedule = 0; schedule < 3'000; ++schedule) {
    const Ledger::Limits limits{
        kLife,
        {},
        Ledger::Window{*Epsilon::from_nanos(pick({100, 200, 300}) * 1'000'000),
                       1 + static_cast<std::int64_t>(random() % 60)}};
    MemoryStateStore store;
    std::optional<Ledger> ledger(*Ledger::open(store, limits));
    std::vector<Charged> all;
    std::map<std::string, std::uint64_t> seasons;
    std::int64_t clock = 1'000, latest = 0;
    for (int step = 0; step < 40; ++step) {
      clock += pick({0, 1, 2, 5, 20, 70});
      const std::int64_t told = clock - pick({0, 0, 0, 30, 500});
      ledger->believe(told);
      latest = std::max(latest, told);
      ASSERT_EQ(ledger->believed(), latest);

      const Epsilon epsilon = *Epsilon::from_nanos(pick({25, 50, 100, 200}) * 1'000'000);
      Ledger::Span span{latest - pick({0, 0, 3, 40}), latest + pick({1, 3, 10, 50})};
      if (random() % 20 == 0) span = {};
      const std::string series = "series" + std::to_string(random() % 3);
      const bool is_season = random() % 2 == 0;
      const bool should = model_allows(all, limits, epsilon.nanos(), span);
      Status done;
      if (is_season) {
        ASSERT_TRUE(ledger->begin_series(series, Digest{}, 1));
        done = ledger->charge_season(series, seasons[series] + 1 + random() % 2, epsilon,
                                     ClientId{}, span);
      } else {
        done = ledger->charge("metric" + std::to_string(step), epsilon, ClientId{}, span);
      }
      // A sum of old seasons may count for longer than each of them would: never for less.
      bool sum_counts = false;
      for (const Ledger::Series& past : ledger->series()) {
        sum_counts = sum_counts || past.earlier_until > span.from - limits.window->seconds;
        folded += past.earlier_nanos > 0 ? 1 : 0;
      }
      if (done) {
        ASSERT_TRUE(should);
        all.push_back({epsilon.nanos(), span.from, span.until});
        if (is_season) seasons[series] = ledger->find_series(series)->last_season;
        ++charged;
      } else {
        // What the window has no room for now it has room for later, except what never ends.
        ASSERT_EQ(done.error().code,
                  ledger->fits_from(epsilon) ? ErrorCode::kNotStarted : ErrorCode::kRefused);
        ASSERT_TRUE(!should || sum_counts) << done.error().message;
        ++refused_by_window;
      }
      std::int64_t spent = 0;
      for (const Charged& one : all) spent += one.nanos;
      ASSERT_EQ(ledger->spent_nanos(), spent);
      if (random() % 8 == 0) {
        const std::vector<Ledger::Entry> entries = ledger->entries();
        const std::vector<Ledger::Series> pinned = ledger->series();
        ledger.reset();
        ledger.emplace(*Ledger::open(store, limits));
        ASSERT_EQ(ledger->entries(), entries);
        ASSERT_EQ(ledger->series(), pinned);
        // A time that nothing was charged at may be forgotten. The device's clock tells it again.
        ASSERT_LE(ledger->believed(), latest);
        latest = ledger->believed();
      }
    }
    ASSERT_LE(worst_window(all, limits.window->seconds), limits.window->epsilon.nanos());
  }
  // The schedules are not idle: they join, are refused, and fold seasons.
  EXPECT_GT(charged, 10'000);
  EXPECT_GT(refused_by_window, 10'000);
  EXPECT_GT(folded, 10'000);
}

TEST(LedgerWindow, CountsUntilTheEndPlusTheWindow) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, {kLife, {}, Ledger::Window{budget("1"), 100}});
  ledger.believe(1'000);
  ASSERT_TRUE(ledger.charge("a", budget("1"), ClientId{}, {1'000, 1'050}));
  EXPECT_EQ(ledger.fits_from(budget("1")), 1'150);
  for (const std::int64_t now : {1'000, 1'050, 1'149}) {
    ledger.believe(now);
    EXPECT_EQ(
        ledger.check("b", budget("0.5"), {now, now + 1}).error().message,
        "the metric 'b' asks for epsilon 0.5; this device has 0 of 1 left in any 100 seconds; it "
        "fits from 1970-01-01 00:19:10 UTC on");
  }
  ledger.believe(1'150);
  // The beginning of the period counts, not the time of joining.
  EXPECT_FALSE(ledger.check("b", budget("0.5"), {1'149, 1'200}));
  EXPECT_TRUE(ledger.check("b", budget("0.5"), {1'150, 1'200}));
  EXPECT_EQ(ledger.fits_from(budget("1")), 1'150);
  // A span without an end, or without a clock, counts with everything.
  EXPECT_FALSE(ledger.check("b", budget("0.5")));
  EXPECT_TRUE(ledger.check("b", budget("0.5"), {1'150, Ledger::kNoEnd}));
  ASSERT_TRUE(ledger.charge("b", budget("0.5"), ClientId{}, {1'150, Ledger::kNoEnd}));
  ledger.believe(1'000'000);
  EXPECT_FALSE(ledger.check("c", budget("0.6"), {1'000'000, 1'000'001}));
  EXPECT_EQ(ledger.fits_from(budget("0.6")), std::nullopt);
  EXPECT_EQ(ledger.fits_from(budget("0.5")), 1'000'000);
}

TEST(LedgerWindow, TakesOnlySpansThatContainItsTime) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, {kLife, {}, Ledger::Window{budget("1"), 100}});
  EXPECT_EQ(ledger.check("a", budget("1"), {1'000, 2'000}).error().message,
            "the metric 'a' runs from 1970-01-01 00:16:40 UTC to 1970-01-01 00:33:20 UTC; this "
            "device's clock says 1970-01-01 00:00 UTC");
  ledger.believe(1'500);
  EXPECT_TRUE(ledger.check("a", budget("1"), {1'500, 1'501}));
  EXPECT_FALSE(ledger.check("a", budget("1"), {1'501, 2'000}));
  EXPECT_FALSE(ledger.check("a", budget("1"), {1'000, 1'500}));  // over: it would leave at once
  ledger.believe(1'200);                                         // a clock that goes back
  EXPECT_EQ(ledger.believed(), 1'500);
}

TEST(LedgerWindow, KeepsItsTimeWithEachCharge) {
  MemoryStateStore store;
  const Ledger::Limits limits{kLife, budget("2"), Ledger::Window{budget("1"), 100}};
  {
    Ledger ledger = *Ledger::open(store, limits);
    ledger.believe(5'000);
    ASSERT_TRUE(ledger.charge("a", budget("0.25"), ClientId{}, {5'000, 5'010}));
  }
  {
    Ledger ledger = *Ledger::open(store, kLife);
    EXPECT_EQ(ledger.believed(), 5'000);
    EXPECT_EQ(ledger.entries().at(0).span.until, 5'010);
  }
  EXPECT_EQ(Ledger::open_as_saved(store)->limits(), limits);
  MemoryStateStore empty;
  EXPECT_EQ(Ledger::open_as_saved(empty).error().code, ErrorCode::kNotFound);
  for (const std::int64_t seconds : {std::int64_t{0}, std::int64_t{-1}, Ledger::kNoEnd}) {
    EXPECT_FALSE(Ledger::open(empty, {kLife, {}, Ledger::Window{budget("1"), seconds}}));
  }
}

TEST(LedgerSeries, PinsTermsPhaseAndLastSeason) {
  MemoryStateStore store;
  Digest terms{};
  terms[0] = 7;
  {
    Ledger ledger = *Ledger::open(store, {kLife, budget("1"), {}});
    ASSERT_TRUE(ledger.charge("fixed", budget("1"), ClientId{}));
    EXPECT_EQ(ledger.begin_series("fixed", terms, 3).error().code, ErrorCode::kRefused);
    EXPECT_EQ(ledger.charge_season("m", 1, budget("1"), ClientId{}, {}).error().code,
              ErrorCode::kNotFound);
    ASSERT_TRUE(ledger.begin_series("m", terms, 3));
    ASSERT_TRUE(ledger.begin_series("m", terms, 5));  // asked again: the first phase stays
    EXPECT_EQ(ledger.check("m", budget("1")).error().code, ErrorCode::kRefused);
    EXPECT_EQ(ledger.find("m"), nullptr);
    ClientId id;
    id.bytes[0] = 9;
    ASSERT_TRUE(ledger.charge_season("m", 4, budget("1"), id, {}));
    EXPECT_EQ(ledger.find("m")->client, id);
    EXPECT_EQ(ledger.check_season("m", 5, budget("1.1"), {}).error().code, ErrorCode::kRefused);
  }
  Ledger ledger = *Ledger::open(store, kLife);
  ASSERT_NE(ledger.find_series("m"), nullptr);
  EXPECT_EQ(ledger.find_series("m")->phase, 3U);
  EXPECT_EQ(ledger.find_series("m")->last_season, 4U);
  for (const std::uint64_t season : {0U, 3U, 4U}) {
    EXPECT_EQ(
        ledger.check_season("m", season, budget("1"), {}).error().message,
        "season " + std::to_string(season) +
            " of the metric 'm' is not after season 4, which this device joined or sat out; a "
            "season is joined once, ever");
  }
  Digest other = terms;
  other[31] = 1;
  EXPECT_EQ(ledger.begin_series("m", other, 3).error().code, ErrorCode::kRefused);
  EXPECT_FALSE(ledger.begin_series("", terms, 3));
}

TEST(LedgerSeries, DoesNotGrowWithTime) {
  for (const bool windowed : {false, true}) {
    MemoryStateStore store;
    Ledger::Limits limits{kLife};
    if (windowed) limits.window = Ledger::Window{budget("0.1"), 90};
    Ledger ledger = *Ledger::open(store, limits);
    ASSERT_TRUE(ledger.begin_series("m", Digest{}, 0));
    std::size_t most = 0;
    // 90 on, 90 off: each season fits exactly when the rest is over.
    for (std::int64_t season = 1; season <= 160; ++season) {
      const std::int64_t from = 180 * season;
      ledger.believe(from);
      ASSERT_EQ(ledger.fits_from(budget("0.1")), from);
      ASSERT_TRUE(ledger.charge_season("m", static_cast<std::uint64_t>(season), budget("0.1"),
                                       ClientId{}, {from, from + 90}));
      EXPECT_EQ(ledger.spent_nanos(), season * 100'000'000);
      most = std::max(most, store.records().at("ledger").size());
      EXPECT_EQ(ledger.entries().size(), 1U);
    }
    EXPECT_EQ(most, store.records().at("ledger").size());
    // The ceiling for life holds, whatever left the window.
    ledger.believe(180 * 200);
    EXPECT_FALSE(ledger.check_season("m", 999, budget("0.1"), {180 * 200, 180 * 200 + 90}));
    EXPECT_EQ(ledger.fits_from(budget("0.1")), std::nullopt);
  }
}

// A longer window than that of the seasons that were summed up still counts them.
TEST(LedgerSeries, CountsSummedSeasonsInALongerWindow) {
  MemoryStateStore store;
  {
    Ledger ledger = *Ledger::open(store, {kLife, {}, Ledger::Window{budget("1"), 10}});
    ASSERT_TRUE(ledger.begin_series("m", Digest{}, 0));
    for (std::uint64_t season = 1; season <= 3; ++season) {
      const auto from = static_cast<std::int64_t>(100 * season);
      ledger.believe(from);
      ASSERT_TRUE(ledger.charge_season("m", season, budget("1"), ClientId{}, {from, from + 5}));
    }
    EXPECT_EQ(ledger.entries().size(), 1U);
  }
  Ledger ledger = *Ledger::open(store, {kLife, {}, Ledger::Window{budget("3.5"), 150}});
  ledger.believe(350);
  EXPECT_EQ(ledger.window_nanos(350), 3'000'000'000);
  EXPECT_EQ(ledger.window_nanos(356), 1'000'000'000);
}

TEST(LedgerSeries, IsRefusedIfItsRecordIsNotWhole) {
  MemoryStateStore store;
  {
    Ledger ledger = *Ledger::open(store, {kLife, {}, Ledger::Window{budget("1"), 10}});
    ledger.believe(100);
    ASSERT_TRUE(ledger.begin_series("m", Digest{}, 2));
    ASSERT_TRUE(ledger.charge_season("m", 1, budget("1"), ClientId{}, {100, 105}));
  }
  const Bytes good = store.records().at("ledger");
  const auto opens = [&](const std::function<void(Bytes&)>& edit) {
    MemoryStateStore other;
    EXPECT_TRUE(other.save("ledger", test::resealed(good, edit)));
    const Result<Ledger> ledger = Ledger::open(other, kLife);
    return ledger || ledger.error().code != ErrorCode::kDamaged;
  };
  EXPECT_TRUE(opens([](Bytes&) {}));
  const std::size_t content = good.size() - sizeof(Digest);
  for (std::size_t left = 21; left < content; ++left) {
    EXPECT_FALSE(opens([&](Bytes& bytes) { bytes.resize(left); })) << left;
  }
  // The last five numbers: time, ceiling, budget of a metric, window's epsilon and seconds.
  EXPECT_FALSE(opens([&](Bytes& bytes) { bytes[content - 33] = 0x80; }));
  EXPECT_FALSE(opens([&](Bytes& bytes) { std::fill_n(&bytes[content - 32], 8, 0); }));
  EXPECT_FALSE(opens([&](Bytes& bytes) { bytes[content - 24] = 1; }));
  EXPECT_FALSE(opens([&](Bytes& bytes) { std::fill_n(&bytes[content - 16], 8, 0); }));
  EXPECT_FALSE(opens([&](Bytes& bytes) { std::fill_n(&bytes[content - 8], 8, 0); }));
}

TEST(LedgerWindow, SpendsByTheMetricsClock) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, {kLife, {}, Ledger::Window{budget("1"), 1'000}});
  testing_sources::SeededSource entropy(5);
  MetricTerms terms = test::terms_of("m", Protocol::kOptimal, 8, "1");
  terms.clock = {10'000, 100};
  ledger.believe(10'250);
  ASSERT_TRUE(Client::open(terms, 3, ledger, store, entropy));
  EXPECT_EQ(ledger.entries().at(0).span.until, 10'800);
  // The next one fits a window later, by its own period's beginning.
  terms.name = "n";
  terms.clock = {11'750, 100};
  ledger.believe(11'850);
  const Error wait = Client::open(terms, 1, ledger, store, entropy).error();
  EXPECT_EQ(wait.code, ErrorCode::kNotStarted);
  EXPECT_NE(wait.message.find("it fits from 1970-01-01 03:17:30 UTC on"), std::string::npos)
      << wait.message;
  ASSERT_TRUE(Client::open(terms, 2, ledger, store, entropy));
  // A server cannot make it last shorter: the horizon must contain the device's own time.
  terms.name = "o";
  terms.clock = {0, 1};
  EXPECT_EQ(Client::open(terms, 1, ledger, store, entropy).error().code, ErrorCode::kRefused);
}

}  // namespace
}  // namespace futurerand
