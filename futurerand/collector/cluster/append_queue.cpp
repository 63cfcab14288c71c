#include "futurerand/collector/cluster/append_queue.hpp"

#include <algorithm>
#include <array>

namespace futurerand {
namespace {

constexpr std::size_t kMaxBytes = 8 << 20;
constexpr std::size_t kMaxGroups = 1024;  // of four parameters each, of 65,535

// Rows are locked in the order of their numbers: two statements never wait for each other.
std::string statement_of(std::size_t groups) {
  constexpr std::array<std::string_view, 4> kTypes = {"::int", "::bigint", "::bigint", "::bytea"};
  std::string values;
  std::size_t parameter = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    char before = '(';
    if (group > 0) values += ',';
    for (const std::string_view type : kTypes) {
      values += before;
      values += '$';
      values += std::to_string(++parameter);
      values += type;
      before = ',';
    }
    values += ')';
  }
  return "WITH asked(shard, epoch, sequence, bytes) AS (VALUES " + values +
         "), locked AS MATERIALIZED (SELECT shard.shard FROM shard WHERE shard.shard IN "
         "(SELECT asked.shard FROM asked) ORDER BY shard.shard FOR UPDATE), "
         "moved AS (UPDATE shard SET last_sequence = asked.sequence FROM asked, locked "
         "WHERE shard.shard = locked.shard AND asked.shard = shard.shard "
         "AND shard.epoch = asked.epoch AND shard.last_sequence = asked.sequence - 1 "
         "RETURNING shard.shard), "
         "written AS (INSERT INTO log(shard, sequence, bytes) SELECT asked.shard, asked.sequence, "
         "asked.bytes FROM asked JOIN moved ON moved.shard = asked.shard) "
         "SELECT moved.shard::text FROM moved";
}

}  // namespace

SqlReply AppendQueue::append(const Group& group) {
  Waiting self(group);
  std::unique_lock lock(mutex_);
  waiting_.push_back(&self);
  self.wake.wait(lock, [&] { return self.done || waiting_.front() == &self; });
  if (self.done) return self.reply;
  const std::vector<Waiting*> together = next();
  lock.unlock();
  write(together);
  lock.lock();
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(together.size()));
  for (Waiting* one : together) {
    one->done = true;
    if (one != &self) one->wake.notify_one();
  }
  if (!waiting_.empty()) waiting_.front()->wake.notify_one();
  return self.reply;
}

std::vector<AppendQueue::Waiting*> AppendQueue::next() const {
  std::vector<Waiting*> together;
  std::size_t bytes = 0;
  for (Waiting* one : waiting_) {
    bytes += one->group.bytes.size();
    if (!together.empty() && (bytes > kMaxBytes || together.size() == kMaxGroups)) break;
    together.push_back(one);
  }
  return together;
}

void AppendQueue::write(const std::vector<Waiting*>& together) {
  std::vector<SqlValue> values;
  for (const Waiting* one : together) {
    values.push_back(one->group.shard);
    values.push_back(one->group.epoch);
    values.push_back(one->group.sequence);
    values.push_back(SqlValue::bytes(one->group.bytes));
  }
  const SqlReply all = database_.run(statement_of(together.size()), values);
  for (Waiting* one : together) {
    one->reply = {all.ran, all.message, all.state, 0, {}};
    const std::string shard = std::to_string(one->group.shard);
    one->reply.affected = static_cast<std::uint64_t>(std::count_if(
        all.rows.begin(), all.rows.end(), [&](const auto& row) { return row[0] == shard; }));
  }
}

}  // namespace futurerand
