#include "futurerand/collector/api/address_rates.hpp"

#include <string>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

Address neighbour(int number) {
  return *Address::parse("10." + std::to_string(number / 65536) + "." +
                         std::to_string(number / 256 % 256) + "." + std::to_string(number % 256));
}

TEST(AddressRates, WhatIsOwedIsPaidBackFirst) {
  AddressRates rates({.lines_per_second = 100, .enrolments_per_hour = 3600});
  const Address one = neighbour(1);
  EXPECT_EQ(rates.take(one, 1'500, 0, 0), RateVerdict::kTaken);  // 1,000 at once, and a debt of 500
  EXPECT_EQ(rates.take(one, 1, 0, 1), RateVerdict::kTooManyLines);
  EXPECT_EQ(rates.take(one, 0, 0, 1), RateVerdict::kTaken);
  EXPECT_EQ(rates.take(one, 1, 0, 6), RateVerdict::kTaken);
  EXPECT_EQ(rates.take(neighbour(2), 1, 0, 1), RateVerdict::kTaken);
}

TEST(AddressRates, EnrolmentsAreCountedApart) {
  AddressRates rates({.lines_per_second = 0, .enrolments_per_hour = 3600});
  const Address one = neighbour(1);
  EXPECT_EQ(rates.take(one, 5'000'000, 4'000, 0), RateVerdict::kTaken);
  EXPECT_EQ(rates.take(one, 5'000'000, 0, 0), RateVerdict::kTaken);
  EXPECT_EQ(rates.take(one, 1, 1, 399), RateVerdict::kTooManyEnrolments);
  EXPECT_EQ(rates.take(one, 1, 1, 402), RateVerdict::kTaken);
  EXPECT_EQ(rates.take(*Address::parse("127.0.0.1"), 1, 1'000'000, 0), RateVerdict::kTaken);
  EXPECT_EQ(rates.take(*Address::parse("127.0.0.1"), 1, 1'000'000, 0), RateVerdict::kTaken);
}

TEST(AddressRates, BytesAreChargedBeforeAnybodyReadsThem) {
  AddressRates rates({.lines_per_second = 100, .enrolments_per_hour = 3600});
  const Address one = neighbour(1);
  const auto burst = static_cast<std::uint64_t>(1000 * AddressRates::kBytesPerLine);
  EXPECT_EQ(rates.take_bytes(one, burst / 2, 0), RateVerdict::kTaken);
  EXPECT_EQ(rates.take_bytes(one, burst, 0), RateVerdict::kTaken);  // a debt of half of it
  EXPECT_EQ(rates.take_bytes(one, 1, 1), RateVerdict::kTooManyBytes);
  EXPECT_EQ(rates.take_bytes(neighbour(2), 1, 1), RateVerdict::kTaken);
  EXPECT_EQ(rates.take(one, 1, 0, 1), RateVerdict::kTaken);
  EXPECT_EQ(rates.take_bytes(one, 1, 6), RateVerdict::kTaken);
  EXPECT_EQ(rates.take_bytes(*Address::parse("127.0.0.1"), 100 * burst, 6), RateVerdict::kTaken);
  EXPECT_EQ(rates.take_bytes(*Address::parse("127.0.0.1"), 100 * burst, 6), RateVerdict::kTaken);
}

TEST(AddressRates, ManyAddressesDoNotFreeOneThatOwes) {
  AddressRates rates({.lines_per_second = 100, .enrolments_per_hour = 1000});
  const Address flood = neighbour(0);
  EXPECT_EQ(rates.take(flood, 0, 100'000, 0), RateVerdict::kTaken);
  for (int i = 1; i < 200'000; ++i) (void)rates.take(neighbour(i), 1, 1, i * 1e-3);
  EXPECT_EQ(rates.take(flood, 0, 1, 200), RateVerdict::kTooManyEnrolments);
}

}  // namespace
}  // namespace futurerand
