#include "futurerand/collector/http/connection_table.hpp"

#include <algorithm>
#include <utility>

namespace futurerand {
namespace {

// Limit of ending connections beyond the available room.
constexpr std::size_t kMaxEnding = 64;

}  // namespace

ConnectionTable::Place::Place(ConnectionTable& table, const Address& network)
    : table_(table), network_(network) {
  waits();
  const std::lock_guard lock(table_.mutex_);
  Places& own = table_.networks_[network_];
  at_ = own.insert(own.end(), this);
  ++table_.size_;
}

ConnectionTable::Place::~Place() {
  const std::lock_guard lock(table_.mutex_);
  const auto own = table_.networks_.find(network_);
  own->second.erase(at_);
  if (own->second.empty()) table_.networks_.erase(own);
  --table_.size_;
  if (is_ending_) --table_.ending_;
}

void ConnectionTable::Place::waits() {
  if (waiting_since_ == 0) {
    waiting_since_ = std::chrono::steady_clock::now().time_since_epoch().count();
  }
}

void ConnectionTable::Place::when_ended(std::function<void()> end) {
  const std::lock_guard lock(table_.mutex_);
  end_ = std::move(end);
}

std::unique_ptr<ConnectionTable::Place> ConnectionTable::admit(const Address& address,
                                                               bool is_limited) {
  {
    const std::lock_guard lock(mutex_);
    if (!make_room(address, is_limited)) return nullptr;
  }
  return std::make_unique<Place>(*this, address.network());
}

bool ConnectionTable::make_room(const Address& address, bool is_limited) {
  const auto own = networks_.find(address.network());
  if (own != networks_.end() && is_limited && own->second.size() >= limits_.of_network) {
    const auto open = static_cast<std::size_t>(
        std::count_if(own->second.begin(), own->second.end(),
                      [](const Place* place) { return !place->is_ending_; }));
    if (open >= limits_.of_network && !end(longest(own->second))) return false;
  }
  const std::size_t open = size_ - ending_;
  if (open >= limits_.all && !end_longest_of_all()) {
    return address.is_loopback() && open < limits_.all + limits_.reserved;
  }
  return size_ < limits_.all + limits_.reserved + kMaxEnding;
}

bool ConnectionTable::is_congested() const {
  const std::lock_guard lock(mutex_);
  return ending_ >= kMaxEnding;
}

bool ConnectionTable::end_longest() {
  const std::lock_guard lock(mutex_);
  return end_longest_of_all();
}

// Ends one of the network with the most connections, if one of those is idle.
bool ConnectionTable::end_longest_of_all() {
  const auto most = std::max_element(
      networks_.begin(), networks_.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == networks_.end()) return false;
  if (end(longest(most->second))) return true;
  Place* found = nullptr;
  for (const auto& [network, places] : networks_) {
    Place* const here = longest(places);
    if (here == nullptr) continue;
    if (found == nullptr || here->waiting_since_ < found->waiting_since_) found = here;
  }
  return end(found);
}

ConnectionTable::Place* ConnectionTable::longest(const Places& places) {
  Place* found = nullptr;
  auto oldest = std::chrono::steady_clock::rep{0};
  for (Place* place : places) {
    const auto since = place->waiting_since_.load();
    if (since == 0 || place->is_ending_ || !place->end_) continue;
    if (found == nullptr || since < oldest) {
      found = place;
      oldest = since;
    }
  }
  return found;
}

bool ConnectionTable::end(Place* place) {
  if (place == nullptr) return false;
  place->is_ending_ = true;
  ++ending_;
  place->end_();
  return true;
}

}  // namespace futurerand
