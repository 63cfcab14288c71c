// How a cluster takes reports: split by shard, sent to whoever owns them, answered as one.
#include <algorithm>
#include <map>

#include "futurerand/collector/api/write_refusal.hpp"
#include "futurerand/collector/cluster/cluster.hpp"
#include "futurerand/collector/cluster/cluster_status.hpp"
#include "futurerand/collector/cluster/forwarded_batch.hpp"
#include "futurerand/collector/cluster/gathered_answer.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {
namespace {

const ClientId& sender_of(const Message& message) {
  return std::visit([](const auto& it) -> const ClientId& { return it.client; }, message);
}

// Where a part of a batch goes: to a shard of our own, or to the collector at an address.
struct Part {
  std::shared_ptr<OwnedShard> shard;
  std::string address;
  Batch batch;
};

// What another collector answered.
WriteAnswer answer_of(const Result<PeerReply>& reply) {
  if (!reply) return {.written = Written::kMoved};
  if (reply->status == 429) return {.written = Written::kBusy};
  if (reply->body.find("\"no_room\"") != std::string::npos) return {.written = Written::kNoRoom};
  if (reply->status != 200) return {.written = Written::kMoved};
  Result<ReportAnswer> answer = parse_report_answer(reply->body);
  if (!answer) return {.written = Written::kMoved};
  return {.batch = *std::move(answer)};
}

}  // namespace

void Cluster::write(Batch batch, std::uint64_t bytes, WhenWritten when) {
  scatter(std::move(batch), bytes, true, std::move(when));
}

void Cluster::scatter(Batch batch, std::uint64_t bytes, bool forward_too, WhenWritten when) {
  std::vector<Part> parts;
  std::vector<std::size_t> of_shard(terms_.shards, SIZE_MAX);
  std::map<std::string, std::size_t> of_address;
  bool homeless = false;
  // Ids are random: a little more than the mean saves growing, mostly.
  const std::size_t of_one_shard = 8 + batch.messages.size() * 3 / (2 * terms_.shards);
  const auto part_of = [&](const ClientId& client) -> Batch* {
    const std::uint32_t shard = shard_of(client, terms_.shards);
    std::size_t& at = of_shard[shard];
    if (at != SIZE_MAX) return &parts[at].batch;
    std::shared_ptr<OwnedShard> ours = keeper_of(shard).owned(shard);
    const bool usable = ours != nullptr && !ours->is_lost() && ours->knows(batch.metric);
    const std::string address = usable || !forward_too ? "" : keeper_of(shard).address_of(shard);
    if (!usable && address.empty()) {
      homeless = true;
      return nullptr;
    }
    at = parts.size();
    if (!usable) {
      const auto [place, is_new] = of_address.try_emplace(address, parts.size());
      at = place->second;
      if (!is_new) return &parts[at].batch;
    }
    parts.push_back({usable ? std::move(ours) : nullptr, address, {}});
    parts.back().batch.metric = batch.metric;
    parts.back().batch.messages.reserve(usable ? of_one_shard : batch.messages.size());
    parts.back().batch.lines.reserve(usable ? of_one_shard : batch.messages.size());
    return &parts.back().batch;
  };
  for (std::size_t at = 0; at < batch.messages.size() && !homeless; ++at) {
    Batch* part = part_of(sender_of(batch.messages[at]));
    if (part == nullptr) break;
    part->lines.push_back(batch.lines[at]);
    part->messages.push_back(std::move(batch.messages[at]));
  }
  for (const auto& [line, client] : batch.too_long) {
    Batch* part = homeless ? nullptr : part_of(client);
    if (part == nullptr) break;
    part->too_long.emplace_back(line, client);
  }
  if (homeless) return when({.written = Written::kMoved});
  if (parts.empty()) return when({});
  parts.front().batch.malformed = batch.malformed;
  const std::size_t all = std::max<std::size_t>(1, batch.messages.size());
  const auto gathered = std::make_shared<GatheredAnswer>(parts.size(), std::move(when));
  for (Part& part : parts) {
    if (part.shard == nullptr) {
      forward(part.address, part.batch, gathered);
      continue;
    }
    const std::uint64_t share = bytes * part.batch.messages.size() / all;
    part.shard->writer().write(std::move(part.batch), share, [gathered](WriteAnswer answer) {
      if (answer.written == Written::kStopping) answer.written = Written::kMoved;
      gathered->add(std::move(answer));
    });
  }
}

void Cluster::forward(const std::string& address, const Batch& part,
                      const std::shared_ptr<GatheredAnswer>& gathered) {
  const Period period = catalogue_.metrics()->at(part.metric).manual_period;
  peers_.call(address, "/cluster/records", to_bytes(part, period),
              [gathered](const Result<PeerReply>& reply) { gathered->add(answer_of(reply)); });
}

void Cluster::take_forwarded(const Call& call, const Respond& respond) {
  Result<ForwardedBatch> forwarded = parse_forwarded_batch(call.request.body);
  if (!forwarded) return respond(error_response(400, "bad_batch", forwarded.error().message));
  const std::uint64_t bytes = 4 * call.request.body.size() + 256;
  const auto batch = std::make_shared<Batch>(std::move(forwarded->batch));
  const auto take = [this, batch, bytes, respond] {
    if (batch->metric >= catalogue_.metrics()->size()) {
      return respond(*write_refusal(Written::kMoved));
    }
    scatter(std::move(*batch), bytes, false, [respond](WriteAnswer answer) {
      if (auto refused = write_refusal(answer.written)) return respond(*std::move(refused));
      ApiResponse response;
      response.make_body = [folded = std::move(answer.batch)] { return to_json(folded); };
      respond(std::move(response));
    });
  };
  // Whoever sent it may have news that did not come here yet.
  const std::shared_ptr<const CatalogueMetrics> metrics = catalogue_.metrics();
  const bool behind = batch->metric >= metrics->size() ||
                      (*metrics)[batch->metric].manual_period < forwarded->period;
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
      {"POST", "/cluster/news", Access::kAnyone, known([this](const Call&, const Respond& respond) {
         news_.post([this, respond] {
           if (catalogue_.refresh()) follow_catalogue();
           publish(true);
           respond(json_response("{}"));
         });
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
