#include "futurerand/rivals/thresh.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::thresh {
namespace {

ProtocolSettings thresh_settings(std::uint64_t users, Period periods, std::uint32_t changes) {
  return {users, periods, changes, *Epsilon::parse("1")};
}

TEST(ThreshTerms, AreThoseComputedByHand) {
  ProtocolSettings settings = thresh_settings(100, 1024, 3);
  settings.constants.set(kThreshEpoch, 100);
  settings.constants.set(kThreshDelta, 0.1);
  const ThreshTerms terms = *ThreshTerms::create(settings);
  EXPECT_EQ(terms.num_epochs, 10U);  // 24 periods are left over
  EXPECT_DOUBLE_EQ(terms.vote_cost, 1.0 / 12);
  EXPECT_EQ(terms.votes, 3U);  // a quarter pays for exactly three twelfths
  EXPECT_EQ(terms.estimates, 3U);
  EXPECT_DOUBLE_EQ(terms.radius, std::sqrt(std::log(1e5) / 200));
  EXPECT_DOUBLE_EQ(terms.margin, std::sqrt(std::log(1e3) / 200));
  EXPECT_DOUBLE_EQ(terms.one_if_mean(1), terms.one_if_yes());
  EXPECT_DOUBLE_EQ(terms.one_if_mean(0.5), 0.5);
  // There are 3 + 3 yes votes of two users, and 3 estimates.
  const auto protocol = make_simulated_protocol("thresh", settings);
  EXPECT_DOUBLE_EQ((*protocol)->sequence_loss().epsilon.value(), 0.75);
}

TEST(ThreshTerms, ChooseAnEpochInWhichAFullMoveShows) {
  const ThreshTerms terms = *ThreshTerms::create(thresh_settings(100'000, 4096, 4));
  EXPECT_LT(2 * terms.radius, 1);
  ProtocolSettings shorter = thresh_settings(100'000, 4096, 4);
  shorter.constants.set(kThreshEpoch, terms.epoch / 2);
  EXPECT_GE(2 * ThreshTerms::create(shorter)->radius, 1);
}

TEST(ThreshTerms, RefuseConstantsThatBuyNothing) {
  const auto refused = [](auto&& change) {
    ProtocolSettings settings = thresh_settings(100, 64, 2);
    change(settings.constants);
    return !make_simulated_protocol("thresh", settings);
  };
  EXPECT_TRUE(refused([](ProtocolConstants& c) { c.set(kThreshVoteCost, 0.26); }));
  EXPECT_TRUE(refused([](ProtocolConstants& c) { c.set(kThreshEstimateCost, 0); }));
  EXPECT_TRUE(refused([](ProtocolConstants& c) { c.set(kThreshDelta, 1); }));
  EXPECT_TRUE(refused([](ProtocolConstants& c) { c.set(kThreshEpoch, 65); }));
  EXPECT_FALSE(refused([](ProtocolConstants& c) { c.set(kThreshVoteCost, 0.25); }));
}

// There are eight epochs (levels 0 to 3), and a level is 0.2 of the mean.
ThreshTerms eight_epochs() {
  ThreshTerms terms = *ThreshTerms::create(thresh_settings(100, 800, 2));
  terms.num_epochs = 8;
  terms.radius = 0.1;
  return terms;
}

TEST(ThreshUser, VotesOnlyWhereItsLevelMay) {
  ThreshTerms terms = eight_epochs();
  terms.votes = 100;
  ThreshUser user(terms);
  // A move by 0.3 has level 0 and may vote in epoch 8 only. A move by 0.5 has level 1 and may vote
  // in 4 and 8. A move by 0.7 has level 2: even epochs. A move by 0.9 has level 3: all epochs.
  for (std::uint32_t epoch = 1; epoch <= 8; ++epoch) {
    EXPECT_FALSE(user.votes_yes(epoch, 0.1));
    EXPECT_EQ(user.votes_yes(epoch, 0.3), epoch == 8) << epoch;
    EXPECT_EQ(user.votes_yes(epoch, 0.5), epoch % 4 == 0) << epoch;
    EXPECT_EQ(user.votes_yes(epoch, 0.7), epoch % 2 == 0) << epoch;
    EXPECT_TRUE(user.votes_yes(epoch, 0.9)) << epoch;
  }
  // An update moves the mark.
  EXPECT_TRUE(user.estimates(0.9));
  EXPECT_FALSE(user.votes_yes(8, 0.9));
  EXPECT_TRUE(user.votes_yes(8, 0));
}

TEST(ThreshUser, NeverSpendsMoreThanItsBudgets) {
  const ThreshTerms terms = eight_epochs();
  ASSERT_EQ(terms.votes, 2U);
  ASSERT_EQ(terms.estimates, 2U);
  ThreshUser user(terms);
  int votes = 0, estimates = 0;
  for (int epoch = 1; epoch <= 8; ++epoch) {
    const double mean = epoch % 2;  // moves all the way, every time
    votes += user.votes_yes(8, mean);
    estimates += user.estimates(mean);
    EXPECT_LE(votes * terms.vote_cost, 0.25);
    EXPECT_LE(estimates * terms.estimate_cost, 0.25);
  }
  EXPECT_EQ(votes, 2);
  EXPECT_EQ(estimates, 2);
  EXPECT_EQ(user.votes_left(), 0U);
  EXPECT_EQ(user.estimates_left(), 0U);
}

SimulationResult run(const Population& population, const ProtocolSettings& settings,
                     std::uint64_t trials) {
  SimulationSettings simulation;
  simulation.key = SimulationKey::from_seed(7);
  simulation.trials = trials;
  const auto protocol = make_simulated_protocol("thresh", settings);
  return *simulate(**protocol, population, true_counts(population, Workers(1)), simulation);
}

TEST(Thresh, SeesAMoveAndMeasuresItWithItsStatedError) {
  // All turn on in period 1 of 4 epochs. Level 0 may vote in the last epoch only, and the vote
  // there is clear. Every update has a mean of 1.
  const std::vector<UserValues> panel = {{"0", {{1, true}}}};
  const std::uint64_t users = 20'000;
  const ProtocolSettings settings = thresh_settings(users, 256, 1);
  const ThreshTerms terms = *ThreshTerms::create(settings);
  ASSERT_EQ(terms.num_epochs, 4U);
  const Population population =
      *Population::from_panel(panel, {users, 256, 1}, SimulationKey::from_seed(1));
  const SimulationResult result = run(population, settings, 400);
  EXPECT_TRUE(std::isnan(result.periods[0].estimate));
  EXPECT_DOUBLE_EQ(result.undetermined, 255.0 / 256);  // level 0 votes in the last epoch only
  // There is one Bernoulli of e^b'/(e^b'+1) a user; the mean of 400 is beyond 5 standard errors
  // with probability 6e-7.
  const double bit = terms.one_if_mean(1);
  const double stddev =
      std::sqrt(static_cast<double>(users) * bit * (1 - bit)) / std::tanh(terms.estimate_cost / 2);
  EXPECT_NEAR(result.periods[255].bias, 0, 5 * stddev / 20);
  EXPECT_NEAR(result.periods[255].stddev / stddev, 1, 0.02);
}

// A setting with answers: few and long epochs. A full move then has the highest level, and users
// may vote on it at once.
TEST(Thresh, AnswersFromTheFirstOfFewLongEpochsOn) {
  const std::uint64_t users = 3000;
  ProtocolSettings settings{users, 16384, 1, *Epsilon::parse("4")};
  settings.constants.set(kThreshEpoch, 2048);
  const ThreshTerms terms = *ThreshTerms::create(settings);
  ASSERT_EQ(terms.num_epochs, 8U);
  ASSERT_GT(1 / (2 * terms.radius), 4);  // a full move is of level 3, the highest
  const Population population =
      *Population::named("static", {users, 16384, 1}, SimulationKey::from_seed(1));
  const SimulationResult result = run(population, settings, 600);
  EXPECT_DOUBLE_EQ(result.undetermined, 2047.0 / 16384);
  // One update, of values 0 and 1: a Bernoulli of e^b'/(e^b'+1) or its complement a user. Errors of
  // a trial are all the same, so 600 of them have a standard error of 3%.
  const double bit = terms.one_if_mean(1);
  const double stddev =
      std::sqrt(static_cast<double>(users) * bit * (1 - bit)) / std::tanh(terms.estimate_cost / 2);
  EXPECT_NEAR(result.rmse / stddev, 1, 0.05);
}

TEST(Thresh, DoesNotUpdateWhenNobodyMoves) {
  const ProtocolSettings settings = thresh_settings(10'000, 4096, 2);
  const Population nobody =
      *Population::from_panel({}, {10'000, 4096, 2}, SimulationKey::from_seed(1));
  // A vote of no is a fair binomial: past the margin with probability 0.05 / 10 in all epochs.
  EXPECT_EQ(run(nobody, settings, 10).undetermined, 1);
}

TEST(ThreshClient, SendsAVoteAndAnEstimateAnEpochAtTheRatesItStates) {
  ProtocolSettings settings = thresh_settings(10, 128, 1);
  settings.constants.set(kThreshEpoch, 64);
  settings.constants.set(kThreshDelta, 0.9);
  const ThreshTerms terms = *ThreshTerms::create(settings);
  ASSERT_LT(2 * terms.radius, 1);
  const ClientRun client = *(*make_simulated_protocol("thresh", settings))->client();
  // The user turns on in epoch 2. Level 0 may vote there. Its one estimate went to epoch 1.
  constexpr int kRuns = 100'000;
  double ones[4] = {};
  ClientTranscript transcript;
  for (int run = 0; run < kRuns; ++run) {
    PhiloxSource source(SimulationKey::from_seed(9), Stream::kDevice, 0,
                        static_cast<std::uint64_t>(run));
    ASSERT_TRUE(client({65}, source, transcript));
    ASSERT_EQ(transcript.length(), 4U);
    for (std::uint32_t i = 0; i < 4; ++i) ones[i] += transcript.bit(i) / double{kRuns};
  }
  // There are 4 means; one is beyond 5 standard errors with probability 2.3e-6.
  const double expected[4] = {terms.one_if_no(), terms.one_if_mean(0), terms.one_if_yes(),
                              terms.one_if_mean(0)};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(ones[i], expected[i], 5 * 0.5 / std::sqrt(kRuns)) << i;
}

}  // namespace
}  // namespace futurerand::thresh
