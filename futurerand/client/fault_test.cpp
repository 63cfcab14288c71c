// Injects faults at every call of the system's entropy, of the store and of the clock. After any
// fault, every line seen was durable before, no index is randomized twice, and nothing is drawn
// from failed entropy. getrandom, or BCryptGenRandom, is replaced here by a function that fails on
// request.
#include <cerrno>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#ifdef _WIN32
#include <random>
#else
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "futurerand/client/client.hpp"
#include "futurerand/client/drawn_device.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/wire/sign_text.hpp"

namespace {

enum class GetrandomFault { kNone, kError, kNothing, kInterrupted, kShort };

struct GetrandomScript {
  int calls = 0;
  int faulty_call = 0;  // from 1
  GetrandomFault fault = GetrandomFault::kNone;
};
GetrandomScript getrandom_script;

}  // namespace

// This takes the place of the system's in this program.
#ifdef _WIN32
extern "C" long BCryptGenRandom(void*, unsigned char* bytes, unsigned long size, unsigned long) {
  // Windows gives all bytes or an error.
  if (++getrandom_script.calls == getrandom_script.faulty_call &&
      (getrandom_script.fault == GetrandomFault::kError ||
       getrandom_script.fault == GetrandomFault::kNothing)) {
    return -1;
  }
  std::random_device source;
  for (unsigned long i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(source());
  return 0;
}
#else
extern "C" ssize_t getrandom(void* bytes, std::size_t size, unsigned flags) {
  if (++getrandom_script.calls == getrandom_script.faulty_call) {
    switch (getrandom_script.fault) {
      case GetrandomFault::kError:
        errno = EIO;
        return -1;
      case GetrandomFault::kNothing:
        return 0;
      case GetrandomFault::kInterrupted:
        errno = EINTR;
        return -1;
      case GetrandomFault::kShort:
        size = 3;
        break;
      case GetrandomFault::kNone:
        break;
    }
  }
  return syscall(SYS_getrandom, bytes, size, flags);
}
#endif

namespace futurerand {
namespace {

using test::terms_of;
using test::terms_of_values;

const Epsilon kPlenty = *Epsilon::parse("16");

class FaultyGetrandom {
 public:
  FaultyGetrandom(int call, GetrandomFault fault) { getrandom_script = {0, call, fault}; }
  ~FaultyGetrandom() { getrandom_script = {}; }
  FaultyGetrandom(const FaultyGetrandom&) = delete;
  FaultyGetrandom& operator=(const FaultyGetrandom&) = delete;
  bool happened() const { return getrandom_script.calls >= getrandom_script.faulty_call; }
};

// A virtual machine that is resumed twice from one snapshot has the buffer of then in both. The
// kernel reseeds itself on resuming: so nothing of a device is drawn before it joins.
TEST(FaultOfGetrandom, NobodyJoinsWithWordsThatWereDrawnBefore) {
  SystemEntropy entropy;
  std::uint64_t word = 0;
  ASSERT_TRUE(entropy.fill({&word, 1}));  // and more, which is kept
  const FaultyGetrandom refused(1, GetrandomFault::kError);
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, kPlenty);
  const Result<Client> client =
      Client::open(terms_of("m", Protocol::kRepeated, 64), 1, ledger, store, entropy);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kNoEntropy);
  EXPECT_TRUE(store.records().empty());
}

TEST(FaultOfGetrandom, EntropyFailsClosedAtEveryCall) {
  for (const std::size_t size : {1U, 8U, 511U, 512U, 2000U}) {
    for (int call = 1; call <= 3; ++call) {
      for (const GetrandomFault fault : {GetrandomFault::kError, GetrandomFault::kNothing}) {
        const FaultyGetrandom faulty(call, fault);
        SystemEntropy entropy;
        std::vector<std::uint64_t> words(size);
        bool filled = true;
        for (int round = 0; round < 2000 && filled; ++round) filled = entropy.fill(words);
        EXPECT_FALSE(filled) << size << " words, call " << call;
        // It is back afterwards, and no word is what a read that failed left behind.
        EXPECT_TRUE(entropy.fill(words));
        for (const std::uint64_t word : words) EXPECT_NE(word, 0U);
      }
      for (const GetrandomFault fault : {GetrandomFault::kInterrupted, GetrandomFault::kShort}) {
        const FaultyGetrandom faulty(call, fault);
        SystemEntropy entropy;
        for (int round = 0; !faulty.happened(); ++round) {
          std::vector<std::uint64_t> words(size);
          ASSERT_TRUE(entropy.fill(words));
          // No word was left out; one in 2^64 is 0.
          for (const std::uint64_t word : words) ASSERT_NE(word, 0U);
        }
      }
    }
  }
}

TEST(FaultOfGetrandom, NobodyJoinsWithoutEntropy) {
  for (const Protocol protocol : kProtocols) {
    // Each fill reads the system anew, so that every draw of joining is a call that can fail.
    class Unbuffered final : public RandomSource {
     public:
      bool fill(std::span<std::uint64_t> words) override { return SystemEntropy().fill(words); }
    };
    const MetricTerms terms = terms_of("m", protocol, 64);
    int failures = 0;
    for (int call = 1; failures == call - 1; ++call) {
      const FaultyGetrandom faulty(call, GetrandomFault::kError);
      MemoryStateStore store;
      Ledger ledger = *Ledger::open(store, kPlenty);
      Unbuffered entropy;
      const Result<Client> client = Client::open(terms, 1, ledger, store, entropy);
      if (client) {
        EXPECT_FALSE(faulty.happened());
        break;
      }
      ++failures;
      EXPECT_EQ(client.error().code, ErrorCode::kNoEntropy);
      EXPECT_TRUE(store.records().empty());
      EXPECT_TRUE(ledger.entries().empty());
    }
    EXPECT_GE(failures, 8) << name_of(protocol);  // id, view, noise, key
  }
}

// This store counts its calls and fails at one of them; a save that fails may have been made or
// not.
class FaultyStore final : public StateStore {
 public:
  Result<std::optional<Bytes>> load(std::string_view record) override {
    if (fails()) return Error{"cannot read", ErrorCode::kDamaged};
    return memory.load(record);
  }
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
    if (!fails()) return memory.save(record, bytes);
    if (made_all_the_same && !memory.save(record, bytes)) std::abort();
    return Error{"cannot write", ErrorCode::kNoRoom};
  }
  Result<std::vector<std::string>> names() override {
    if (fails()) return Error{"cannot list", ErrorCode::kDamaged};
    return memory.names();
  }

  MemoryStateStore memory;
  int calls = 0;
  int faulty_call = 0;
  bool made_all_the_same = false;

 private:
  bool fails() { return ++calls == faulty_call; }
};

// This is what a server has seen: one sign for each index of each id, ever.
class Server {
 public:
  void receive(const Outbox& outbox, std::uint32_t stride) {
    for (const Report& report : outbox.reports) {
      std::uint32_t index = report.first_index;
      for (const char sign : to_text(report.signs)) {
        const auto [seen, is_new] = signs_.try_emplace({report.client, index}, sign);
        EXPECT_EQ(seen->second, sign) << "index " << index << " was randomized twice";
        index += stride;
      }
    }
    for (const Report& report : outbox.reports) ids_[report.client] = true;
    if (outbox.enrolment) ids_[outbox.enrolment->client] = true;
  }
  std::size_t num_ids() const { return ids_.size(); }

 private:
  std::map<std::pair<ClientId, std::uint32_t>, char> signs_;
  std::map<ClientId, bool> ids_;
};

// Returns what is durable now, as someone who finds the records would send it.
std::string durable_lines(const MetricTerms& terms, const MemoryStateStore& records,
                          Period running) {
  MemoryStateStore copy = records;
  Result<Ledger> ledger = Ledger::open(copy, kPlenty);
  if (!ledger) return "";
  testing_sources::FailingSource nothing(0);
  Result<Client> client = Client::open(terms, 1, *ledger, copy, nothing);
  if (!client) return "";
  client->begin_period(running);
  return to_lines(client->outbox());
}

// Returns another value for each step, of the kind that the metric takes.
Value value_at(const Client& client, Period step) {
  if (client.coding().kind() == CodingKind::kNumber) return static_cast<double>(step % 5) / 4;
  return step % 2 == 1;
}

// The device lives twelve periods, and its process is started anew for each; after a fault it tries
// the period again, with another value.
void live_with_faults(const MetricTerms& terms, FaultyStore& store, std::uint64_t seed) {
  const Plan& plan = terms.plan.plan();
  Server server;
  testing_sources::SeededSource entropy(seed);
  for (Period t = 1; t <= 12; ++t) {
    for (int attempt = 0; attempt < 3; ++attempt) {
      Result<Ledger> ledger = Ledger::open(store, kPlenty);
      if (!ledger) continue;
      Result<Client> client = Client::open(terms, t, *ledger, store, entropy);
      if (!client) continue;
      const Status seen =
          client->observe(t, value_at(*client, t / 3 + static_cast<Period>(attempt)));
      const Outbox outbox = client->outbox();
      EXPECT_TRUE(seen || client->now() < t);
      // Nothing is shown that the store does not have; after a failure it may have more.
      if (seen) {
        EXPECT_EQ(to_lines(outbox), durable_lines(terms, store.memory, t));
      }
      const View& view = plan.views[client->view()];
      server.receive(outbox, Schedule(view, plan.num_periods).stride);
      if (seen && client->acknowledge(outbox.next_index)) break;
    }
  }
  EXPECT_LE(server.num_ids(), 1U) << "joined twice";
}

void live_with_every_fault(const MetricTerms& terms) {
  for (const bool made : {false, true}) {
    for (int call = 1;; ++call) {
      FaultyStore store;
      store.faulty_call = call;
      store.made_all_the_same = made;
      live_with_faults(terms, store, static_cast<std::uint64_t>(call));
      if (store.calls < call) break;  // one whole life without a fault
      ASSERT_LT(call, 1000);
    }
  }
}

TEST(FaultOfTheStore, NoFaultSendsWhatIsNotDurableOrAnIndexTwice) {
  for (const Protocol protocol :
       {Protocol::kHybrid, Protocol::kRepeated, Protocol::kSnapshot, Protocol::kInnovation}) {
    for (const char* epsilon : {"1", "4"}) {
      live_with_every_fault(terms_of("m", protocol, 12, epsilon));
    }
  }
  live_with_every_fault(terms_of_values(NumberCoding{0, 1, ""}, 12));
}

// A clock is wrong at one call: earlier, later, before the start, past the end. The device reads it
// once a period, joins in a period that exists, and never goes back.
TEST(FaultOfTheClock, NoReadingSendsAnIndexTwiceOrTooEarly) {
  const MetricTerms terms = terms_of("m", Protocol::kRepeated, 12);
  const std::int64_t start = terms.clock.start;
  const std::int64_t wrong[] = {INT64_MIN,          -1,       0, start - 1, start, start + 5 * 3600,
                                start + 100 * 3600, INT64_MAX};
  for (int faulty_call = 1; faulty_call <= 14; ++faulty_call) {
    for (const std::int64_t reading : wrong) {
      MemoryStateStore store;
      testing_sources::SeededSource entropy(7);
      Server server;
      for (int call = 1; call <= 14; ++call) {
        const std::int64_t right = start + (call - 1) * 3600 + 17;
        const Period period = terms.period_at(call == faulty_call ? reading : right);
        Ledger ledger = *Ledger::open(store, kPlenty);
        Result<Client> client = Client::open(terms, period, ledger, store, entropy);
        if (!client) {
          EXPECT_TRUE(period < 1 || period > 12 || !ledger.entries().empty());
          continue;
        }
        const Period before = client->now();
        const Status seen = client->observe(period, call % 3 == 0);
        EXPECT_GE(client->now(), before);
        EXPECT_EQ(static_cast<bool>(seen), period >= before);
        const Outbox outbox = client->outbox();
        // It sends only what the clock says is over, and what it said before.
        EXPECT_LE(outbox.next_index, std::max(period, before));
        server.receive(outbox, 1);
      }
      EXPECT_LE(server.num_ids(), 1U);
    }
  }
}

}  // namespace
}  // namespace futurerand
