// Real clients must never appear to lose more than promised; broken ones must. Fixed seeds: with
// another one, a real client at its full budget is wrongly accused with probability 1e-4 at most.
#include "futurerand/audit/empirical.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/law/future_rand.hpp"
#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/warner.hpp"
#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

constexpr Period kPeriods = 8;
constexpr std::uint32_t kAuditedChanges = 3;

EmpiricalAudit audit(const ClientRun& client, Period periods = kPeriods,
                     std::uint32_t changes = kAuditedChanges) {
  EmpiricalSettings settings;
  settings.key = SimulationKey::from_seed(21);
  settings.samples = 40'000;
  settings.threads = 2;
  return *audit_empirically(client, audited_pairs(periods, changes, settings.key), settings);
}

ProtocolSettings settings_of(std::string_view epsilon = "1") {
  return {1000, kPeriods, kAuditedChanges, *Epsilon::parse(epsilon)};
}

std::unique_ptr<SimulatedProtocol> protocol_of(std::string_view name,
                                               const ProtocolSettings& settings) {
  return *make_simulated_protocol(name, settings);
}

ClientRun client_of(std::string_view name, const ProtocolSettings& settings) {
  return *protocol_of(name, settings)->client();
}

class RealClients : public testing::TestWithParam<std::string_view> {};

TEST_P(RealClients, StayBelowTheirBudget) {
  const EmpiricalAudit result = audit(client_of(GetParam(), settings_of()));
  EXPECT_LT(result.epsilon_at_least, 1);
  EXPECT_GE(result.num_pairs, 10U);
  EXPECT_EQ(result.judged, 20'000U);
}

INSTANTIATE_TEST_SUITE_P(PrivateOverTheSequence, RealClients,
                         testing::Values("innovation", "hybrid", "optimal", "future_rand", "warner",
                                         "erlingsson", "bun", "snapshot", "repeated",
                                         "future_scaled", "exsub", "ddrm", "lpa", "sparse_vector",
                                         "thresh"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(SparseInnovation, StaysBelowItsBudget) {
  const ProtocolSettings settings{1000, 24, 1, *Epsilon::parse("4")};
  const EmpiricalAudit result = audit(client_of("innovation", settings), 24, 1);
  EXPECT_LT(result.epsilon_at_least, 4);
  EXPECT_GT(result.epsilon_at_least, 0.5);  // and something is seen
}

// A useless bound would pass the test above.
TEST(RealClients, AreNearlyCaughtWhereTheySpendAllOfTheirBudget) {
  EXPECT_GT(audit(client_of("snapshot", settings_of())).epsilon_at_least, 0.85);
  EXPECT_GT(audit(client_of("optimal", settings_of())).epsilon_at_least, 0.7);
  EXPECT_GT(audit(client_of("sparse_vector", settings_of())).epsilon_at_least, 0.1);
}

TEST(PerValueClients, AreCaughtOverTheSequence) {
  EXPECT_GT(audit(client_of("dbitflip", settings_of())).epsilon_at_least, 3);
  ProtocolSettings settings = settings_of();
  settings.constants.set({"rappor-p", "", "", {}}, 0.1);
  settings.constants.set({"rappor-q", "", "", {}}, 0.9);
  EXPECT_GT(audit(client_of("rappor", settings)).epsilon_at_least, 1.5);
  EXPECT_GT(*protocol_of("rappor", settings)->sequence_loss().epsilon, 1.5);
  EXPECT_FALSE(protocol_of("dbitflip", settings)->sequence_loss().epsilon);
  EXPECT_FALSE(protocol_of("central_tree", settings)->client());
}

// Sends changes of order 0 through the noise of `minus`, one sign a change; zeros are fair coins.
template <typename Sign>
void send_changes(const Flips& flips, RandomSource& source, ClientTranscript& sent, Sign&& minus) {
  UniformBits bits(source);
  std::uint32_t used = 0;
  std::size_t next = 0;
  for (Period t = 1; t <= kPeriods; ++t) {
    const bool coin = bits.word() & 1U;
    if (next == flips.size() || flips[next] != t) {
      sent.append(coin);
      continue;
    }
    const bool down = next++ % 2 == 1;
    sent.append(minus(used++, coin) != down);
  }
}

TEST(BrokenClients, ThatDrawTheNoiseAgainForEveryChange) {
  const ClientRun client =
      [law = *LawSampler::create(optimal(kAuditedChanges, *Epsilon::parse("1")))](
          const Flips& flips, RandomSource& source, ClientTranscript& sent) {
        sent.clear();
        send_changes(flips, source, sent, [&](std::uint32_t used, bool coin) {
          return used < kAuditedChanges ? law.draw(source)->is_minus(0) : coin;
        });
        return true;
      };
  EXPECT_GT(audit(client).epsilon_at_least, 1.05);
}

TEST(BrokenClients, ThatDrawTheNoiseAgainForEverySend) {
  const ClientRun once = client_of("snapshot", settings_of());
  const ClientRun twice = [once](const Flips& flips, RandomSource& source, ClientTranscript& sent) {
    // The server lost the answer and asks again: the same report comes with other noise.
    if (!once(flips, source, sent)) return false;
    ClientTranscript again;
    do {
      if (!once(flips, source, again)) return false;
    } while (again.header != sent.header);
    for (std::uint32_t i = 0; i < again.length(); ++i) sent.append(again.bit(i));
    return true;
  };
  EXPECT_GT(audit(twice).epsilon_at_least, 1.5);
}

TEST(BrokenClients, ThatDoNotStopAfterTheLastChangeAllowed) {
  const ClientRun client =
      [law = *LawSampler::create(optimal(kAuditedChanges, *Epsilon::parse("1")))](
          const Flips& flips, RandomSource& source, ClientTranscript& sent) {
        sent.clear();
        const SignVector noise = *law.draw(source);
        send_changes(flips, source, sent, [&](std::uint32_t used, bool) {
          return noise.is_minus(used % kAuditedChanges);
        });
        return true;
      };
  EXPECT_GT(audit(client).epsilon_at_least, 2);
}

TEST(BrokenClients, WhoseEpsilonTildeIsTenTimesTooLarge) {
  for (const Law& law : {Law(warner(kAuditedChanges, *Epsilon::parse("10"))),
                         Law(future_rand(kAuditedChanges, *Epsilon::parse("10")))}) {
    const ClientRun client = [law = *LawSampler::create(law)](
                                 const Flips& flips, RandomSource& source, ClientTranscript& sent) {
      sent.clear();
      const SignVector noise = *law.draw(source);
      send_changes(flips, source, sent, [&](std::uint32_t used, bool coin) {
        return used < kAuditedChanges ? noise.is_minus(used) : coin;
      });
      return true;
    };
    EXPECT_GT(audit(client).epsilon_at_least, 1.5);
  }
}

TEST(Empirical, IsTheSameWhateverTheNumberOfThreads) {
  const ClientRun client = client_of("hybrid", settings_of());
  EmpiricalSettings settings;
  settings.key = SimulationKey::from_seed(4);
  settings.samples = 20'000;
  const auto pairs = audited_pairs(kPeriods, kAuditedChanges, settings.key);
  const EmpiricalAudit one = *audit_empirically(client, pairs, settings);
  settings.threads = 3;
  const EmpiricalAudit three = *audit_empirically(client, pairs, settings);
  EXPECT_EQ(one.epsilon_at_least, three.epsilon_at_least);
  EXPECT_EQ(one.seen_likely, three.seen_likely);
  EXPECT_EQ(one.likely, three.likely);
}

TEST(Empirical, WorksForLongAndShortHorizonsAndMoreChangesThanPeriods) {
  for (const Period periods : {1U, 2U, 100U}) {
    ProtocolSettings settings = settings_of();
    settings.num_periods = periods;
    const EmpiricalAudit result = audit(client_of("hybrid", settings), periods, kAuditedChanges);
    EXPECT_LT(result.epsilon_at_least, 1) << periods;
    EXPECT_GE(result.num_pairs, 1U);
  }
}

TEST(Empirical, StopsWhenAskedToAndWhenTheClientFails) {
  std::atomic<bool> cancel{true};
  EmpiricalSettings settings;
  settings.cancel = &cancel;
  const ClientRun client = client_of("snapshot", settings_of());
  EXPECT_EQ(audit_empirically(client, {{{}, {1}}}, settings).error().message, "interrupted");
  settings.cancel = nullptr;
  settings.samples = 100;
  const ClientRun broken = [](const Flips&, RandomSource&, ClientTranscript&) { return false; };
  EXPECT_FALSE(audit_empirically(broken, {{{}, {1}}}, settings));
}

}  // namespace
}  // namespace futurerand
