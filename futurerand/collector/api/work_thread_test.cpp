#include "futurerand/collector/api/work_thread.hpp"

#include <future>
#include <string>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

// Keeps a thread busy until its end, so that posted work has to wait.
class Held {
 public:
  explicit Held(WorkThread& thread) {
    std::promise<void> begun;
    thread.post([&begun, over = over_.get_future().share()] {
      begun.set_value();
      over.wait();
    });
    begun.get_future().wait();
  }
  ~Held() { over_.set_value(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::promise<void> over_;
};

TEST(WorkThread, BoundsTheCostOfWhatOneOwnerHasWaiting) {
  int done = 0;
  WorkThread thread({.turn = 10, .max_waiting_cost_of_owner = 100});
  {
    const Held held(thread);
    const auto count = [&] { ++done; };
    EXPECT_TRUE(thread.post(1, 60, count));
    EXPECT_TRUE(thread.post(1, 40, count));
    EXPECT_FALSE(thread.post(1, 1, count));
    EXPECT_TRUE(thread.post(2, 500, count));  // its only work may have any cost
    EXPECT_FALSE(thread.post(2, 1, count));
    EXPECT_FALSE(thread.post(2, UINT64_MAX, count));
    EXPECT_TRUE(thread.post(3, 1, count));
  }
  thread.stop();
  EXPECT_EQ(done, 4);
}

TEST(WorkThread, TakesOwnersInTurnsByCost) {
  std::string order;
  WorkThread thread({.turn = 10});
  {
    const Held held(thread);
    for (int i = 0; i < 3; ++i) (void)thread.post(1, 30, [&] { order += 'L'; });
    for (int i = 0; i < 4; ++i) (void)thread.post(2, 10, [&] { order += 's'; });
  }
  thread.stop();
  // A large one takes three turns of its owner. The other owner has work for two turns between.
  EXPECT_EQ(order, "ssLssLL");
}

}  // namespace
}  // namespace futurerand
