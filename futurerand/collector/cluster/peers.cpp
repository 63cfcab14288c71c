#include "futurerand/collector/cluster/peers.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace futurerand {
namespace {

constexpr int kConnectionsPerPeer = 4;
// Of calls that wait for one peer.
constexpr std::uint64_t kMaxPeerBytes = std::uint64_t{64} << 20;

}  // namespace

Peers::Peers(ConnectPeer connect) : connect_(std::move(connect)) {}

void Peers::stop() {
  keep_only({});
  std::unique_lock lock(threads_->mutex);
  threads_->ended.wait(lock, [this] { return threads_->running == 0; });
}

std::shared_ptr<Peers::Peer> Peers::peer_at(const std::string& address) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Peer>& peer = peers_[address];
  if (peer != nullptr) return peer;
  peer = std::make_shared<Peer>();
  for (int i = 0; i < kConnectionsPerPeer; ++i) {
    {
      const std::lock_guard counting(threads_->mutex);
      ++threads_->running;
    }
    // Nobody joins them: whoever lets a peer go must not wait for one that hangs.
    std::thread([peer, connection = connect_(address), threads = threads_] {
      run(*peer, connection);
      const std::lock_guard counting(threads->mutex);
      --threads->running;
      threads->ended.notify_all();
    }).detach();
  }
  return peer;
}

void Peers::call(const std::string& address, std::string path, std::string body, WhenReplied when) {
  const std::shared_ptr<Peer> peer = peer_at(address);
  {
    const std::lock_guard lock(peer->mutex);
    if (!peer->stopping && peer->waiting_bytes + body.size() <= kMaxPeerBytes) {
      peer->waiting_bytes += body.size();
      peer->waiting.push_back({std::move(path), std::move(body), std::move(when)});
      peer->wake.notify_one();
      return;
    }
  }
  when(Error{"too much waits for the collector at " + address, ErrorCode::kBusy});
}

void Peers::run(Peer& peer, const PeerConnection& connection) {
  for (std::unique_lock lock(peer.mutex);;) {
    peer.wake.wait(lock, [&] { return peer.stopping || !peer.waiting.empty(); });
    if (peer.waiting.empty()) return;
    const Job job = std::move(peer.waiting.front());
    peer.waiting.pop_front();
    peer.waiting_bytes -= job.body.size();
    const bool stopping = peer.stopping;
    lock.unlock();
    job.when(stopping ? Error{"the other collector is gone", ErrorCode::kUnreachable}
                      : connection(job.path, job.body));
    lock.lock();
  }
}

void Peers::end(Peer& peer) {
  const std::lock_guard lock(peer.mutex);
  peer.stopping = true;
  peer.wake.notify_all();
}

void Peers::keep_only(const std::vector<std::string>& addresses) {
  const std::lock_guard lock(mutex_);
  std::erase_if(peers_, [&](const auto& entry) {
    if (std::find(addresses.begin(), addresses.end(), entry.first) != addresses.end()) return false;
    end(*entry.second);
    return true;
  });
}

}  // namespace futurerand
