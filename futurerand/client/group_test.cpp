// A device draws one metric of a group, once, and joins only that: after restarts, crashes, and
// whatever a server says.
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/group_draw.hpp"
#include "futurerand/client/rolling_client.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/endless.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using test::CountingStore;
using test::terms_of;

MetricGroup settings(std::uint32_t beta = 2) {
  return *MetricGroup::create("settings", {{"beta", beta}, {"dark-mode", 1}, {"sync", 1}});
}

const std::vector<std::string> kMembers = {"beta", "dark-mode", "sync"};

MetricTerms member(const std::string& name, const MetricGroup& group = settings()) {
  MetricTerms terms = terms_of(name, Protocol::kRepeated, 8, name == "beta" ? "3" : "1");
  terms.group = group;
  return terms;
}

// Gives the words of a tape, and fails at its end.
class Tape final : public RandomSource {
 public:
  explicit Tape(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      if (next_ == words_.size()) return false;
      word = words_[next_++];
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

// Every tape of two words of three bits: what is drawn has exactly the ratio of the shares.
TEST(Group, ADrawHasExactlyTheLawOfTheShares) {
  const MetricGroup group = *MetricGroup::create("g", {{"a", 1}, {"b", 2}, {"c", 3}});
  std::map<std::string, int> drawn;
  int undecided = 0;
  for (std::uint64_t first = 0; first < 8; ++first) {
    for (std::uint64_t second = 0; second < 8; ++second) {
      Tape tape({first, second});
      BasicUniformBits<3> bits(tape);
      const MetricGroup::Member& found = draw_member(group, bits);
      bits.failed() ? ++undecided : ++drawn[found.metric];
    }
  }
  EXPECT_EQ(undecided, 4);  // two words of 6 or 7
  EXPECT_EQ(drawn, (std::map<std::string, int>{{"a", 10}, {"b", 20}, {"c", 30}}));
}

TEST(Group, ADrawFromABrokenSourceEnds) {
  testing_sources::ConstantSource stuck(~std::uint64_t{0});
  UniformBits bits(stuck);
  const MetricGroup group = *MetricGroup::create("g", {{"a", 1}, {"b", 2}});
  (void)draw_member(group, bits);
  EXPECT_TRUE(bits.failed());
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, *Epsilon::parse("4"));
  const Result<RollingClient> client =
      RollingClient::open(member("sync", settings(1)), 1, ledger, store, stuck);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kNoEntropy);
  EXPECT_TRUE(store.records().empty());
}

// The binomial distance of 4,000 draws from the shares is below 5.3 standard deviations for each
// metric: a wrong draw of one in a hundred fails it, and a right one fails it with a probability
// below 10^-6, for whatever seeds.
TEST(Group, DevicesDrawByTheSharesOfThePlan) {
  constexpr int kDevices = 4000;
  std::map<std::string, int> drawn;
  for (int device = 0; device < kDevices; ++device) {
    MemoryStateStore store;
    testing_sources::SeededSource entropy(static_cast<std::uint64_t>(device) + 1);
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("4"));
    ASSERT_TRUE(*takes_part(member("sync"), 1, ledger, entropy) ==
                (ledger.find_draw("settings")->metric == "sync"));
    ++drawn[ledger.find_draw("settings")->metric];
  }
  for (const std::string& name : kMembers) {
    const double share = settings().share_of(name);
    EXPECT_NEAR(drawn[name], kDevices * share, 5.3 * std::sqrt(kDevices * share * (1 - share)))
        << name;
  }
}

// What leaves a device over all runs: the metrics it enrolled in, and with which ids.
struct Seen {
  std::set<std::string> metrics, ids;
};

// Runs the application of one device: it opens all members, observes and sends, the same code for
// each. It stops where a call fails, as if the process died there.
void run_application(StateStore& store, RandomSource& entropy, Seen& seen,
                     const std::vector<std::string>& order = kMembers) {
  Result<Ledger> ledger = Ledger::open(store, *Epsilon::parse("16"));
  ASSERT_TRUE(ledger);
  for (const std::string& name : order) {
    Result<RollingClient> client = RollingClient::open(member(name), 1, *ledger, store, entropy);
    if (!client) return;
    for (Period period = 1; period <= 9; ++period) {
      if (!client->observe(period, true)) return;
      for (Client* part : client->parts()) {
        const Outbox outbox = part->outbox();
        if (outbox.enrolment) {
          seen.metrics.insert(name);
          seen.ids.insert(to_hex(outbox.enrolment->client));
        }
        if (outbox.num_lines() > 0 && !part->acknowledge(outbox.next_index)) return;
      }
    }
  }
}

TEST(Group, AppliesTheSameCodeAndJoinsOneMetric) {
  std::set<std::string> all;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    MemoryStateStore store;
    testing_sources::SeededSource entropy(seed);
    Seen seen;
    run_application(store, entropy, seen);
    ASSERT_EQ(seen.metrics.size(), 1U);
    const std::string joined = *seen.metrics.begin();
    all.insert(joined);
    const Ledger ledger = *Ledger::open(store, *Epsilon::parse("16"));
    ASSERT_EQ(ledger.entries().size(), 1U);
    EXPECT_EQ(ledger.entries()[0].metric, joined);
    EXPECT_EQ(ledger.find_draw("settings")->metric, joined);
    // The drawn metric's epsilon is what is spent.
    EXPECT_EQ(budget_text(ledger.spent_nanos()), joined == "beta" ? "3" : "1");
    EXPECT_EQ(store.records().size(), 2U);  // the ledger and one state
  }
  EXPECT_EQ(all.size(), 3U);
}

TEST(Group, IsNeverDrawnAgain) {
  MemoryStateStore store;
  testing_sources::SeededSource entropy(5);
  Seen seen;
  run_application(store, entropy, seen);
  const auto records = store.records();
  const std::vector<std::vector<std::string>> orders = {
      {"sync", "dark-mode", "beta"}, {"dark-mode", "beta", "sync"}, {"beta", "sync", "dark-mode"}};
  for (const std::vector<std::string>& order : orders) {
    testing_sources::FailingSource nothing(0);
    run_application(store, nothing, seen, order);
  }
  EXPECT_EQ(seen.metrics.size(), 1U);
  EXPECT_EQ(seen.ids.size(), 1U);
  EXPECT_EQ(store.records(), records);
}

// The process dies at each save, with the record written or not, and the device goes on with other
// entropy. Once anything was seen outside, the metric and the id stay.
TEST(Group, ACrashAtAnySaveNeverJoinsTwoMetrics) {
  // Dies at a save: `writes` says whether the bytes were written before.
  class DyingStore final : public StateStore {
   public:
    Result<std::optional<Bytes>> load(std::string_view record) override {
      return memory.load(record);
    }
    Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
      if (left == 0) return Error{"the process died"};
      if (--left > 0 || writes) (void)memory.save(record, bytes);
      if (left == 0) return Error{"the process died"};
      return {};
    }
    Result<std::vector<std::string>> names() override { return memory.names(); }

    MemoryStateStore memory;
    int left = 0;
    bool writes = false;
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const bool writes : {false, true}) {
      for (int at = 1; at <= 24; ++at) {
        Seen seen;
        DyingStore store;
        store.left = at;
        store.writes = writes;
        testing_sources::SeededSource entropy(seed);
        run_application(store, entropy, seen);
        const bool was_drawn = store.memory.records().contains("ledger");
        std::string drawn;
        if (was_drawn) {
          MemoryStateStore copy = store.memory;
          drawn = Ledger::open(copy, *Epsilon::parse("16"))->find_draw("settings")->metric;
        }
        MemoryStateStore again = store.memory;
        testing_sources::SeededSource other(seed + 100);
        run_application(again, other, seen, {"sync", "dark-mode", "beta"});
        const Ledger ledger = *Ledger::open(again, *Epsilon::parse("16"));
        EXPECT_LE(seen.metrics.size(), 1U) << seed << " " << at;
        EXPECT_LE(seen.ids.size(), 1U) << seed << " " << at;
        EXPECT_LE(ledger.entries().size(), 1U) << seed << " " << at;
        ASSERT_NE(ledger.find_draw("settings"), nullptr);
        if (was_drawn) {
          EXPECT_EQ(ledger.find_draw("settings")->metric, drawn) << seed << " " << at;
        }
        for (const std::string& name : seen.metrics) {
          EXPECT_EQ(name, ledger.find_draw("settings")->metric);
        }
      }
    }
  }
}

// A device that drew `joined`, with all members opened.
struct Drawn {
  explicit Drawn(std::uint64_t seed = 1) : entropy(seed) {
    Seen seen;
    run_application(store, entropy, seen);
    ledger.emplace(*Ledger::open(store, *Epsilon::parse("16")));
    joined = ledger->find_draw("settings")->metric;
    other = joined == "sync" ? "dark-mode" : "sync";
  }
  Status open(const MetricTerms& terms) {
    const Result<RollingClient> client = RollingClient::open(terms, 2, *ledger, store, entropy);
    return client ? Status() : Status(client.error());
  }

  MemoryStateStore store;
  testing_sources::SeededSource entropy;
  std::optional<Ledger> ledger;
  std::string joined, other;
};

// Whatever a server says, nothing more is drawn, joined or spent.
TEST(Group, AServerCannotMakeADeviceDrawAgain) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Drawn device(seed);
    const auto records = device.store.records();
    const MetricGroup longer =
        *MetricGroup::create("settings", {{"beta", 2}, {"dark-mode", 1}, {"new", 9}, {"sync", 1}});
    const MetricGroup renamed =
        *MetricGroup::create("settings-2", {{"beta", 2}, {"dark-mode", 1}, {"sync", 1}});
    const MetricGroup overlapping =
        *MetricGroup::create("more", {{device.other, 1}, {"another", 1}});
    const MetricGroup same_name = *MetricGroup::create("settings", {{"one", 1}, {"two", 1}});
    MetricTerms without = member(device.other);
    without.group.reset();
    MetricTerms joined_without = member(device.joined);
    joined_without.group.reset();
    const std::map<std::string, MetricTerms> hostile = {
        {"other shares", member(device.other, settings(1))},
        {"other shares, joined metric", member(device.joined, settings(1))},
        {"one more member", member(device.other, longer)},
        {"the new member", member("new", longer)},
        {"another name", member(device.other, renamed)},
        {"a second group of a member", member(device.other, overlapping)},
        {"the other metric of that", member("another", overlapping)},
        {"another group of this name", member("one", same_name)},
        {"no group any more", without},
        {"no group any more, joined metric", joined_without}};
    for (const auto& [what, terms] : hostile) {
      const Status opened = device.open(terms);
      ASSERT_FALSE(opened) << what;
      EXPECT_EQ(opened.error().code, ErrorCode::kRefused) << what;
    }
    EXPECT_EQ(device.store.records(), records);
    // Joined metrics continue, and a new metric without a group can be joined.
    for (const std::string& name : kMembers) EXPECT_TRUE(device.open(member(name))) << name;
    EXPECT_TRUE(device.open(terms_of("free", Protocol::kRepeated, 8)));
  }
}

// A metric that was joined before cannot become a member: its device could join a second one.
TEST(Group, OfAMetricThatWasJoinedBeforeIsRefused) {
  for (const bool endless : {false, true}) {
    MemoryStateStore store;
    testing_sources::SeededSource entropy(1);
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("16"));
    MetricTerms before = endless ? test::endless_terms({}, "sync") : member("sync");
    before.group.reset();
    ASSERT_TRUE(RollingClient::open(before, 1, ledger, store, entropy));
    const auto records = store.records();
    for (const std::string& name : kMembers) {
      const Result<RollingClient> client =
          RollingClient::open(member(name), 1, ledger, store, entropy);
      ASSERT_FALSE(client);
      EXPECT_EQ(client.error().code, ErrorCode::kRefused);
    }
    EXPECT_EQ(store.records(), records);
  }
}

// The ledger itself refuses, whoever asks.
TEST(Group, TheLedgerChargesNoOtherMember) {
  Drawn device;
  const Epsilon one = *Epsilon::parse("1");
  EXPECT_EQ(device.ledger->check(device.other, one).error().code, ErrorCode::kRefused);
  EXPECT_FALSE(device.ledger->charge(device.other, one, ClientId{}));
  EXPECT_FALSE(device.ledger->begin_series(device.other, Digest{}, 0));
  const Result<Client> client =
      Client::open(member(device.other), 1, *device.ledger, device.store, device.entropy);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().message, "the metric '" + device.other +
                                        "' is one of a group, and this device drew another metric "
                                        "of it; a device joins one metric of a group, ever");
}

// A limit below the drawn metric's epsilon: nothing is joined, and no other metric instead.
TEST(Group, PerMetricStillBinds) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    MemoryStateStore store;
    testing_sources::SeededSource entropy(seed);
    Ledger ledger = *Ledger::open(store, {*Epsilon::parse("16"), *Epsilon::parse("2")});
    for (const std::string& name : kMembers) {
      const Result<RollingClient> client =
          RollingClient::open(member(name), 1, ledger, store, entropy);
      const bool drawn = ledger.find_draw("settings")->metric == name;
      EXPECT_EQ(bool(client), !(drawn && name == "beta"));
      if (client) continue;
      EXPECT_EQ(client.error().code, ErrorCode::kRefused);
      ++refused;
    }
    const bool is_beta = ledger.find_draw("settings")->metric == "beta";
    EXPECT_EQ(ledger.entries().size(), is_beta ? 0U : 1U);
  }
  EXPECT_GT(refused, 0);
}

TEST(Group, AMetricThatWasNotDrawnAcceptsAllCallsAndSendsNothing) {
  Drawn device;
  RollingClient client =
      *RollingClient::open(member(device.other), 1, *device.ledger, device.store, device.entropy);
  const auto records = device.store.records();
  EXPECT_FALSE(client.takes_part());
  EXPECT_TRUE(client.observe(1, true));
  EXPECT_TRUE(client.observe(3, false));
  EXPECT_EQ(client.now(), 3U);
  // Errors are those of a device that takes part.
  EXPECT_EQ(client.observe(2, true).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(client.observe(4, 1.5).error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(client.begin_period(9));
  EXPECT_TRUE(client.observe(100, true));
  EXPECT_TRUE(client.leave(5));
  EXPECT_TRUE(client.forget(6));
  EXPECT_TRUE(client.parts().empty());
  EXPECT_EQ(client.due(), nullptr);
  EXPECT_EQ(client.live(), nullptr);
  EXPECT_FALSE(client.part_of(""));
  EXPECT_EQ(device.store.records(), records);
}

// A group may have metrics with and without an end.
TEST(Group, SeasonsOfTheDrawnMetricAreJoined) {
  const MetricGroup group = *MetricGroup::create("g", {{"endless", 1}, {"fixed", 1}});
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    MetricTerms endless = test::endless_terms();
    endless.group = group;
    test::EndlessDevice device(endless, seed);
    test::SeenLines seen;
    for (std::int64_t t = 1; t <= 30; ++t) {
      ASSERT_TRUE(device.contact(t, true)) << t;
      ASSERT_TRUE(seen.drain(*device.client));
      if (t % 7 == 0) device.start();
    }
    const std::string metric = device.ledger->find_draw("g")->metric;
    drawn.insert(metric);
    EXPECT_EQ(seen.enrolments.size() > 1, metric == "endless");
    EXPECT_EQ(device.ledger->find_series("endless") != nullptr, metric == "endless");
    MetricTerms fixed = member("fixed", group);
    fixed.clock = {};  // whatever the time is
    Result<RollingClient> client =
        RollingClient::open(fixed, 1, *device.ledger, device.store, device.entropy);
    ASSERT_TRUE(client);
    EXPECT_EQ(client->takes_part(), metric == "fixed");
  }
  EXPECT_EQ(drawn.size(), 2U);
}

// Before the start nothing is drawn, so that an operator may still define the group anew.
TEST(Group, IsDrawnOnceAMemberCanBeJoined) {
  MemoryStateStore store;
  testing_sources::SeededSource entropy(1);
  Ledger ledger = *Ledger::open(store, *Epsilon::parse("16"));
  const auto code = [&](Period period) {
    const Result<RollingClient> client =
        RollingClient::open(member("sync", settings(7)), period, ledger, store, entropy);
    return client ? std::optional<ErrorCode>() : client.error().code;
  };
  EXPECT_EQ(code(0), ErrorCode::kNotStarted);
  EXPECT_EQ(code(9), ErrorCode::kRefused);
  EXPECT_TRUE(store.records().empty());
  EXPECT_TRUE(RollingClient::open(member("sync"), 1, ledger, store, entropy));
}

TEST(Group, TermsPinIt) {
  MetricTerms terms = terms_of("sync", Protocol::kRepeated, 8);
  const Digest alone = terms.digest();
  terms.group = settings();
  const Digest grouped = terms.digest();
  EXPECT_NE(grouped, alone);
  terms.group = settings(3);
  EXPECT_NE(terms.digest(), grouped);
  terms.group = *MetricGroup::create("other", settings().members());
  EXPECT_NE(terms.digest(), grouped);
  EXPECT_TRUE(terms.validate());
  terms.name = "free";
  EXPECT_FALSE(terms.validate());
}

}  // namespace
}  // namespace futurerand
