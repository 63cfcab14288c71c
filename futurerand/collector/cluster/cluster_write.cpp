// How a cluster takes reports: split by shard, sent to whoever owns them, answered as one.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "futurerand/collector/cluster/cluster.hpp"
#include "futurerand/collector/cluster/cluster_status.hpp"
#include "futurerand/collector/cluster/forwarded_batch.hpp"
#include "futurerand/collector/cluster/shard_runs.hpp"

namespace futurerand {
namespace {

// How long a request waits for a shard that changes hands, which takes a fraction of a second if
// that is done in order. Whoever waits for the end of a dead collector's lease is told to come
// back.
constexpr std::chrono::seconds kMovePatience{5};

// Roughly what a batch takes that was packed so.
std::uint64_t memory_of(std::string_view packed) { return 4 * packed.size() + 256; }

// The answer of another collector. A stopping one gives its shards to others.
WriteAnswer answer_of(const Result<PeerReply>& reply) {
  if (!reply || reply->status != 200) return {.written = Written::kMoved};
  Result<WriteAnswer> answer = parse_answer_bytes(reply->body);
  if (!answer || answer->written == Written::kStopping) return {.written = Written::kMoved};
  return *std::move(answer);
}

std::vector<PeerReply> replies_of(const std::vector<WriteAnswer>& answers) {
  std::vector<PeerReply> replies;
  for (const WriteAnswer& answer : answers) replies.push_back({200, to_bytes(answer)});
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
  const auto delivery = std::make_shared<Delivery>(
      std::move(when), true, std::chrono::steady_clock::now() + kMovePatience);
  // Lines that are too long are seldom, and go to their shards one by one.
  const auto too_long = std::exchange(batch.too_long, {});
  delivery->answer.expect(too_long.size());
  for (const auto& line : too_long) {
    scatter(whole({batch.metric, {}, {}, 0, {line}}), 0, delivery);
  }
  order_by_shard(batch, shard_of_);
  scatter(whole(std::move(batch)), bytes, delivery);
}

void Cluster::scatter(const BatchPart& part, std::uint64_t bytes,
                      const std::shared_ptr<Delivery>& delivery) {
  const std::uint32_t metric = part.batch->metric;
  std::vector<std::pair<std::shared_ptr<OwnedShard>, BatchPart>> here;
  std::map<std::pair<std::string, std::uint32_t>, BatchBytes> elsewhere;  // by place and database
  std::vector<BatchPart> nowhere;
  std::size_t refused = 0;
  for (const ShardRun& run : shard_runs(part, shard_of_)) {
    const auto database = run.shard % static_cast<std::uint32_t>(keepers_.size());
    const ShardKeeper& keeper = *keepers_[database];
    const BatchPart messages{part.batch, run.begin, run.end};
    auto [shard, address] = keeper.place_of(run.shard);
    if (shard != nullptr && shard->knows(metric)) {
      here.emplace_back(std::move(shard), messages);
    } else if (delivery->forwards && !address.empty()) {
      elsewhere.try_emplace({std::move(address), database}, part.size() / 2)
          .first->second.add(messages);
    } else if (!keeper.answers()) {
      ++refused;
    } else if (!nowhere.empty() && nowhere.back().end == run.begin) {
      nowhere.back().end = run.end;
    } else {
      nowhere.push_back(messages);
    }
  }
  const std::size_t parts = here.size() + elsewhere.size() + nowhere.size() + refused;
  if (parts == 0) return delivery->answer.add({});
  delivery->answer.expect(parts - 1);
  const std::size_t all = std::max<std::size_t>(1, part.size());
  for (auto& [shard, messages] : here) {
    const std::uint64_t share = bytes * messages.size() / all;
    write_here(*shard, {std::move(messages), share, delivery});
  }
  const Period period = catalogue_.metrics()->at(metric).manual_period;
  for (const auto& [place, packed] : elsewhere) {
    forward(place.first, place.second, packed.bytes(metric, period), delivery);
  }
  for (BatchPart& messages : nowhere) {
    const std::uint64_t share = bytes * messages.size() / all;
    resends_.add({std::move(messages), share, delivery});
  }
  for (; refused > 0; --refused) delivery->answer.add({.written = Written::kMoved});
}

void Cluster::write_here(OwnedShard& shard, Resends::Part part) {
  shard.writer().write(std::move(part.messages), part.bytes,
                       [this, bytes = part.bytes, of = std::move(part.of)](WriteAnswer answer) {
                         if (answer.written == Written::kStopping) answer.written = Written::kMoved;
                         if (answer.returned.batch == nullptr)
                           return of->answer.add(std::move(answer));
                         resends_.add({std::move(answer.returned), bytes, of});
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
                resends_.add({whole(std::move(again->batch)), memory_of(body), delivery});
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
  const std::uint32_t metric = forwarded.batch.metric;
  const auto take = [this, metric, batch = whole(std::move(forwarded.batch)), bytes,
                     when = std::move(when)] {
    if (metric >= catalogue_.metrics()->size()) return when({.written = Written::kMoved});
    // The sender waits, and asks again.
    scatter(batch, bytes,
            std::make_shared<Delivery>(when, false, std::chrono::steady_clock::time_point::min()));
  };
  // The sender may know of changes to the catalogue that did not come here yet.
  const std::shared_ptr<const CatalogueMetrics> metrics = catalogue_.metrics();
  const bool behind =
      metric >= metrics->size() || (*metrics)[metric].manual_period < forwarded.period;
  if (!behind) return take();
  post(updates_, [this, take] {
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
      {"POST", "/cluster/updates", Access::kAnyone,
       known([this](const Call& call, const Respond& respond) {
         post(updates_, [this, respond, response = done_response(call)] {
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
         post(work_, [this, respond] {
           const Result<ClusterStatus> status = read_cluster_status(databases_);
           respond(status ? json_response(to_json(*status))
                          : retry_response(503, "no_database", status.error().message, 5));
         });
       }},
  };
}

}  // namespace futurerand
