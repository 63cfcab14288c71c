// What collectors hand to each other and put into rows, without a database.
#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "futurerand/collector/cluster/cluster_file.hpp"
#include "futurerand/collector/cluster/forwarded_batch.hpp"
#include "futurerand/collector/cluster/gathered_answer.hpp"
#include "futurerand/collector/cluster/joined_call.hpp"
#include "futurerand/collector/cluster/peers.hpp"
#include "futurerand/collector/cluster/shard_hash.hpp"
#include "futurerand/collector/cluster/shard_row.hpp"
#include "futurerand/collector/cluster/shard_runs.hpp"
#include "futurerand/collector/cluster/shared_look.hpp"
#include "futurerand/collector/log/thread_guard.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"
#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

ClientId client(std::uint8_t first, std::uint8_t second) {
  ClientId id;
  id.bytes[0] = first;
  id.bytes[1] = second;
  id.bytes[15] = 7;
  return id;
}

Batch some_batch() {
  Batch batch{3, {}, {}, 0, {}};
  batch.messages.push_back(Enrolment{client(1, 2), 1, 5, 2});
  batch.messages.push_back(Report{client(1, 2), 9, packed_signs("+-0-+++--")});
  batch.messages.push_back(Report{client(9, 9), 1, packed_signs("-")});
  batch.messages.push_back(Enrolment{client(2, 2), 1, 5, 2});
  batch.lines = {2, 3, 70000, 69};
  return batch;
}

std::string packed(const Batch& batch) {
  BatchBytes bytes;
  bytes.add(whole(batch));
  return bytes.bytes(batch.metric, 12);
}

TEST(ForwardedBatch, ComesBackAsItWas) {
  const Batch batch = some_batch();
  const Result<ForwardedBatch> read = parse_forwarded_batch(packed(batch));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->period, 12U);
  EXPECT_EQ(read->batch.metric, 3U);
  EXPECT_EQ(read->batch.lines, batch.lines);
  EXPECT_EQ(read->batch.messages, batch.messages);
  EXPECT_TRUE(read->batch.too_long.empty());
  // What is packed part by part is the same.
  const auto shared = std::make_shared<const Batch>(batch);
  BatchBytes parts;
  for (const auto& [begin, end] : {std::pair(0U, 1U), {1U, 3U}, {3U, 4U}}) {
    parts.add({shared, begin, end});
  }
  EXPECT_EQ(parts.bytes(3, 12), packed(batch));
}

TEST(ForwardedBatch, MayBeALineThatIsTooLong) {
  const Batch batch{3, {}, {}, 0, {{9, client(4, 4)}}};
  const Result<ForwardedBatch> read = parse_forwarded_batch(packed(batch));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->batch.messages.empty());
  EXPECT_EQ(read->batch.too_long, batch.too_long);
  EXPECT_FALSE(parse_forwarded_batch(packed({3, {}, {}, 0, {}})));
}

TEST(ShardRuns, AreOneForEachShardAndKeepTheOrderOfLines) {
  const ShardHash kShards("00112233445566778899aabbccddeeff", 8);
  // Seven clients of seven shards, whichever they are.
  std::vector<ClientId> clients(7);
  std::set<std::uint32_t> taken;
  for (std::uint8_t number = 0; taken.size() < clients.size(); ++number) {
    const ClientId one = client(1, number);
    if (taken.insert(kShards(one)).second) clients[taken.size() - 1] = one;
  }
  Batch batch{3, {}, {}, 0, {}};
  for (std::uint8_t number = 0; number < 100; ++number) {
    batch.messages.push_back(Report{clients[number % 7], number, packed_signs("+")});
    batch.lines.push_back(number + 1U);
  }
  const Batch before = batch;
  EXPECT_EQ(shard_runs(whole(batch), kShards).size(), 100U);
  order_by_shard(batch, kShards);
  const std::vector<ShardRun> runs = shard_runs(whole(batch), kShards);
  ASSERT_EQ(runs.size(), 7U);
  std::size_t at = 0;
  for (const ShardRun& run : runs) {
    EXPECT_EQ(run.begin, at);
    for (; at < run.end; ++at) {
      const std::size_t line = batch.line(at);
      EXPECT_EQ(kShards(clients[(line - 1) % 7]), run.shard);
      EXPECT_EQ(batch.message(at), before.messages[line - 1]);
      EXPECT_TRUE(at == run.begin || batch.line(at - 1) < line);
    }
  }
  EXPECT_EQ(at, 100U);
  // A part of it has its own.
  const std::vector<ShardRun> some =
      shard_runs({std::make_shared<const Batch>(batch), runs[1].begin + 1, runs[2].end}, kShards);
  ASSERT_EQ(some.size(), 2U);
  EXPECT_EQ(some[0].begin, runs[1].begin + 1);
  EXPECT_EQ(some[1].end, runs[2].end);
  const std::vector<ShardRun> too_long =
      shard_runs(whole({3, {}, {}, 0, {{9, client(0, 5)}}}), kShards);
  ASSERT_EQ(too_long.size(), 1U);
  EXPECT_EQ(too_long[0].shard, kShards(client(0, 5)));
  EXPECT_TRUE(shard_runs(whole({}), kShards).empty());
}

TEST(ForwardedBatch, OneThatIsCutOrLongerIsRefused) {
  const std::string bytes = packed(some_batch());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_forwarded_batch(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_forwarded_batch(bytes + bytes.substr(bytes.size() - 20)));
  std::string newer = bytes;
  newer[0] = 2;
  EXPECT_FALSE(parse_forwarded_batch(newer));
}

TEST(ForwardedBatch, ItsAnswerComesBackAsItWas) {
  ReportAnswer answer{{300, 2, 1, 4}, {{7, "gap", 12, ""}, {70000, "malformed", 0, "no"}}, 9};
  const std::string bytes = to_bytes(WriteAnswer{.batch = answer});
  const Result<WriteAnswer> read = parse_answer_bytes(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(read->batch), to_json(answer));
  EXPECT_FALSE(parse_answer_bytes(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(parse_answer_bytes(bytes + '\1'));
  EXPECT_FALSE(parse_answer_bytes(""));
}

TEST(JoinedCall, ComesApartAsItWas) {
  const std::vector<std::string_view> bodies = {"one", "", std::string_view("t\0o", 3)};
  const std::string joined = join_bodies(bodies);
  const Result<std::vector<std::string_view>> split = split_bodies(joined);
  ASSERT_TRUE(split);
  EXPECT_EQ(*split, bodies);
  EXPECT_FALSE(split_bodies(joined.substr(0, joined.size() - 1)));
  EXPECT_FALSE(split_bodies(joined + '\2'));
  EXPECT_FALSE(split_bodies(""));
  const std::vector<PeerReply> replies = {{200, "{}"}, {503, ""}, {429, "later"}};
  const std::string answer = join_replies(replies);
  const Result<std::vector<PeerReply>> read = split_replies(answer);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, replies);
  EXPECT_FALSE(split_replies(answer.substr(0, answer.size() - 1)));
  EXPECT_TRUE(split_bodies(join_bodies({}))->empty());
}

TEST(ThreadGuard, ATurnThatFailsIsToldAndTheNextOneCounts) {
  std::vector<std::string> told;
  const Say say = [&](Event event, const std::string& line) {
    EXPECT_EQ(event, Event::kThreadFailed);
    told.push_back(line);
  };
  EXPECT_FALSE(take_turn(say, "it", [] { throw std::runtime_error("no memory"); }));
  bool done = false;
  EXPECT_TRUE(take_turn(say, "it", [&] { done = true; }));
  EXPECT_TRUE(done);
  EXPECT_EQ(told, std::vector<std::string>{"it failed and goes on: no memory"});
}

TEST(Peers, ACallThatThrowsEndsTheProcessInOrder) {
  std::promise<std::string> died;
  Peers peers(
      [](const std::string&) {
        return [](const std::string&, const std::string&) -> Result<PeerReply> {
          throw std::runtime_error("no memory");
        };
      },
      10, [&](const std::string& line) { died.set_value(line); });
  peers.call("there:1", 0, "/path", "body", [](const Result<PeerReply>&, const std::string&) {
    ADD_FAILURE() << "nobody knows what was sent";
  });
  EXPECT_EQ(died.get_future().get(), "a call to another collector failed: no memory");
}

// Bodies that come while a call is under way are the next call, each with its own reply.
TEST(Peers, WhatWaitsGoesTogether) {
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::size_t> calls;  // how many bodies each had
  bool go_on = false;
  std::vector<std::string> replied;
  Peers peers(
      [&](const std::string&) {
        return [&](const std::string&, const std::string& body) -> Result<PeerReply> {
          const Result<std::vector<std::string_view>> bodies = split_bodies(body);
          std::vector<PeerReply> replies;
          for (const std::string_view one : *bodies) replies.push_back({200, std::string(one)});
          std::unique_lock lock(mutex);
          calls.push_back(bodies->size());
          wake.notify_all();
          wake.wait(lock, [&] { return go_on; });
          return PeerReply{200, join_replies(replies)};
        };
      },
      10, [](const std::string& line) { ADD_FAILURE() << line; });
  const auto call = [&](const std::string& body) {
    peers.call("there:1", 0, "/path", body,
               [&](const Result<PeerReply>& reply, const std::string& sent) {
                 const std::lock_guard lock(mutex);
                 replied.push_back(sent + "=" + (reply ? reply->body : "error"));
                 wake.notify_all();
               });
  };
  call("1");
  {
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return calls.size() == 1; });
  }
  for (const char* body : {"22", "333", "4444", "55555", "a body beyond the limit"}) call(body);
  std::unique_lock lock(mutex);
  go_on = true;
  wake.notify_all();
  wake.wait(lock, [&] { return replied.size() == 6; });
  EXPECT_EQ(calls, (std::vector<std::size_t>{1, 3, 1, 1}));
  EXPECT_EQ(replied[0], "1=1");
  EXPECT_EQ(replied[5], "a body beyond the limit=a body beyond the limit");
}

// A caller gets the result of a look that began after its question. Callers that ask meanwhile
// share the next look.
TEST(SharedLook, IsSharedByAllWhoAskMeanwhile) {
  std::mutex mutex;
  std::condition_variable wake;
  int looks = 0;
  bool go_on = false;
  std::vector<int> told;  // which look, or 0 if there was none
  SharedLook shared(
      [&] {
        std::unique_lock lock(mutex);
        ++looks;
        wake.notify_all();
        wake.wait(lock, [&] { return go_on; });
        return true;
      },
      std::chrono::milliseconds(50));
  const auto ask = [&] {
    shared.ask([&](bool done) {
      const std::lock_guard lock(mutex);
      told.push_back(done ? looks : 0);
      wake.notify_all();
    });
  };
  const auto begin = std::chrono::steady_clock::now();
  ask();
  {
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return looks == 1; });
  }
  for (int number = 0; number < 100; ++number) ask();
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(told.empty());
    go_on = true;
    wake.notify_all();
    wake.wait(lock, [&] { return told.size() == 101; });
    EXPECT_EQ(told.front(), 1);
    EXPECT_EQ(std::count(told.begin(), told.end(), 2), 100);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
  shared.stop();
  ask();
  EXPECT_EQ(told.back(), 0);
  EXPECT_EQ(looks, 2);
}

TEST(GatheredAnswer, ListsTheFirstErrorsByLine) {
  WriteAnswer got;
  int calls = 0;
  GatheredAnswer gathered(2, [&](WriteAnswer answer) {
    got = std::move(answer);
    ++calls;
  });
  WriteAnswer odd;
  WriteAnswer even;
  odd.batch.counts.rejected = even.batch.counts.rejected = 1000;
  for (std::uint32_t line = 1; line <= 2000; ++line) {
    (line % 2 == 1 ? odd : even).batch.add({line, "gap", 0, {}});
  }
  gathered.add(std::move(even));
  EXPECT_EQ(calls, 0);
  gathered.add(std::move(odd));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(got.batch.counts.rejected, 2000U);
  ASSERT_EQ(got.batch.errors.size(), 1000U);
  EXPECT_EQ(got.batch.errors.front().line, 1U);
  EXPECT_EQ(got.batch.errors.back().line, 1000U);
  EXPECT_EQ(got.batch.errors_not_shown, 1000U);
}

TEST(GatheredAnswer, OneRefusalRefusesAll) {
  WriteAnswer got;
  GatheredAnswer gathered(3, [&](WriteAnswer answer) { got = std::move(answer); });
  gathered.add({});
  gathered.add({.written = Written::kMoved});
  gathered.add({});
  EXPECT_EQ(got.written, Written::kMoved);
}

// Each verdict reaches the collector that forwarded the batch as it is.
TEST(ForwardedBatch, VerdictsComeBackAsTheyAre) {
  for (const Written written :
       {Written::kDurable, Written::kNoRoom, Written::kBusy, Written::kNoMemory, Written::kStopping,
        Written::kMoved, Written::kGone, Written::kClock}) {
    WriteAnswer answer{.written = written};
    answer.batch.counts.rejected = 1;
    answer.batch.add({7, "gap", 3, "\"no_room\""});
    const Result<WriteAnswer> back = parse_answer_bytes(to_bytes(answer));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->written, written);
    EXPECT_EQ(back->batch.counts.rejected, 1U);
    ASSERT_EQ(back->batch.errors.size(), 1U);
    EXPECT_EQ(back->batch.errors[0].message, "\"no_room\"");
  }
  EXPECT_FALSE(parse_answer_bytes(""));
  EXPECT_FALSE(parse_answer_bytes(std::string("\x08\0\0\0\0\0", 6)));
}

// The key is 00 01 .. 0f, and so is the client: the reference vector of SipHash-1-3.
TEST(Shards, AreAKeyedHashModuloTheirNumber) {
  ClientId counted;
  for (std::uint8_t at = 0; at < counted.bytes.size(); ++at) counted.bytes[at] = at;
  const std::string id = "07060504030201000f0e0d0c0b0a0908";
  const std::uint64_t hash = keyed_hash({0x0706050403020100, 0x0f0e0d0c0b0a0908}, counted);
  for (const std::uint32_t shards : {1U, 64U, 100U, 4096U}) {
    EXPECT_EQ(ShardHash(id, shards)(counted), hash % shards);
  }
  // Ids that begin alike do not fall together.
  std::set<std::uint32_t> hit;
  for (std::uint8_t number = 0; number < 200; ++number) {
    ClientId one = counted;
    one.bytes[15] = number;
    hit.insert(ShardHash(id, 8)(one));
  }
  EXPECT_EQ(hit.size(), 8U);
}

TEST(ClusterFile, SaysWhatIsWrong) {
  const auto error = [](const std::string& text) {
    const Result<ClusterFile> file = parse_cluster_file(text);
    return file ? std::string("none") : file.error().message;
  };
  const std::string secret(32, 's');
  EXPECT_EQ(error(R"({"databases":["host=a"],"secret":")" + secret + "\"}"), "none");
  EXPECT_NE(error(R"({"databases":[],"secret":")" + secret + "\"}").find("0 databases"),
            std::string::npos);
  EXPECT_NE(error(R"({"databases":["host=a"],"secret":"short"})").find("32"), std::string::npos);
  EXPECT_NE(error(R"({"databases":[1],"secret":")" + secret + "\"}").find("connection strings"),
            std::string::npos);
  EXPECT_NE(error("{}").find("databases"), std::string::npos);
  EXPECT_NE(error("nothing").find("the cluster file"), std::string::npos);
}

TEST(ClusterFile, TheIdNamesTheSecretWithoutTellingIt) {
  const ClusterFile one{{"host=a"}, std::string(32, 'a')};
  const ClusterFile same{{"host=b"}, std::string(32, 'a')};
  const ClusterFile other{{"host=a"}, std::string(32, 'b')};
  EXPECT_EQ(one.id(), same.id());
  EXPECT_NE(one.id(), other.id());
  EXPECT_EQ(one.id().size(), 32U);
}

}  // namespace
}  // namespace futurerand
