// A device states its segment on joining, in the clear, and never another one.
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/history.hpp"
#include "futurerand/client/rolling_client.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;

MetricTerms segment_terms(bool endless = false) {
  Plan plan = *make_plan(Protocol::kInnovation, 8, 1, *Epsilon::parse("1"), Initial::kUnknown);
  plan.segments = *Segments::create("platform", {"linux", "mac"});
  MetricTerms terms{"by-platform", *CertifiedPlan::create(plan), {1'700'000'000, 3600}};
  if (endless) terms.seasons = *Calendar::create(8, 8, 0);
  return terms;
}

Result<Client> open_in(DeviceUnderTest& device, std::string_view segment) {
  return Client::open(device.terms, 1, device.ledger, device.store, device.entropy, segment);
}

TEST(ClientSegments, AreStatedInTheClearAndNeverChange) {
  DeviceUnderTest device(segment_terms());
  ClientId id;
  {
    Result<Client> client = open_in(device, "mac");
    ASSERT_TRUE(client) << client.error().message;
    id = client->id();
    EXPECT_EQ(client->segment(), "mac");
    const Outbox outbox = client->outbox();
    ASSERT_TRUE(outbox.enrolment);
    EXPECT_EQ(outbox.enrolment->segment, "mac");
    EXPECT_EQ(to_lines(outbox),
              "{\"client\":\"" + to_hex(id) + "\",\"view\":0,\"period\":1,\"segment\":\"mac\"}\n");
    EXPECT_TRUE(client->outbox_of(to_lines(outbox)));
  }
  // The application says another one later, before the enrolment was acknowledged and after.
  for (const bool acknowledged : {false, true}) {
    Result<Client> client = open_in(device, "linux");
    ASSERT_TRUE(client) << client.error().message;
    EXPECT_EQ(client->id(), id);
    EXPECT_EQ(client->segment(), "mac");
    if (!acknowledged) {
      EXPECT_EQ(client->outbox().enrolment->segment, "mac");
      ASSERT_TRUE(client->acknowledge(0));
    }
    // A collector that lost the enrolment gets the same one again.
    ASSERT_TRUE(client->send_again(0));
    EXPECT_EQ(client->outbox().enrolment->segment, "mac");
    ASSERT_TRUE(client->acknowledge(0));
  }
}

TEST(ClientSegments, AMissingOrUnknownOneIsRefusedAndSpendsNothing) {
  DeviceUnderTest device(segment_terms());
  for (const auto& [segment, message] :
       {std::pair("",
                  "the metric 'by-platform': the segment is missing; expected platform as one "
                  "of linux, mac"),
        std::pair("amiga",
                  "the metric 'by-platform': the segment 'amiga' is unknown; expected "
                  "platform as one of linux, mac")}) {
    const Result<Client> client = open_in(device, segment);
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().message, message);
    EXPECT_EQ(client.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(device.ledger.find("by-platform"), nullptr);
  }
  DeviceUnderTest plain(test::terms_of("plain", Protocol::kInnovation, 8));
  const Result<Client> client = open_in(plain, "mac");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().message,
            "the metric 'plain': the metric has no segments; expected none to be stated");
}

// The segments are part of the plan, hence of the terms: a server cannot change their meaning.
TEST(ClientSegments, OtherSegmentsAreOtherTerms) {
  DeviceUnderTest device(segment_terms());
  ASSERT_TRUE(open_in(device, "mac"));
  Plan plan = device.terms.plan.plan();
  plan.segments = *Segments::create("platform", {"mac", "linux"});
  const MetricTerms swapped{device.terms.name, *CertifiedPlan::create(plan), device.terms.clock};
  EXPECT_NE(swapped.digest(), device.terms.digest());
  const Result<Client> client =
      Client::open(swapped, 1, device.ledger, device.store, device.entropy, "mac");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kRefused);
}

TEST(ClientSegments, EachSeasonStatesItsOwn) {
  DeviceUnderTest device(segment_terms(true));
  const auto open = [&](Period period, std::string_view segment) {
    device.ledger.believe(1'700'000'000 + (period - 1) * 3600);
    return RollingClient::open(device.terms, period, device.ledger, device.store, device.entropy,
                               segment);
  };
  Period joined = 1;
  {
    Result<RollingClient> client = open(1, "linux");
    ASSERT_TRUE(client) << client.error().message;
    ASSERT_TRUE(client->observe(joined, true));
    ASSERT_NE(client->live(), nullptr);
    EXPECT_EQ(client->live()->segment(), "linux");
  }
  {
    Result<RollingClient> client = open(2, "mac");
    ASSERT_TRUE(client->observe(2, true));
    EXPECT_EQ(client->live()->segment(), "linux");
  }
  Result<RollingClient> client = open(9, "mac");
  ASSERT_TRUE(client->observe(9, true));
  ASSERT_NE(client->live(), nullptr);
  EXPECT_EQ(client->live()->segment(), "mac");
  EXPECT_FALSE(open(9, "amiga"));
}

}  // namespace
}  // namespace futurerand
