// A device walks from season to season: joins, observes, sends, erases, rests, joins again.
#include "futurerand/client/rolling_client.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/metric_record.hpp"
#include "futurerand/client/test/endless.hpp"
#include "futurerand/client/test/terms.hpp"

namespace futurerand {
namespace {

using test::endless_terms;
using test::EndlessDevice;
using test::EndlessShape;
using test::second_of;
using test::SeenLines;

const EndlessShape kShapes[] = {{6, 2, 4}, {6, 3, 0}, {4, 4, 4}, {6, 6, 6}, {4, 2, 6}};

// The season from its definition, by looking at every season.
std::optional<std::uint64_t> season_by_definition(const Calendar& calendar, std::uint32_t phase,
                                                  std::int64_t t) {
  for (std::int64_t s = 1; s < 200; ++s) {
    const std::int64_t first = (s - calendar.season() / calendar.every()) * calendar.every() + 1;
    const std::int64_t phases = (calendar.season() + calendar.rest()) / calendar.every();
    if (s % phases == phase && first <= t && t < first + calendar.season()) {
      return static_cast<std::uint64_t>(s);
    }
  }
  return std::nullopt;
}

TEST(RollingClient, WalksFromSeasonToSeason) {
  for (const EndlessShape& shape : kShapes) {
    std::set<std::uint32_t> phases;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      EndlessDevice device(endless_terms(shape), seed);
      const Calendar& calendar = *device.terms.seasons;
      SeenLines seen;
      std::set<std::uint64_t> seasons;
      const std::int64_t begin = 1 + static_cast<std::int64_t>(seed);
      for (std::int64_t t = begin; t <= 45; ++t) {
        ASSERT_TRUE(device.contact(t, t % 4 < 2));
        const auto season = season_by_definition(calendar, device.phase(), t);
        ASSERT_EQ(device.season(), season) << t;
        if (season) seasons.insert(*season);
        ASSERT_TRUE(seen.drain(*device.client));
        if (t % 5 == 0) device.start();  // and it goes on after a restart
      }
      phases.insert(device.phase());
      // Every season has one client, its own, and all of its reports arrive but those of the last.
      std::set<std::string> ids;
      for (const std::uint64_t season : seasons) {
        ASSERT_EQ(seen.enrolments[season].size(), 1U);
        const auto& [id, enrolment] = *seen.enrolments[season].begin();
        EXPECT_TRUE(ids.insert(id).second);
        const std::int64_t first = calendar.first(static_cast<std::int64_t>(season));
        EXPECT_EQ(enrolment.period, std::max(first, begin) - first + 1);
        if (calendar.last(static_cast<std::int64_t>(season)) >= 45) continue;
        EXPECT_EQ(seen.signs[id].size(), shape.season + 1 - enrolment.period);
        EXPECT_EQ(seen.signs[id].rbegin()->first, shape.season);
      }
      // Each season was paid for.
      EXPECT_EQ(device.ledger->spent_nanos(),
                static_cast<std::int64_t>(seasons.size()) * 500'000'000);
      EXPECT_LE(device.store.memory.records().size(), 3U);
    }
    // The phase is drawn: eight devices do not all have the same one.
    EXPECT_EQ(phases.size() > 1, shape.season + shape.rest > shape.every) << shape.season;
  }
}

// What a device sends in a season is a function of the season's values and of its noise. Two
// devices with the same noise and other values outside the season send the same lines in it.
TEST(RollingClient, ValuesOfOneSeasonNeverEnterAnother) {
  const auto lines_of = [](std::int64_t other_from, std::int64_t other_to, std::uint64_t season) {
    EndlessDevice device(endless_terms(), 7);
    SeenLines seen;
    for (std::int64_t t = 1; t <= 30; ++t) {
      const bool value = t % 5 == 0;
      EXPECT_TRUE(device.contact(t, t >= other_from && t <= other_to ? !value : value));
      EXPECT_TRUE(seen.drain(*device.client));
    }
    EXPECT_EQ(seen.enrolments[season].size(), 1U);
    return seen.signs[seen.enrolments[season].begin()->first];
  };
  EndlessDevice device(endless_terms(), 7);
  ASSERT_TRUE(device.contact(1, false));
  const Calendar& calendar = *device.terms.seasons;
  const std::int64_t season = calendar.next_season(device.phase(), calendar.first_live(12));
  const auto number = static_cast<std::uint64_t>(season);
  const std::int64_t first = calendar.first(season), last = calendar.last(season);
  const auto usual = lines_of(0, 0, number);
  EXPECT_EQ(lines_of(0, first - 1, number), usual);
  EXPECT_EQ(lines_of(last + 1, 30, number), usual);
  // Inside the season values do count, and only from the period of the difference on.
  EXPECT_NE(lines_of(first, last, number), usual);
  const auto later = lines_of(last, last, number);
  for (std::uint32_t index = 1; index < 6; ++index) EXPECT_EQ(later.at(index), usual.at(index));
}

// The last value before the rest is not held into the next season: a device without a value does
// not join.
TEST(RollingClient, JoinsOnlyWithAValueAndNeverLooksBack) {
  EndlessDevice device(endless_terms({6, 6, 0}));
  ASSERT_TRUE(device.contact(1, true));
  ASSERT_EQ(device.season(), 1U);
  device.ledger->believe(second_of(8));
  ASSERT_TRUE(device.client->begin_period(8));
  EXPECT_EQ(device.season(), std::nullopt);
  // Values that were gathered before are of another season, or from before it joined.
  std::vector<Observation> gathered;
  for (Period t = 4; t <= 9; ++t) gathered.push_back({t, t < 8});
  device.ledger->believe(second_of(9));
  ASSERT_TRUE(device.client->observe(gathered));
  ASSERT_EQ(device.season(), 2U);
  EXPECT_EQ(device.client->live()->joined(), 3U);
  EXPECT_EQ(device.client->live()->now(), 3U);
  // Within the season they count, saved once.
  gathered = {{10, true}, {11, true}};
  device.ledger->believe(second_of(11));
  const int saves = device.store.saves;
  ASSERT_TRUE(device.client->observe(gathered));
  EXPECT_EQ(device.client->live()->now(), 5U);
  EXPECT_EQ(device.store.saves, saves + 1);
}

// Whoever takes part, joins and sits out does so whatever the values are.
TEST(RollingClient, TakesPartWhateverTheValue) {
  const auto trace = [](int kind) {
    EndlessDevice device(endless_terms(), 3,
                         {*Epsilon::parse("1.5"), {}, Ledger::Window{*Epsilon::parse("0.5"), 700}});
    std::vector<std::optional<std::uint64_t>> seasons;
    for (std::int64_t t = 1; t <= 60; ++t) {
      EXPECT_TRUE(device.contact(t, kind == 0 ? false : kind == 1 ? true : t % 3 == 0));
      seasons.push_back(device.season());
    }
    return seasons;
  };
  const auto zeros = trace(0);
  EXPECT_EQ(trace(1), zeros);
  EXPECT_EQ(trace(2), zeros);
  EXPECT_GT(std::count(zeros.begin(), zeros.end(), std::nullopt), 30);
}

// A value of the wrong kind is an error. The device still takes part.
TEST(RollingClient, AnInvalidValueDoesNotDecideWhetherItJoins) {
  EndlessDevice device(endless_terms({6, 6, 0}));
  ASSERT_TRUE(device.contact(1, true));
  device.start();
  device.ledger->believe(second_of(7));
  device.client.emplace(
      *RollingClient::open(device.terms, 7, *device.ledger, device.store, device.entropy));
  const Status refused = device.client->observe(7, Value(2.5));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(device.season(), 2U);
}

TEST(RollingClient, SitsASeasonOutAsAWhole) {
  // The window is longer than the rest: it frees the budget in the middle of the next season.
  EndlessDevice device(endless_terms({4, 4, 4}), 1,
                       {*Epsilon::parse("16"), {}, Ledger::Window{*Epsilon::parse("0.5"), 600}});
  std::vector<std::uint64_t> joined;
  for (std::int64_t t = 1; t <= 48; ++t) {
    ASSERT_TRUE(device.contact(t, true));
    if (t % 3 == 0) device.start();
    ASSERT_TRUE(device.contact(t, true));
    const auto season = device.season();
    if (season && (joined.empty() || joined.back() != *season)) joined.push_back(*season);
  }
  ASSERT_GE(joined.size(), 3U);
  for (std::size_t i = 1; i < joined.size(); ++i) EXPECT_EQ(joined[i] - joined[i - 1], 4U);
}

// What a thief finds after a season: nothing of it. The record does not shrink to nothing, because
// a store cannot delete.
TEST(RollingClient, ErasesASeasonThatIsOver) {
  for (const bool delivers : {true, false}) {
    EndlessDevice device(endless_terms({6, 6, 6}), 2);
    device.terms.grace = 2;
    SeenLines seen;
    std::int64_t t = 1;
    for (; !device.client || !device.season(); ++t) ASSERT_TRUE(device.contact(t, true));
    const std::string id = to_hex(device.client->live()->id());
    const std::int64_t last =
        device.terms.seasons->last(static_cast<std::int64_t>(*device.season()));
    const auto records = [&] { return device.store.memory.records().size(); };
    const auto largest = [&] {
      std::size_t size = 0;
      for (const auto& [name, bytes] : device.store.memory.records()) {
        if (is_metric_record(name)) size = std::max(size, bytes.size());
      }
      return size;
    };
    for (; t <= last; ++t) {
      ASSERT_TRUE(device.contact(t, true));
      if (delivers) {
        ASSERT_TRUE(seen.drain(*device.client));
      }
    }
    EXPECT_GT(largest(), 120U);
    // The last report can be sent only now.
    ASSERT_TRUE(device.contact(last + 1, true));
    EXPECT_EQ(device.season(), std::nullopt);
    ASSERT_EQ(device.client->parts().size(), 1U);
    if (delivers) {
      ASSERT_TRUE(seen.drain(*device.client));
      EXPECT_EQ(seen.signs[id].size(), 6U);
    }
    ASSERT_TRUE(device.contact(last + 2, true));
    EXPECT_EQ(device.client->parts().empty(), delivers);
    ASSERT_TRUE(device.contact(last + 3, true));  // the grace period is over
    EXPECT_TRUE(device.client->parts().empty());
    EXPECT_LT(largest(), 100U);  // a header and a checksum
    EXPECT_LE(records(), 2U);
    device.start();
    ASSERT_TRUE(device.contact(last + 4, true));
    EXPECT_TRUE(device.client->parts().empty());
  }
}

// Without a rest the next season runs while the last lines of the one before wait.
TEST(RollingClient, TwoSeasonsMayHaveLines) {
  EndlessDevice device(endless_terms({6, 6, 0}));
  for (std::int64_t t = 1; t <= 7; ++t) ASSERT_TRUE(device.contact(t, true));
  device.start();
  ASSERT_TRUE(device.contact(7, true));
  const std::vector<Client*> parts = device.client->parts();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0]->season(), 1U);
  EXPECT_EQ(parts[1]->season(), 2U);
  EXPECT_EQ(reports_path(*parts[0]), "/v1/metrics/endless/seasons/1/reports");
  EXPECT_EQ(device.client->due(), parts[0]);
  const std::string old_lines = to_lines(parts[0]->outbox()), lines = to_lines(parts[1]->outbox());
  EXPECT_EQ(*device.client->part_of(old_lines), parts[0]);
  EXPECT_EQ(*device.client->part_of(lines), parts[1]);
  EXPECT_EQ(device.client->part_of("what\n").error().code, ErrorCode::kInvalid);
  ASSERT_TRUE(parts[0]->acknowledge(parts[0]->outbox().next_index));
  EXPECT_EQ(device.client->due(), parts[1]);
}

// A season that is over and delivered is erased on the device. Until the collector closes it, its
// reports can still be taken back, because the ledger has its id.
TEST(RollingClient, ForgettingReachesTheSeasonBeforeUntilItsGraceIsOver) {
  for (const bool restarts : {false, true}) {
    for (const std::int64_t late : {1, 2, 3}) {
      MetricTerms terms = endless_terms({6, 2, 4});
      terms.grace = 2;
      EndlessDevice device(terms);
      SeenLines seen;
      std::string id;
      std::int64_t last = 0, t = 1;
      for (; last == 0 || t <= last + late; ++t) {
        ASSERT_TRUE(device.contact(t, true));
        if (device.client->live() != nullptr && last == 0) {
          id = to_hex(device.client->live()->id());
          last = terms.seasons->last(static_cast<std::int64_t>(*device.season()));
        }
        ASSERT_TRUE(seen.drain(*device.client));
      }
      --t;
      ASSERT_TRUE(device.client->begin_period(static_cast<Period>(t)));
      EXPECT_TRUE(device.client->parts().empty());  // it is erased
      ASSERT_TRUE(device.client->forget(static_cast<Period>(t)));
      ASSERT_TRUE(device.client->forget(static_cast<Period>(t)));  // again changes nothing
      if (restarts) {
        device.start();
        device.ledger->believe(second_of(t));
        device.client.emplace(*RollingClient::open(terms, static_cast<Period>(t), *device.ledger,
                                                   device.store, device.entropy));
        ASSERT_TRUE(device.client->begin_period(static_cast<Period>(t)));
      }
      const std::vector<Client*> parts = device.client->parts();
      if (late > 2) {
        EXPECT_TRUE(parts.empty()) << "its figures are final";
        continue;
      }
      ASSERT_EQ(parts.size(), 1U);
      EXPECT_EQ(to_lines(parts[0]->outbox()), "{\"client\":\"" + id + "\",\"forget\":true}\n");
      EXPECT_EQ(reports_path(*parts[0]),
                "/v1/metrics/endless/seasons/" + std::to_string(parts[0]->season()) + "/reports");
      ASSERT_TRUE(parts[0]->acknowledge(0));
      ASSERT_TRUE(device.client->begin_period(static_cast<Period>(t)));
      EXPECT_TRUE(device.client->parts().empty());
      // The next season is joined as before, under another id.
      for (; device.client->live() == nullptr; ++t) ASSERT_TRUE(device.contact(t, true));
      EXPECT_NE(to_hex(device.client->live()->id()), id);
    }
  }
}

TEST(RollingClient, IsAClientWhereTheMetricHasAnEnd) {
  const MetricTerms terms = test::terms_of("fixed", Protocol::kOptimal, 8);
  test::CountingStore store, other_store;
  testing_sources::SeededSource entropy(5), other_entropy(5);
  Ledger ledger = *Ledger::open(store, test::kCeiling);
  Ledger other_ledger = *Ledger::open(other_store, test::kCeiling);
  RollingClient rolling = *RollingClient::open(terms, 2, ledger, store, entropy);
  Client client = *Client::open(terms, 2, other_ledger, other_store, other_entropy);
  EXPECT_FALSE(rolling.is_endless());
  EXPECT_EQ(reports_path(*rolling.live()), "/v1/metrics/fixed/reports");
  for (Period t = 2; t <= 9; ++t) {
    ASSERT_TRUE(rolling.observe(t, t % 3 == 0));
    ASSERT_TRUE(client.observe(t, t % 3 == 0));
    EXPECT_EQ(to_lines(rolling.parts()[0]->outbox()), to_lines(client.outbox()));
  }
  EXPECT_TRUE(rolling.live()->closed());
  EXPECT_EQ(store.memory.records(), other_store.memory.records());
}

// The whole walk with every kind of value.
TEST(RollingClient, TakesLabelsAndNumbers) {
  const std::vector<std::string> labels = {"red", "green", "blue"};
  for (const CodingSettings& coding :
       {CodingSettings(CategoryCoding{labels, {}}), CodingSettings(NumberCoding{0, 10, ""})}) {
    MetricTerms terms = test::terms_of_values(coding, 12);
    terms.clock = {test::kStart, test::kSeconds};
    terms.seasons = *Calendar::create(12, 4, 12);
    EndlessDevice device(terms, 4);
    SeenLines seen;
    int joined = 0;
    for (std::int64_t t = 1; t <= 72; ++t) {
      device.ledger->believe(second_of(t));
      if (!device.client) {
        device.client.emplace(
            *RollingClient::open(device.terms, 1, *device.ledger, device.store, device.entropy));
      }
      const std::string& label = labels[static_cast<std::size_t>(t / 10 % 3)];
      const Value value = std::holds_alternative<NumberCoding>(coding)
                              ? Value(static_cast<double>(t % 11))
                              : Value(std::string_view(label));
      const bool took_part = device.client->live() != nullptr;
      const Status observed = device.client->observe(static_cast<Period>(t), value);
      ASSERT_TRUE(observed) << observed.error().message;
      joined += !took_part && device.client->live() != nullptr ? 1 : 0;
      ASSERT_TRUE(seen.drain(*device.client));
    }
    EXPECT_GE(joined, 3);
    for (const auto& [season, clients] : seen.enrolments) EXPECT_EQ(clients.size(), 1U);
  }
}

// A kill after any save: no index is randomized twice, no season has two clients, none is joined
// again, and the device goes on.
TEST(RollingClient, SurvivesAKillAtEverySave) {
  for (const EndlessShape& shape : {EndlessShape{4, 2, 2}, EndlessShape{4, 4, 0}}) {
    int total = 1 << 30;
    for (int kill = -1; kill < total; ++kill) {
      EndlessDevice device(endless_terms(shape), 11);
      if (kill >= 0) device.store.good_saves = kill;
      SeenLines seen;
      int failures = 0;
      for (std::int64_t t = 1; t <= 20; ++t) {
        bool done = static_cast<bool>(device.contact(t, t % 3 == 0));
        done = done && seen.drain(*device.client);
        if (!done) {
          // Killed: memory is gone, and the disk is back.
          ++failures;
          device.store.good_saves = 1 << 30;
          device.start();
          ASSERT_TRUE(device.contact(t, t % 3 == 0));
          ASSERT_TRUE(seen.drain(*device.client));
        }
      }
      if (kill < 0) {
        total = device.store.saves;
        ASSERT_GT(total, 20);
      } else {
        ASSERT_EQ(failures, 1) << kill;
      }
      std::int64_t charged = 0;
      for (const auto& [season, clients] : seen.enrolments) {
        ASSERT_EQ(clients.size(), 1U) << "season " << season << ", kill " << kill;
        ++charged;
      }
      // At most the season whose state was lost was paid for and never seen.
      const std::int64_t paid = device.ledger->spent_nanos() / 500'000'000;
      ASSERT_LE(charged, paid);
      ASSERT_LE(paid, charged + (kill < 0 ? 0 : 1));
    }
  }
}

// The power fails after a save that succeeded but before anybody knew.
TEST(RollingClient, SurvivesAKillBetweenAnyTwoCalls) {
  for (int period = 1; period <= 20; ++period) {
    for (const bool drained : {false, true}) {
      EndlessDevice device(endless_terms({4, 4, 0}), 12);
      device.terms.grace = 2;
      SeenLines seen;
      for (std::int64_t t = 1; t <= 24; ++t) {
        ASSERT_TRUE(device.contact(t, t % 5 < 2));
        if (t == period && !drained) device.start();
        if (device.client) {
          ASSERT_TRUE(seen.drain(*device.client));
        }
        if (t == period && drained) device.start();
      }
      for (const auto& [season, clients] : seen.enrolments) {
        ASSERT_EQ(clients.size(), 1U);
        if (season < 6) {
          ASSERT_EQ(seen.signs[clients.begin()->first].size(), 4U);
        }
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
