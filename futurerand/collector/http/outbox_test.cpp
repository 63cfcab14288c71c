#include "futurerand/collector/http/outbox.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

class Noted final : public Outbox::Asker {
 public:
  explicit Noted(std::vector<int>& statuses) : statuses_(statuses) {}
  void receive(ApiResponse response) override {
    statuses_.push_back(response.status);
    if (then) then();
  }
  std::function<void()> then = nullptr;

 private:
  std::vector<int>& statuses_;
};

class OutboxTest : public ::testing::Test {
 protected:
  void push(int status) {
    ApiResponse response;
    response.status = status;
    outbox_.push(asker_, std::move(response));
  }

  std::vector<int> statuses_;
  std::shared_ptr<Noted> asker_ = std::make_shared<Noted>(statuses_);
  boost::asio::io_context context_{1};
  Outbox outbox_{context_};
};

TEST_F(OutboxTest, AllWaitingAnswersTakeOneTurn) {
  std::thread other([this] {
    for (int status = 200; status < 300; ++status) push(status);
  });
  other.join();
  EXPECT_TRUE(statuses_.empty());
  EXPECT_EQ(context_.poll(), 1U);
  ASSERT_EQ(statuses_.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(statuses_[static_cast<std::size_t>(i)], 200 + i);
  EXPECT_EQ(asker_.use_count(), 1);
}

TEST_F(OutboxTest, AnAnswerDuringATurnWaitsForTheNext) {
  int left = 2;
  asker_->then = [&] {
    if (left-- > 0) push(300 + left);
  };
  push(200);
  push(201);
  EXPECT_EQ(context_.poll_one(), 1U);
  EXPECT_EQ(statuses_, (std::vector<int>{200, 201}));
  context_.restart();
  EXPECT_EQ(context_.poll(), 1U);
  EXPECT_EQ(statuses_, (std::vector<int>{200, 201, 301, 300}));
}

TEST_F(OutboxTest, WhatIsNotDeliveredGoesWithIt) {
  {
    Outbox outbox(context_);
    outbox.push(asker_, {});
    EXPECT_EQ(asker_.use_count(), 2);
  }
  EXPECT_EQ(asker_.use_count(), 1);
}

}  // namespace
}  // namespace futurerand
