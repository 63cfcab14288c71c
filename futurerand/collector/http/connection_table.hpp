// ConnectionTable: the open connections by network, and the idle ones among them. A silent
// connection costs its owner nothing. So one network may have a limited number, and under pressure
// the longest idle connection makes room for a new one.
//
// Thread safety: all of it; admit() one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "futurerand/collector/api/address.hpp"

namespace futurerand {

struct ConnectionLimits {
  std::size_t all = 4096;
  std::size_t of_network = 1024;
  std::size_t reserved = 0;  // beyond `all`, for this machine itself: for its operator
};

class ConnectionTable {
 public:
  explicit ConnectionTable(const ConnectionLimits& limits) : limits_(limits) {}

  // One open connection. It is counted until its destruction.
  class Place {
   public:
    Place(ConnectionTable& table, const Address& network);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // From now on the connection waits for a request, or works at one.
    void waits();
    void works() { waiting_since_ = 0; }
    // Sets the callback that ends the connection if it is still idle. It is called on any thread,
    // and must be quick.
    void when_ended(std::function<void()> end);

   private:
    friend class ConnectionTable;

    ConnectionTable& table_;
    const Address network_;
    std::atomic<std::chrono::steady_clock::rep> waiting_since_ = 0;  // 0: it works
    std::function<void()> end_;
    bool is_ending_ = false;
    std::list<Place*>::iterator at_;
  };

  // Returns a place for a new connection, or null. Another one may be ended for it. Without
  // `is_limited` the limit of its network does not apply.
  std::unique_ptr<Place> admit(const Address& address, bool is_limited);
  // Says whether many connections are ending for new ones. Until they have, there may be no room.
  bool is_congested() const;
  // Ends the longest idle connection. Returns false if none is idle.
  bool end_longest();

 private:
  using Places = std::list<Place*>;

  bool make_room(const Address& address, bool is_limited);
  // Returns the longest idle one of them; null if none is idle.
  static Place* longest(const Places& places);
  bool end(Place* place);
  bool end_longest_of_all();

  const ConnectionLimits limits_;
  mutable std::mutex mutex_;
  std::map<Address, Places> networks_;
  std::size_t size_ = 0;
  std::size_t ending_ = 0;  // among them: asked to end
};

}  // namespace futurerand
