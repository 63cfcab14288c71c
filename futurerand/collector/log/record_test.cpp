#include "futurerand/collector/log/record.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(Record, ComesBack) {
  const ClientId client{{1, 2, 3, 255}};
  std::string messages;
  put_message(messages, Enrolment{client, 21, 1 << 20, 77});
  put_message(messages, client, 5, "+-+-+-+-+");
  put_message(messages, client, 7, "+0-");
  std::string group;
  put_record(group, MetricCreated{"a definition"});
  put_record(group, PeriodAdvanced{3, 1 << 20});
  put_record(group, MessagesAccepted{300, 12, messages});
  const std::vector<Record> lives = {MetricEnded{1, 4},
                                     MetricEnded{2, 300, true},
                                     MetricReopened{2},
                                     MetricArchived{3, true},
                                     MetricArchived{3, false},
                                     MetricDeleted{70'000},
                                     SeasonFinalized{400, std::string("\0\2", 2)},
                                     MetricImported{"another", 9, std::string("\0\1", 2)}};
  for (const Record& each : lives) put_record(group, each);
  const Result<std::vector<Record>> records = read_records(group);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 3 + lives.size());
  EXPECT_TRUE(std::equal(lives.begin(), lives.end(), records->begin() + 3));
  EXPECT_EQ(std::get<MetricCreated>((*records)[0]).definition, "a definition");
  EXPECT_EQ(std::get<PeriodAdvanced>((*records)[1]), (PeriodAdvanced{3, 1 << 20}));
  MessageReader reader(std::get<MessagesAccepted>((*records)[2]).bytes);
  Message message;
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(std::get<Enrolment>(message), (Enrolment{client, 21, 1 << 20, 77}));
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(std::get<Report>(message), (Report{client, 5, "+-+-+-+-+"}));
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(std::get<Report>(message), (Report{client, 7, "+0-"}));
  EXPECT_FALSE(reader.next(message));
  EXPECT_TRUE(reader.ok());
}

TEST(Record, RefusesWhatEndsTooEarly) {
  std::string group;
  put_record(group, MetricCreated{"a definition"});
  put_record(group, PeriodAdvanced{3, 4});
  for (std::size_t size = 1; size < group.size(); ++size) {
    const Result<std::vector<Record>> records = read_records(group.substr(0, size));
    if (records) {
      EXPECT_EQ(records->size(), 1U) << size;
    }
  }
  EXPECT_FALSE(read_records("\x09"));
  MessageReader huge("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01 and no signs");
  Message message;
  EXPECT_FALSE(huge.next(message));
  EXPECT_FALSE(huge.ok());
  MessageReader empty(std::string_view("\x01sixteen bytes id.\x05", 18));  // a report without signs
  EXPECT_FALSE(empty.next(message));
  EXPECT_FALSE(empty.ok());
}

}  // namespace
}  // namespace futurerand
