#include "futurerand/collector/http/connection_table.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

using Place = ConnectionTable::Place;

Address neighbour(int number) {
  return *Address::parse("10.0." + std::to_string(number / 256) + "." +
                         std::to_string(number % 256));
}

// Connections that end at once on request.
class Crowd {
 public:
  explicit Crowd(const ConnectionLimits& limits) : table_(limits) {}

  bool connect(const Address& address, bool works = false, bool is_limited = true) {
    std::unique_ptr<Place> place = table_.admit(address, is_limited);
    for (; !ended_.empty(); ended_.pop_back()) places_[ended_.back()].reset();
    if (place == nullptr) return false;
    const std::size_t number = places_.size();
    place->when_ended([this, number] {
      ended_.push_back(number);
      order_.push_back(number);
    });
    if (works) place->works();
    places_.push_back(std::move(place));
    std::this_thread::sleep_for(std::chrono::microseconds(10));  // so that times differ
    return true;
  }
  // The numbers of the ended ones.
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  ConnectionTable table_;
  std::vector<std::size_t> ended_;
  std::vector<std::size_t> order_;
  std::vector<std::unique_ptr<Place>> places_;
};

TEST(ConnectionTable, TheLongestWaitingOneMakesRoom) {
  Crowd crowd({.all = 4, .of_network = 4});
  for (int number = 0; number < 6; ++number) EXPECT_TRUE(crowd.connect(neighbour(number)));
  EXPECT_EQ(crowd.order(), (std::vector<std::size_t>{0, 1}));
}

TEST(ConnectionTable, WhoHasManyLosesOneFirst) {
  Crowd crowd({.all = 6, .of_network = 6});
  EXPECT_TRUE(crowd.connect(neighbour(1)));
  for (int many = 0; many < 5; ++many) EXPECT_TRUE(crowd.connect(neighbour(2)));
  EXPECT_TRUE(crowd.connect(neighbour(3)));
  EXPECT_EQ(crowd.order(), (std::vector<std::size_t>{1}));
}

TEST(ConnectionTable, ANetworkIsLimitedByItself) {
  Crowd crowd({.all = 100, .of_network = 3});
  for (int many = 0; many < 5; ++many) EXPECT_TRUE(crowd.connect(neighbour(2)));
  EXPECT_EQ(crowd.order(), (std::vector<std::size_t>{0, 1}));
  for (int many = 0; many < 5; ++many) EXPECT_TRUE(crowd.connect(neighbour(3), true, false));
  EXPECT_EQ(crowd.order().size(), 2U);  // a proxy has as many as it likes
  for (int many = 0; many < 3; ++many) EXPECT_TRUE(crowd.connect(neighbour(4), true));
  EXPECT_FALSE(crowd.connect(neighbour(4), true));  // all of them work
}

TEST(ConnectionTable, WhereAllWorkOnlyTheOperatorComesIn) {
  Crowd crowd({.all = 4, .of_network = 4, .reserved = 1});
  for (int number = 0; number < 4; ++number) EXPECT_TRUE(crowd.connect(neighbour(number), true));
  EXPECT_FALSE(crowd.connect(neighbour(9)));
  EXPECT_TRUE(crowd.connect(*Address::parse("127.0.0.1"), true));
  EXPECT_FALSE(crowd.connect(*Address::parse("127.0.0.1"), true));
}

TEST(ConnectionTable, SaysWhenManyAreEnding) {
  ConnectionTable table({.all = 1, .of_network = 1});
  std::vector<std::unique_ptr<Place>> places;
  for (int number = 0; number < 65; ++number) {
    EXPECT_FALSE(table.is_congested()) << number;
    places.push_back(table.admit(neighbour(number), true));
    ASSERT_NE(places.back(), nullptr) << number;
    places.back()->when_ended([] {});
    std::this_thread::sleep_for(std::chrono::microseconds(10));  // so that times differ
  }
  EXPECT_TRUE(table.is_congested());
  places.front().reset();
  EXPECT_FALSE(table.is_congested());
}

}  // namespace
}  // namespace futurerand
