#include "futurerand/collector/log/record.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/packed_signs.hpp"

namespace futurerand {
namespace {

TEST(Record, ComesBack) {
  const ClientId client{{1, 2, 3, 255}};
  std::string messages;
  put_message(messages, Enrolment{client, 21, 1 << 20, 77});
  put_message(messages, Enrolment{client, 0, 3, 0, "linux"});
  put_message(messages, Report{client, 5, packed_signs("+-+-+-+-+")}, 5, 0, 9);
  put_message(messages, Report{client, 5, packed_signs("-+-+0-+")}, 7, 3, 3);
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
  EXPECT_EQ(std::get<Enrolment>(message), (Enrolment{client, 0, 3, 0, "linux"}));
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(std::get<Report>(message), (Report{client, 5, packed_signs("+-+-+-+-+")}));
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(std::get<Report>(message), (Report{client, 7, packed_signs("+0-")}));
  EXPECT_FALSE(reader.next(message));
  EXPECT_TRUE(reader.ok());
}

// Any part of a report comes back, also across words.
TEST(Record, SomeSignsOfAReportComeBack) {
  const ClientId client{{9}};
  for (const std::string_view symbols : {"+-", "+-0"}) {
    std::string text;
    for (unsigned i = 0; i < 300; ++i) text += symbols[(i * i / 7 + i) % symbols.size()];
    const Report report{client, 1, packed_signs(text)};
    for (std::uint32_t from = 0; from < 140; from += 23) {
      for (const std::uint32_t count : {1U, 8U, 63U, 64U, 65U, 128U, 160U}) {
        std::string bytes;
        put_message(bytes, report, from + 1, from, count);
        MessageReader reader(bytes);
        Message message;
        ASSERT_TRUE(reader.next(message)) << from << " " << count;
        EXPECT_EQ(std::get<Report>(message),
                  (Report{client, from + 1, packed_signs(text.substr(from, count))}));
        EXPECT_FALSE(reader.next(message));
        EXPECT_TRUE(reader.ok());
        // A byte less is damage.
        bytes.pop_back();
        MessageReader cut(bytes);
        EXPECT_FALSE(cut.next(message) && cut.ok());
      }
    }
  }
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
