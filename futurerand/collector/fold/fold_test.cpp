#include "futurerand/collector/fold/fold.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"

namespace futurerand {
namespace {

constexpr HashKey kKey{1, 2};

Plan plan_of(Protocol protocol, Period periods) {
  return *make_plan(protocol, periods, 2, *Epsilon::parse("1"));
}

ClientId client(std::uint32_t number) {
  ClientId id;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

Verdict rejected(Reason reason, std::uint32_t expected = 0) {
  return {Outcome::kRejected, reason, expected, 0, 0};
}
const Verdict kAccepted{};
const Verdict kDuplicate{Outcome::kDuplicate, Reason::kNone, 0, 0, 0};

Verdict counted(std::uint32_t known, std::uint32_t signs) {
  return {Outcome::kAccepted, Reason::kNone, 0, known, signs};
}

// The plan is optimal over 8 periods: view h reports at order h.
class FoldTest : public testing::Test {
 protected:
  Plan plan_ = plan_of(Protocol::kOptimal, 8);
  Fold fold_{plan_, kKey};
};

TEST_F(FoldTest, CountsAReportOnce) {
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 0, 1, 0}, 1), kAccepted);
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 0, 1, 0}, 1), kDuplicate);
  EXPECT_EQ(fold_.apply(Report{client(1), 1, packed_signs("+")}, 2), counted(0, 1));
  EXPECT_EQ(fold_.apply(Report{client(1), 1, packed_signs("+")}, 2), kDuplicate);
  EXPECT_EQ(fold_.apply(Report{client(1), 1, packed_signs("-")}, 2), kDuplicate);
  EXPECT_EQ(fold_.sums().at(0, 1), (IndexSum{1, 1, 1}));
  EXPECT_EQ(fold_.sums().enrolled_in(0, 1), 1U);
}

TEST_F(FoldTest, CountsOnlyTheNewPartOfARun) {
  ASSERT_EQ(fold_.apply(Enrolment{client(1), 0, 1, 0}, 1), kAccepted);
  ASSERT_EQ(fold_.apply(Report{client(1), 1, packed_signs("+-")}, 9), counted(0, 2));
  EXPECT_EQ(fold_.apply(Report{client(1), 1, packed_signs("--+")}, 9), counted(2, 1));
  EXPECT_EQ(fold_.sums().at(0, 1), (IndexSum{1, 1, 1}));
  EXPECT_EQ(fold_.sums().at(0, 2), (IndexSum{-1, 1, 1}));
  EXPECT_EQ(fold_.sums().at(0, 3), (IndexSum{1, 1, 1}));
}

TEST_F(FoldTest, RejectsAGapAndSaysWhatItExpects) {
  ASSERT_EQ(fold_.apply(Enrolment{client(1), 0, 3, 0}, 3), kAccepted);
  EXPECT_EQ(fold_.apply(Report{client(1), 4, packed_signs("+")}, 9), rejected(Reason::kGap, 3));
  EXPECT_EQ(fold_.apply(Report{client(1), 2, packed_signs("+")}, 9), kDuplicate);
}

TEST_F(FoldTest, RejectsWhatIsNotOver) {
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 1, 3, 0}, 2), rejected(Reason::kEarly));
  ASSERT_EQ(fold_.apply(Enrolment{client(1), 1, 3, 0}, 3), kAccepted);
  // A device of order 1 joined in period 3: the first interval that it reports is periods 3 and 4.
  EXPECT_EQ(fold_.apply(Report{client(1), 2, packed_signs("+")}, 4), rejected(Reason::kEarly, 2));
  EXPECT_EQ(fold_.apply(Report{client(1), 2, packed_signs("+")}, 0), rejected(Reason::kEarly, 2));
  // Of a run that reaches into what is not over, the rest counts.
  const Verdict ahead = fold_.apply(Report{client(1), 2, packed_signs("+-")}, 6);
  EXPECT_EQ(ahead, (Verdict{Outcome::kAccepted, Reason::kEarly, 3, 0, 1}));
  EXPECT_EQ(fold_.sums().at(1, 2), (IndexSum{1, 1, 1}));
  EXPECT_EQ(fold_.sums().at(1, 3), IndexSum{});
  EXPECT_EQ(fold_.apply(Report{client(1), 2, packed_signs("+-")}, 7), counted(1, 1));
}

TEST_F(FoldTest, RejectsWhatDoesNotFitThePlan) {
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 4, 1, 0}, 9), rejected(Reason::kBadView));
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 0, 0, 0}, 9), rejected(Reason::kBadPeriod));
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 0, 9, 0}, 9), rejected(Reason::kBadPeriod));
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 0, 1, 1}, 9), rejected(Reason::kBadIndex));
  EXPECT_EQ(fold_.apply(Report{client(1), 1, packed_signs("+")}, 9),
            rejected(Reason::kUnknownClient));
  ASSERT_EQ(fold_.apply(Enrolment{client(1), 0, 1, 0}, 9), kAccepted);
  EXPECT_EQ(fold_.apply(Enrolment{client(1), 1, 1, 0}, 9), rejected(Reason::kEnrolledDifferently));
  EXPECT_EQ(fold_.apply(Report{client(1), 0, packed_signs("+")}, 9),
            rejected(Reason::kBadIndex, 1));
  EXPECT_EQ(fold_.apply(Report{client(1), 8, packed_signs("++")}, 9),
            rejected(Reason::kBadIndex, 1));
  EXPECT_EQ(fold_.apply(Report{client(1), 0xffffffff, packed_signs("++")}, 9),
            rejected(Reason::kBadIndex, 1));
  EXPECT_EQ(fold_.apply(Report{client(1), 1, packed_signs("")}, 9), rejected(Reason::kBadSigns));
  EXPECT_EQ(fold_.apply(Report{client(1), 1, packed_signs("+0")}, 9), rejected(Reason::kBadSigns));
  EXPECT_EQ(fold_.sums(), [&] {
    Sums expected(plan_);
    expected.enrol(0, 1, 0);
    return expected;
  }());
}

TEST(FoldSnapshot, OwesItsOneIndex) {
  Fold fold(plan_of(Protocol::kSnapshot, 8), kKey);
  EXPECT_EQ(fold.apply(Enrolment{client(1), 0, 1, 0}, 9), rejected(Reason::kBadIndex));
  ASSERT_EQ(fold.apply(Enrolment{client(1), 0, 1, 5}, 9), kAccepted);
  EXPECT_EQ(fold.apply(Enrolment{client(1), 0, 1, 4}, 9), rejected(Reason::kEnrolledDifferently));
  EXPECT_EQ(fold.apply(Report{client(1), 4, packed_signs("+")}, 9), rejected(Reason::kBadIndex, 5));
  EXPECT_EQ(fold.apply(Report{client(1), 5, packed_signs("++")}, 9),
            rejected(Reason::kBadIndex, 5));
  EXPECT_EQ(fold.apply(Report{client(1), 5, packed_signs("+")}, 5), rejected(Reason::kEarly, 5));
  EXPECT_EQ(fold.apply(Report{client(1), 5, packed_signs("+")}, 6), counted(0, 1));
  EXPECT_EQ(fold.apply(Report{client(1), 5, packed_signs("+")}, 6), kDuplicate);
  // A device that joined after its grid point is enrolled, and owes nothing.
  ASSERT_EQ(fold.apply(Enrolment{client(2), 0, 6, 5}, 9), kAccepted);
  EXPECT_EQ(fold.apply(Report{client(2), 5, packed_signs("+")}, 9), kDuplicate);
  EXPECT_EQ(fold.apply(Enrolment{client(2), 0, 6, 5}, 9), kDuplicate);
}

// At epsilon 4 changes are quiet and a snapshot device reports several values.
TEST(FoldQuiet, CountsSilenceAndFollowsTheStride) {
  const Plan plan = *make_plan(Protocol::kHybrid, 64, 2, *Epsilon::parse("4"));
  const auto snapshot = static_cast<std::uint32_t>(plan.views.size() - 1);
  const std::uint32_t stride = Schedule(plan.views[snapshot], 64).stride;
  const std::uint32_t last = plan.views[snapshot].num_indices(64);
  ASSERT_TRUE(may_be_zero(plan.views[0].law));
  ASSERT_LT(2 * stride, last);
  Fold fold(plan, kKey);
  ASSERT_EQ(fold.apply(Enrolment{client(1), 0, 1, 0}, 1), kAccepted);
  EXPECT_EQ(fold.apply(Report{client(1), 1, packed_signs("0-+0")}, 9), counted(0, 4));
  EXPECT_EQ(fold.sums().at(0, 1), (IndexSum{0, 1, 0}));
  EXPECT_EQ(fold.sums().at(0, 2), (IndexSum{-1, 1, 1}));

  EXPECT_EQ(fold.apply(Enrolment{client(2), snapshot, 1, stride + 1}, 1),
            rejected(Reason::kBadIndex));
  ASSERT_EQ(fold.apply(Enrolment{client(2), snapshot, 1, 2}, 1), kAccepted);
  EXPECT_EQ(fold.sums().snapshot_devices(snapshot, 2 + stride), 1U);
  EXPECT_EQ(fold.apply(Report{client(2), 2, packed_signs("0")}, 65), rejected(Reason::kBadSigns));
  EXPECT_EQ(fold.apply(Report{client(2), 3, packed_signs("+")}, 65),
            rejected(Reason::kBadIndex, 2));
  EXPECT_EQ(fold.apply(Report{client(2), 2 + stride, packed_signs("+")}, 65),
            rejected(Reason::kGap, 2));
  ASSERT_EQ(fold.apply(Report{client(2), 2, packed_signs("+")}, 65), counted(0, 1));
  EXPECT_EQ(fold.apply(Enrolment{client(2), snapshot, 1, 2}, 65), kDuplicate);
  const Verdict second = fold.apply(Report{client(2), 2, packed_signs("--")}, 65);
  EXPECT_EQ(second, counted(1, 1));
  EXPECT_EQ(fold.sums().at(snapshot, 2), (IndexSum{1, 1, 1}));
  EXPECT_EQ(fold.sums().at(snapshot, 2 + stride), (IndexSum{-1, 1, 1}));

  Fold loaded(plan, kKey);
  for (std::size_t i = 0; i < FoldCheckpoint::num_pieces(); ++i)
    ASSERT_TRUE(FoldCheckpoint::load(i, FoldCheckpoint::save(fold, i), loaded));
  EXPECT_EQ(loaded.sums(), fold.sums());
  fold.revert(Report{client(2), 2, packed_signs("--")}, second);
  EXPECT_EQ(fold.sums().at(snapshot, 2 + stride), IndexSum{});
}

TEST(FoldPulse, TakesNoMorePulsesThanADeviceHas) {
  const Plan plan = *make_plan(Protocol::kPulse, 64, 1, *Epsilon::parse("2"));
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const std::uint32_t most = std::get<PulseLaw>(plan.views[view].law).pulses;
    ASSERT_LE(most, 60U);
    Fold fold(plan, kKey);
    const ClientId id = client(view);
    ASSERT_EQ(fold.apply(Enrolment{id, view, 3, 0}, 3), kAccepted);
    EXPECT_EQ(fold.apply(Report{id, 3, packed_signs(std::string(most + 1, '+'))}, 65),
              rejected(Reason::kBadSigns, 3));
    // Of a run beyond the current period, only the finished part counts.
    const Report ahead{id, 3, packed_signs(std::string(most + 1, '+'))};
    const Verdict taken = fold.apply(ahead, 3 + most);
    EXPECT_EQ(taken, (Verdict{Outcome::kAccepted, Reason::kEarly, 3 + most, 0, most}));
    fold.revert(ahead, taken);
    EXPECT_EQ(fold.apply(Report{id, 3, packed_signs(std::string(most, '+'))}, 65),
              counted(0, most));
    EXPECT_EQ(fold.apply(Report{id, 3, packed_signs(std::string(most, '+'))}, 65), kDuplicate);
    // A checkpoint remembers how many there were.
    Fold loaded(plan, kKey);
    for (std::size_t piece = 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
      ASSERT_TRUE(FoldCheckpoint::load(piece, FoldCheckpoint::save(fold, piece), loaded));
    }
    for (Fold* one : {&fold, &loaded}) {
      EXPECT_EQ(one->apply(Report{id, 3 + most, packed_signs("-+")}, 65),
                rejected(Reason::kBadSigns, 3 + most));
      EXPECT_EQ(one->apply(Report{id, 3 + most, packed_signs("-")}, 65), counted(0, 1));
      EXPECT_EQ(one->apply(Report{id, 4 + most, packed_signs("+")}, 65),
                rejected(Reason::kBadSigns, 4 + most));
      EXPECT_EQ(one->apply(Report{id, 2 + most, packed_signs("+--")}, 65), counted(2, 1));
      EXPECT_EQ(one->sums().at(view, 3).sum, 1);
      EXPECT_EQ(one->sums().at(view, 4 + most).sum, -1);
    }
  }
}

TEST(FoldRevert, LeavesNoTrace) {
  const Plan plan = plan_of(Protocol::kHybrid, 64);
  Fold fold(plan, kKey);
  std::mt19937 random(5);
  const Fold before = fold;
  std::vector<Enrolment> enrolments;
  std::vector<std::pair<Report, Verdict>> reports;
  for (std::uint32_t c = 0; c < 500; ++c) {
    const bool snapshot = plan.views.back().kind == ViewKind::kSnapshot && c % 3 == 0;
    const auto view = snapshot ? static_cast<std::uint32_t>(plan.views.size() - 1) : 0;
    enrolments.push_back(
        {client(static_cast<std::uint32_t>(random())), view, 1, snapshot ? 1U : 0U});
    ASSERT_EQ(fold.apply(enrolments.back(), 65).outcome, Outcome::kAccepted);
  }
  for (const Enrolment& enrolment : enrolments) {
    const Report report{enrolment.client, 1, packed_signs(enrolment.index != 0 ? "+" : "+-+-")};
    reports.emplace_back(report, fold.apply(report, 3));
    ASSERT_EQ(reports.back().second.outcome, Outcome::kAccepted);
  }
  for (; !reports.empty(); reports.pop_back()) {
    fold.revert(reports.back().first, reports.back().second);
  }
  for (; !enrolments.empty(); enrolments.pop_back()) fold.revert(enrolments.back());
  EXPECT_EQ(fold.sums(), before.sums());
  EXPECT_EQ(fold.num_clients(), 0U);
}

std::vector<std::string> pieces_of(const Fold& fold) {
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < FoldCheckpoint::num_pieces(); ++i)
    pieces.push_back(FoldCheckpoint::save(fold, i));
  return pieces;
}

TEST(FoldCheckpoint, SameBytesWhateverTheOrder) {
  std::mt19937 random(7);
  const Plan plan = plan_of(Protocol::kHybrid, 64);
  std::vector<Enrolment> enrolments;
  std::vector<Report> reports;
  for (std::uint32_t c = 0; c < 3000; ++c) {
    const auto view = static_cast<std::uint32_t>(random() % plan.views.size());
    const Period period = 1 + static_cast<Period>(random() % 64);
    const bool snapshot = plan.views[view].kind == ViewKind::kSnapshot;
    const std::uint32_t stride = Schedule(plan.views[view], 64).stride;
    const std::uint32_t index = 1 + static_cast<std::uint32_t>(random() % stride);
    const ClientId id = client(c * 2654435761U);
    enrolments.push_back({id, view, period, snapshot ? index : 0});
    const std::uint32_t first = snapshot ? index
                                : Schedule(plan.views[view], plan.num_periods).due(1) >= period ? 1
                                                                                                : 0;
    if (first != 0) reports.push_back({id, first, packed_signs(random() % 2 == 0 ? "+" : "-")});
  }
  Fold one(plan, {1, 2});
  for (const Enrolment& enrolment : enrolments) (void)one.apply(enrolment, 65);
  for (const Report& report : reports) (void)one.apply(report, 65);
  std::shuffle(enrolments.begin(), enrolments.end(), random);
  std::shuffle(reports.begin(), reports.end(), random);
  Fold other(plan, {1, 2});
  for (const Enrolment& enrolment : enrolments) (void)other.apply(enrolment, 65);
  for (const Report& report : reports) (void)other.apply(report, 65);
  EXPECT_EQ(pieces_of(one), pieces_of(other));

  Fold loaded(plan, {1, 2});
  const std::vector<std::string> pieces = pieces_of(one);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    ASSERT_TRUE(FoldCheckpoint::load(i, pieces[i], loaded));
  EXPECT_EQ(loaded.sums(), one.sums());
  EXPECT_EQ(loaded.num_clients(), 3000U);
  EXPECT_EQ(pieces_of(loaded), pieces);
  for (const Report& report : reports)
    EXPECT_NE(loaded.apply(report, 65).outcome, Outcome::kAccepted);
}

TEST(FoldCheckpoint, RefusesDamage) {
  const Plan plan = plan_of(Protocol::kOptimal, 8);
  Fold fold(plan, kKey);
  ASSERT_EQ(fold.apply(Enrolment{client(0x100), 0, 1, 0}, 1), kAccepted);
  const std::string sums = FoldCheckpoint::save(fold, 0);
  const std::size_t piece_of_it = 1 + fold.shard_of(client(0x100));
  const std::string clients = FoldCheckpoint::save(fold, piece_of_it);
  ASSERT_EQ(clients.size(), 24U);
  const auto load = [&](std::size_t piece, const std::string& bytes) {
    Fold into(plan, kKey);
    return FoldCheckpoint::load(piece, bytes, into);
  };
  EXPECT_FALSE(load(0, sums.substr(1)));
  EXPECT_FALSE(load(0, sums + "+"));
  EXPECT_TRUE(load(piece_of_it, clients));
  EXPECT_FALSE(load(piece_of_it, clients.substr(1)));
  EXPECT_FALSE(load(piece_of_it + 1, clients));
  EXPECT_FALSE(load(piece_of_it, clients + clients));
}

// An adversary may choose ids but not their places. Neither the first byte nor any other pattern
// fills a shard. A growing shard is copied at once, so a full one would cost time.
TEST(ClientTable, ChosenIdsAreSpreadOverTheShards) {
  constexpr std::uint32_t kClients = 100'000;
  for (const std::size_t at : {0U, 4U, 12U}) {
    ClientTable table(kKey);
    for (std::uint32_t c = 0; c < kClients; ++c) {
      ClientId id{};
      std::memcpy(id.bytes.data() + at, &c, sizeof(c));
      table.insert(id, ClientState(0, 1, 1));
    }
    for (std::size_t shard = 0; shard < ClientTable::kNumShards; ++shard) {
      // The mean is 391 and its standard deviation 20.
      EXPECT_NEAR(static_cast<double>(table.sorted_shard(shard).size()), 391, 120) << shard;
    }
  }
  // Another key, other places.
  const ClientTable one({1, 2});
  const ClientTable other({1, 3});
  int same = 0;
  for (std::uint32_t c = 0; c < 1000; ++c) {
    same += one.shard_of(client(c)) == other.shard_of(client(c)) ? 1 : 0;
  }
  EXPECT_LT(same, 30);
}

// The figures of docs/scale.md: 31 to 44 bytes, and with transcripts of 64 periods 41 to 58, of 256
// periods 72 to 102.
TEST(ClientTable, TakesTheMemoryThatTheDocsSay) {
  struct Documented {
    std::size_t own_words;
    double least, most;
  };
  for (const Documented& documented :
       {Documented{0, 30, 44}, Documented{1, 40, 58.5}, Documented{4, 71, 102.5}}) {
    ClientTable table(kKey, documented.own_words);
    std::mt19937_64 random(5);
    double least = 1e9, most = 0;
    for (std::uint32_t i = 1; i <= 400'000; ++i) {
      ClientId id;
      for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random());
      table.insert(id, ClientState(0, 1, 1));
      if (i < 100'000 || i % 5'000 != 0) continue;
      const double bytes = static_cast<double>(table.memory_bytes()) / i;
      least = std::min(least, bytes);
      most = std::max(most, bytes);
    }
    EXPECT_GE(least, documented.least);
    EXPECT_LE(most, documented.most);
    EXPECT_GT(most, documented.most - 6) << "the docs say more than it takes";
  }
}

TEST(ClientTable, KeepsAClientInFewBytes) {
  ClientTable table(kKey);
  std::mt19937_64 random(3);
  std::vector<ClientId> ids(200'000);
  std::size_t inserted = 0;
  for (ClientId& id : ids) {
    for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random());
    ASSERT_EQ(table.find(id), nullptr);
    table.insert(id, ClientState(3, 1 << 20, (1 << 20) + 1));
    if (++inserted % 1000 == 0 && inserted > 20'000) {
      ASSERT_LE(table.memory_bytes() / table.size(), 64U);
    }
  }
  for (const ClientId& id : ids) {
    ASSERT_NE(table.find(id), nullptr);
    const ClientState state(*table.find(id));
    EXPECT_EQ(state.view(), 3U);
    EXPECT_EQ(state.period(), Period{1} << 20);
    EXPECT_EQ(state.next_index(), (1U << 20) + 1);
  }
}

}  // namespace
}  // namespace futurerand
