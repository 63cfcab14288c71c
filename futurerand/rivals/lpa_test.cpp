#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::lpa {
namespace {

ProtocolSettings settings_of(std::uint64_t users, Period periods, const char* epsilon,
                             std::optional<double> window = {}) {
  ProtocolSettings settings{users, periods, 4, *Epsilon::parse(epsilon)};
  if (window) settings.constants.set({"lpa-window", "", "", {}}, *window);
  return settings;
}

SimulationResult run(const ProtocolSettings& settings, std::string_view people,
                     std::uint64_t trials) {
  SimulationSettings simulation;
  simulation.key = SimulationKey::from_seed(8);
  simulation.trials = trials;
  simulation.threads = 2;
  const Population population = *Population::named(
      people, {settings.num_users, settings.num_periods, settings.max_changes}, simulation.key);
  const auto protocol = make_simulated_protocol("lpa", settings);
  return *simulate(**protocol, population, true_counts(population, Workers(1)), simulation);
}

TEST(LpaGuarantee, IsOfTheSequenceOnlyIfTheWindowIs) {
  const auto whole = *make_simulated_protocol("lpa", settings_of(100, 10, "0.5"));
  EXPECT_EQ(whole->traits().guarantee, Guarantee::kWholeSequence);
  EXPECT_EQ(whole->sequence_loss().epsilon, 0.5);
  const auto window = *make_simulated_protocol("lpa", settings_of(100, 10, "0.5", 4));
  EXPECT_EQ(window->traits().guarantee, Guarantee::kWindow);
  EXPECT_EQ(window->sequence_loss().epsilon, 1.5);  // a user may be asked in periods 1, 5 and 9
  EXPECT_FALSE(make_simulated_protocol("lpa", settings_of(100, 10, "0.5", 11)));
}

TEST(LpaClient, ReportsOnceAWindow) {
  const auto protocol = *make_simulated_protocol("lpa", settings_of(100, 10, "1", 4));
  const ClientRun client = *protocol->client();
  ClientTranscript sent;
  constexpr int kRuns = 50'000;
  int kept = 0, reports = 0;
  for (int run = 0; run < kRuns; ++run) {
    PhiloxSource source(SimulationKey::from_seed(4), Stream::kDevice, 0,
                        static_cast<std::uint64_t>(run));
    ASSERT_TRUE(client({5}, source, sent));
    ASSERT_EQ(sent.length(), sent.header <= 2 ? 3U : 2U);
    for (std::uint32_t i = 0; i < sent.length(); ++i) {
      kept += sent.bit(i) == (sent.header + 4 * i >= 5);
      ++reports;
    }
  }
  // Randomized response of epsilon 1; beyond 5 standard errors with probability 6e-7.
  EXPECT_NEAR(double{1} * kept / reports, 1 / (1 + std::exp(-1)), 5 * 0.5 / std::sqrt(reports));
}

// All publishers together publish a constant count, sooner or later.
TEST(LpaSimulated, HoldsAStillCount) {
  const SimulationResult result = run(settings_of(20'000, 8, "8"), "static", 50);
  EXPECT_EQ(result.undetermined, 0);
  // In period 1 an eighth of half the users publish: 1,250 of them; 3 in 10 hold 1.
  const double sampling = 20'000 * std::sqrt(0.3 * 0.7 / 1250);
  EXPECT_NEAR(result.periods[0].bias, 0, 5 * sampling / std::sqrt(50));
  EXPECT_LT(result.rmse, 1.5 * sampling);
}

TEST(LpaSimulated, FollowsACountWithinAWindow) {
  const SimulationResult whole = run(settings_of(50'000, 64, "2"), "adoption", 10);
  const SimulationResult window = run(settings_of(50'000, 64, "2", 8), "adoption", 10);
  EXPECT_LT(whole.rmse, 0.1 * 50'000);
  EXPECT_LT(window.rmse, whole.rmse / 1.5);  // eight times the reports, for eight times the loss
}

// The anchors come from an independent program, in units of sqrt(n): 100,000 users, 256 periods, 4
// changes, the window is the horizon. The program differs in details left open by the papers.
TEST(LpaSimulated, ErrsAsAnIndependentProgramSays) {
  const double root = std::sqrt(100'000);
  EXPECT_NEAR(run(settings_of(100'000, 256, "1"), "uniform", 12).rmse / root, 14.5, 0.08 * 14.5);
  EXPECT_NEAR(run(settings_of(100'000, 256, "4"), "uniform", 12).rmse / root, 9.7, 0.08 * 9.7);
}

TEST(LpaSimulated, RefusesTablesThatAreTooLarge) {
  EXPECT_FALSE(make_simulated_protocol("lpa", settings_of(10, 8192, "1")));
}

}  // namespace
}  // namespace futurerand::lpa
