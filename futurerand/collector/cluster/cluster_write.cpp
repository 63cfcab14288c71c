// How a cluster takes reports: split by shard, sent to whoever owns them, answered as one.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "futurerand/collector/api/write_refusal.hpp"
#include "futurerand/collector/cluster/cluster.hpp"
#include "futurerand/collector/cluster/cluster_status.hpp"
#include "futurerand/collector/cluster/forwarded_batch.hpp"

namespace futurerand {
namespace {

const ClientId& sender_of(const Message& message) {
  return std::visit([](const auto& it) -> const ClientId& { return it.client; }, message);
}

// How long a request waits for a shard that changes hands, which takes a fraction of a second if
// that is done in order. Whoever waits for the end of a dead collector's lease is told to come
// back.
constexpr std::chrono::seconds kMovePatience{5};

// Where a part of a batch goes: to a shard of our own, to the collector at an address, or nowhere.
struct Part {
  std::shared_ptr<OwnedShard> shard = nullptr;
  std::string address = {};
  std::uint32_t database = 0;
  Batch batch = {};
  BatchBytes packed = {};  // of a part for another collector

  void add(std::uint32_t line, Message message) {
    if (!address.empty()) return packed.add(line, message);
    batch.lines.push_back(line);
    batch.messages.push_back(std::move(message));
  }
  void add_too_long(std::uint32_t line, const ClientId& client) {
    if (!address.empty()) return packed.add_too_long(line, client);
    batch.too_long.emplace_back(line, client);
  }
};

// Roughly what a batch takes that was packed so.
std::uint64_t memory_of(std::string_view packed) { return 4 * packed.size() + 256; }

// What another collector answered.
WriteAnswer answer_of(const Result<PeerReply>& reply) {
  if (!reply) return {.written = Written::kMoved};
  if (reply->status == 429) return {.written = Written::kBusy};
  if (reply->body.find("\"no_room\"") != std::string::npos) return {.written = Written::kNoRoom};
  if (reply->status != 200) return {.written = Written::kMoved};
  Result<ReportAnswer> answer = parse_answer_bytes(reply->body);
  if (!answer) return {.written = Written::kMoved};
  return {.batch = *std::move(answer)};
}

std::vector<PeerReply> replies_of(const std::vector<WriteAnswer>& answers) {
  std::vector<PeerReply> replies;
  for (const WriteAnswer& answer : answers) {
    if (std::optional<ApiResponse> refused = write_refusal(answer.written)) {
      replies.push_back({refused->status, std::move(refused->body)});
    } else {
      replies.push_back({200, to_bytes(answer.batch)});
    }
  }
  return replies;
}

// The answer to calls that only want something to be done.
ApiResponse done_response(const Call& call) {
  const Result<std::vector<std::string_view>> bodies = split_bodies(call.request.body);
  if (!bodies) return error_response(400, "bad_call", bodies.error().message);
  ApiResponse response;
  response.content_type = "application/octet-stream";
  response.body = join_replies(std::vector<PeerReply>(bodies->size(), PeerReply{200, ""}));
  return response;
}

}  // namespace

void Cluster::write(Batch batch, std::uint64_t bytes, WhenWritten when) {
  scatter(std::move(batch), bytes,
          std::make_shared<Delivery>(std::move(when), true,
                                     std::chrono::steady_clock::now() + kMovePatience));
}

void Cluster::scatter(Batch batch, std::uint64_t bytes, const std::shared_ptr<Delivery>& delivery) {
  std::vector<Part> parts;
  std::vector<std::size_t> of_shard(terms_.shards, SIZE_MAX);
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> of_channel;
  // Ids are random: a little more than the mean saves growing, mostly.
  const std::size_t of_one_shard = 8 + batch.messages.size() * 3 / (2 * terms_.shards);
  const auto part_of = [&](const ClientId& client) -> Part& {
    const std::uint32_t shard = shard_of(client, terms_.shards);
    std::size_t& at = of_shard[shard];
    if (at != SIZE_MAX) return parts[at];
    Part part;
    part.database = shard % static_cast<std::uint32_t>(keepers_.size());
    const ShardKeeper& keeper = *keepers_[part.database];
    part.shard = keeper.owned(shard);
    at = parts.size();
    if (part.shard == nullptr || part.shard->is_lost() || !part.shard->knows(batch.metric)) {
      part.shard = nullptr;
      if (delivery->forwards) part.address = keeper.address_of(shard);
      const auto [place, is_new] =
          of_channel.try_emplace({part.address, part.database}, parts.size());
      at = place->second;
      if (!is_new) return parts[at];
    }
    part.batch.metric = batch.metric;
    if (part.address.empty()) part.batch.messages.reserve(of_one_shard);
    if (part.address.empty()) part.batch.lines.reserve(of_one_shard);
    parts.push_back(std::move(part));
    return parts.back();
  };
  for (std::size_t at = 0; at < batch.messages.size(); ++at) {
    part_of(sender_of(batch.messages[at])).add(batch.lines[at], std::move(batch.messages[at]));
  }
  for (const auto& [line, client] : batch.too_long) {
    part_of(client).add_too_long(line, client);
  }
  if (parts.empty()) return delivery->answer.add({});
  parts.front().batch.malformed = batch.malformed;
  delivery->answer.expect(parts.size() - 1);
  const Period period = catalogue_.metrics()->at(batch.metric).manual_period;
  const std::size_t all = std::max<std::size_t>(1, batch.messages.size());
  for (Part& part : parts) {
    if (!part.address.empty()) {
      forward(part.address, part.database, part.packed.bytes(batch.metric, period), delivery);
      continue;
    }
    const std::uint64_t share = bytes * part.batch.messages.size() / all;
    Resends::Part sent{std::move(part.batch), share, delivery};
    if (part.shard != nullptr) {
      write_here(*part.shard, std::move(sent));
    } else if (keepers_[part.database]->answers()) {
      resends_.add(std::move(sent));
    } else {
      delivery->answer.add({.written = Written::kMoved});
    }
  }
}

void Cluster::write_here(OwnedShard& shard, Resends::Part part) {
  shard.writer().write(std::move(part.batch), part.bytes,
                       [this, bytes = part.bytes, of = std::move(part.of)](WriteAnswer answer) {
                         if (answer.written == Written::kStopping) answer.written = Written::kMoved;
                         if (answer.returned == nullptr) return of->answer.add(std::move(answer));
                         resends_.add({std::move(*answer.returned), bytes, of});
                       });
}

void Cluster::forward(const std::string& address, std::uint32_t database, std::string packed,
                      const std::shared_ptr<Delivery>& delivery) {
  peers_.call(address, database, "/cluster/records", std::move(packed),
              [this, delivery](const Result<PeerReply>& reply, const std::string& body) {
                WriteAnswer answer = answer_of(reply);
                if (answer.written != Written::kMoved) {
                  return delivery->answer.add(std::move(answer));
                }
                Result<ForwardedBatch> again = parse_forwarded_batch(body);
                resends_.add({std::move(again->batch), memory_of(body), delivery});
              });
}

void Cluster::take_forwarded(const Call& call, const Respond& respond) {
  const Result<std::vector<std::string_view>> bodies = split_bodies(call.request.body);
  if (!bodies) return respond(error_response(400, "bad_batch", bodies.error().message));
  std::vector<ForwardedBatch> batches;
  for (const std::string_view body : *bodies) {
    Result<ForwardedBatch> forwarded = parse_forwarded_batch(body);
    if (!forwarded) return respond(error_response(400, "bad_batch", forwarded.error().message));
    batches.push_back(*std::move(forwarded));
  }
  // Answered when the last one is, which lets go of it.
  const std::shared_ptr<std::vector<WriteAnswer>> answers(
      new std::vector<WriteAnswer>(batches.size()), [respond](std::vector<WriteAnswer>* all) {
        const std::shared_ptr<std::vector<WriteAnswer>> kept(all);
        ApiResponse response;
        response.content_type = "application/octet-stream";
        response.make_body = [kept] { return join_replies(replies_of(*kept)); };
        respond(std::move(response));
      });
  for (std::size_t at = 0; at < batches.size(); ++at) {
    take_forwarded(std::move(batches[at]), memory_of((*bodies)[at]),
                   [answers, at](WriteAnswer answer) { (*answers)[at] = std::move(answer); });
  }
}

void Cluster::take_forwarded(ForwardedBatch forwarded, std::uint64_t bytes, WhenWritten when) {
  const auto batch = std::make_shared<Batch>(std::move(forwarded.batch));
  const auto take = [this, batch, bytes, when = std::move(when)] {
    if (batch->metric >= catalogue_.metrics()->size()) return when({.written = Written::kMoved});
    // Whoever sent it waits, and asks again.
    scatter(std::move(*batch), bytes,
            std::make_shared<Delivery>(when, false, std::chrono::steady_clock::time_point::min()));
  };
  // Whoever sent it may have news that did not come here yet.
  const std::shared_ptr<const CatalogueMetrics> metrics = catalogue_.metrics();
  const bool behind = batch->metric >= metrics->size() ||
                      (*metrics)[batch->metric].manual_period < forwarded.period;
  if (!behind) return take();
  news_.post([this, take] {
    if (catalogue_.refresh()) follow_catalogue();
    take();
  });
}

std::vector<Route> Cluster::routes() {
  const auto known = [this](auto handle) {
    return [this, handle](const Call& call, const Respond& respond) {
      if (auto stranger = secret_.refuse(call.request, Access::kAdmin)) {
        return respond(*std::move(stranger));
      }
      handle(call, respond);
    };
  };
  return {
      {"POST", "/cluster/records", Access::kAnyone,
       known([this](const Call& call, const Respond& respond) { take_forwarded(call, respond); })},
      {"POST", "/cluster/news", Access::kAnyone,
       known([this](const Call& call, const Respond& respond) {
         news_.post([this, respond, response = done_response(call)] {
           if (catalogue_.refresh()) follow_catalogue();
           publish(true);
           respond(response);
         });
       })},
      {"POST", "/cluster/look", Access::kAnyone,
       known([this](const Call& call, const Respond& respond) {
         look();
         respond(done_response(call));
       })},
      // For operators.
      {"GET", "/v1/cluster", Access::kAdmin,
       [this](const Call&, const Respond& respond) {
         work_.post([this, respond] {
           const Result<ClusterStatus> status = read_cluster_status(databases_);
           respond(status ? json_response(to_json(*status))
                          : retry_response(503, "no_database", status.error().message, 5));
         });
       }},
  };
}

}  // namespace futurerand
