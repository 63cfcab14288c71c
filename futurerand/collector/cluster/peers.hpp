// Peers: calls to the other collectors of a cluster. Each has a few threads and connections of its
// own, so that one that hangs delays nobody else.
//
// Thread safety: all of it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct PeerReply {
  int status = 0;
  std::string body;
};
// This is one connection: a POST returns after a while, whatever the peer does. One thread uses it.
using PeerConnection =
    std::function<Result<PeerReply>(const std::string& path, const std::string& body)>;
using ConnectPeer = std::function<PeerConnection(const std::string& address)>;
// It is called on a thread of the peers, and must be quick.
using WhenReplied = std::function<void(Result<PeerReply>)>;

class Peers {
 public:
  explicit Peers(ConnectPeer connect);
  ~Peers() { stop(); }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  void call(const std::string& address, std::string path, std::string body, WhenReplied when);
  // Lets the threads of all others go.
  void keep_only(const std::vector<std::string>& addresses);
  // Returns when the calls under way have ended.
  void stop();

 private:
  struct Job {
    std::string path;
    std::string body;
    WhenReplied when;
  };
  struct Peer {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<Job> waiting;
    std::uint64_t waiting_bytes = 0;
    bool stopping = false;
  };
  struct Threads {
    std::mutex mutex;
    std::condition_variable ended;
    int running = 0;
  };

  static void run(Peer& peer, const PeerConnection& connection);
  static void end(Peer& peer);
  std::shared_ptr<Peer> peer_at(const std::string& address);

  const ConnectPeer connect_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Peer>> peers_;
  const std::shared_ptr<Threads> threads_ = std::make_shared<Threads>();
};

}  // namespace futurerand
