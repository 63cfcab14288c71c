// Peers: calls to the other collectors of a cluster. Each has a few channels, each with a thread
// and a connection. Calls arriving during a call are joined into the next one.
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
#include <utility>
#include <vector>

#include "futurerand/collector/cluster/joined_call.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

// One connection. A POST returns after a limited time, whatever the peer does. One thread uses it.
using PeerConnection =
    std::function<Result<PeerReply>(const std::string& path, const std::string& body)>;
using ConnectPeer = std::function<PeerConnection(const std::string& address)>;
// Called on a thread of the peers, with the sent body; must be quick.
using WhenReplied = std::function<void(const Result<PeerReply>&, std::string body)>;

class Peers {
 public:
  // Calls are joined up to this many bytes. `die` ends the process if one of its threads fails.
  Peers(ConnectPeer connect, std::uint64_t max_call_bytes,
        std::function<void(const std::string& line)> die);
  ~Peers() { stop(); }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  // Calls of one channel wait for each other. Calls of different channels do not.
  void call(const std::string& address, std::uint32_t channel, std::string path, std::string body,
            WhenReplied when);
  // Ends the threads of all peers except these.
  void keep_only(const std::vector<std::string>& addresses);
  // Returns after the calls in progress have ended.
  void stop();

 private:
  struct Job {
    std::string path;
    std::string body;
    WhenReplied when;
  };
  using Jobs = std::vector<Job>;
  struct Channel {
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

  static void run(Channel& channel, const PeerConnection& connection, std::uint64_t max_call_bytes);
  // Takes the first calls of one kind.
  static Jobs next_jobs(Channel& channel, std::uint64_t max_call_bytes);
  static void send(Jobs jobs, const PeerConnection& connection);
  static void fail(Jobs jobs, const Error& error);
  static void end(Channel& channel);
  std::shared_ptr<Channel> channel_of(const std::string& address, std::uint32_t number);

  const ConnectPeer connect_;
  const std::uint64_t max_call_bytes_;
  const std::function<void(const std::string& line)> die_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<Channel>> channels_;
  const std::shared_ptr<Threads> threads_ = std::make_shared<Threads>();
};

}  // namespace futurerand
