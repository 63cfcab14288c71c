#include "futurerand/collector/cluster/peers.hpp"

#include <algorithm>
#include <thread>

#include "futurerand/collector/log/thread_guard.hpp"

namespace futurerand {
namespace {

// Of calls that wait in one channel.
constexpr std::uint64_t kMaxWaitingBytes = std::uint64_t{64} << 20;

}  // namespace

Peers::Peers(ConnectPeer connect, std::uint64_t max_call_bytes,
             std::function<void(const std::string& line)> die)
    : connect_(std::move(connect)), max_call_bytes_(max_call_bytes), die_(std::move(die)) {}

void Peers::stop() {
  keep_only({});
  std::unique_lock lock(threads_->mutex);
  threads_->ended.wait(lock, [this] { return threads_->running == 0; });
}

std::shared_ptr<Peers::Channel> Peers::channel_of(const std::string& address,
                                                  std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Channel>& channel = channels_[{address, number}];
  if (channel != nullptr) return channel;
  channel = std::make_shared<Channel>();
  {
    const std::lock_guard counting(threads_->mutex);
    ++threads_->running;
  }
  // Nobody joins it: whoever lets a peer go must not wait for one that hangs.
  std::thread([channel, connection = connect_(address), most = max_call_bytes_, die = die_,
               threads = threads_] {
    work_or_die(die, "a call to another collector", [&] { run(*channel, connection, most); });
    const std::lock_guard counting(threads->mutex);
    --threads->running;
    threads->ended.notify_all();
  }).detach();
  return channel;
}

void Peers::call(const std::string& address, std::uint32_t channel, std::string path,
                 std::string body, WhenReplied when) {
  const std::shared_ptr<Channel> to = channel_of(address, channel);
  {
    const std::lock_guard lock(to->mutex);
    if (!to->stopping && to->waiting_bytes + body.size() <= kMaxWaitingBytes) {
      to->waiting_bytes += body.size();
      to->waiting.push_back({std::move(path), std::move(body), std::move(when)});
      to->wake.notify_one();
      return;
    }
  }
  when(Error{"too much waits for the collector at " + address, ErrorCode::kBusy}, std::move(body));
}

void Peers::run(Channel& channel, const PeerConnection& connection, std::uint64_t max_call_bytes) {
  for (std::unique_lock lock(channel.mutex);;) {
    channel.wake.wait(lock, [&] { return channel.stopping || !channel.waiting.empty(); });
    if (channel.waiting.empty()) return;
    Jobs jobs = next_jobs(channel, max_call_bytes);
    const bool stopping = channel.stopping;
    lock.unlock();
    if (stopping) {
      fail(std::move(jobs), {"the other collector is gone", ErrorCode::kUnreachable});
    } else {
      send(std::move(jobs), connection);
    }
    lock.lock();
  }
}

Peers::Jobs Peers::next_jobs(Channel& channel, std::uint64_t max_call_bytes) {
  Jobs jobs;
  std::uint64_t bytes = 0;
  while (!channel.waiting.empty()) {
    Job& next = channel.waiting.front();
    const bool fits = next.path == (jobs.empty() ? next.path : jobs.front().path) &&
                      bytes + next.body.size() <= max_call_bytes;
    if (!jobs.empty() && !fits) break;
    bytes += next.body.size();
    channel.waiting_bytes -= next.body.size();
    jobs.push_back(std::move(next));
    channel.waiting.pop_front();
  }
  return jobs;
}

void Peers::send(Jobs jobs, const PeerConnection& connection) {
  std::vector<std::string_view> bodies;
  for (const Job& job : jobs) bodies.push_back(job.body);
  Result<PeerReply> answer = connection(jobs.front().path, join_bodies(bodies));
  if (!answer) return fail(std::move(jobs), answer.error());
  if (answer->status != 200) {
    for (Job& job : jobs) job.when(*answer, std::move(job.body));
    return;
  }
  Result<std::vector<PeerReply>> replies = split_replies(answer->body);
  if (!replies || replies->size() != jobs.size()) {
    return fail(std::move(jobs), {"the other collector's answer cannot be read"});
  }
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    jobs[at].when(std::move((*replies)[at]), std::move(jobs[at].body));
  }
}

void Peers::fail(Jobs jobs, const Error& error) {
  for (Job& job : jobs) job.when(error, std::move(job.body));
}

void Peers::end(Channel& channel) {
  const std::lock_guard lock(channel.mutex);
  channel.stopping = true;
  channel.wake.notify_all();
}

void Peers::keep_only(const std::vector<std::string>& addresses) {
  const std::lock_guard lock(mutex_);
  std::erase_if(channels_, [&](const auto& entry) {
    const std::string& address = entry.first.first;
    if (std::find(addresses.begin(), addresses.end(), address) != addresses.end()) return false;
    end(*entry.second);
    return true;
  });
}

}  // namespace futurerand
