// SharedLook: one read of the database for any number of callers. All callers during a look share
// the next one, and looks are some time apart.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace futurerand {

class SharedLook {
 public:
  using Then = std::function<void(bool)>;
  // `look` is called on a thread of its own, and returns whether it succeeded.
  SharedLook(std::function<bool()> look, std::chrono::milliseconds apart);
  ~SharedLook() { stop(); }
  SharedLook(const SharedLook&) = delete;
  SharedLook& operator=(const SharedLook&) = delete;

  // Calls `then` with the result of a look that begins later than this call.
  void ask(Then then);
  // Present and future callers get an error.
  void stop();

 private:
  void run();

  const std::function<bool()> look_;
  const std::chrono::milliseconds apart_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Then> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
