#include "bindings/vectors/group_vector.hpp"

#include "futurerand/client/rolling_client.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/metric_json.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::ordered_json;

struct Member {
  const char* name;
  std::uint32_t share;
  Protocol protocol;
  Period periods;
  const char* epsilon;
};

// Shares whose sum is no power of two, so that a draw may be rejected.
constexpr Member kMembers[] = {{"beta", 5, Protocol::kInnovation, 12, "2"},
                               {"dark-mode", 2, Protocol::kOptimal, 8, "1"},
                               {"sync", 4, Protocol::kOnce, 6, "4"}};

Json document_of(const Member& member) {
  const bool once = member.protocol == Protocol::kOnce;
  MetricDefinition metric = default_metric(
      member.name,
      *make_plan(member.protocol, member.periods, once ? 0 : 2, *Epsilon::parse(member.epsilon),
                 member.protocol == Protocol::kOptimal ? Initial::kZero : Initial::kUnknown));
  std::vector<MetricGroup::Member> members;
  for (const Member& each : kMembers) members.push_back({each.name, each.share});
  metric.group = *MetricGroup::create("settings", std::move(members));
  Json json = Json::parse(to_json(metric));
  json["current_period"] = 1;
  return json;
}

Json lines_of(RollingClient& client) {
  Json lines = Json::array();
  for (Client* part : client.parts()) {
    const std::string text = to_lines(part->outbox());
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      lines.push_back(text.substr(at, text.find('\n', at) - at));
    }
  }
  return lines;
}

}  // namespace

Json group_vector(std::uint64_t seed) {
  testing_sources::SeededSource chance(~seed);
  Json vector = {
      {"metrics", Json::array()}, {"entropy", ""}, {"drawn", ""}, {"steps", Json::array()}};
  for (const Member& member : kMembers) vector["metrics"].push_back(document_of(member));
  for (Period period = 1; period <= 13; ++period) {
    Json values = Json::object();
    for (const Member& member : kMembers) values[member.name] = chance.below(2);
    vector["steps"].push_back({{"period", period}, {"values", values}});
  }
  return vector;
}

Result<Json> replay_group(const Json& vector, RandomSource& entropy, bool restart) {
  MemoryStateStore store;
  Result<Ledger> ledger = Ledger::open(store, *Epsilon::parse("16"));
  if (!ledger) return ledger.error();
  std::vector<MetricTerms> all;
  for (const Json& document : vector["metrics"]) {
    const Result<PublishedMetric> metric = parse_published_metric(document.dump());
    if (!metric) return metric.error();
    Result<MetricTerms> terms = MetricTerms::accept(metric->definition);
    if (!terms) return terms.error();
    all.push_back(*std::move(terms));
  }
  Json played = vector;
  std::vector<RollingClient> clients;
  for (Json& step : played["steps"]) {
    if (restart) clients.clear();
    const Period period = step["period"];
    step["lines"] = Json::object();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (clients.size() <= i) {
        Result<RollingClient> client = RollingClient::open(all[i], 1, *ledger, store, entropy);
        if (!client) return client.error();
        clients.push_back(*std::move(client));
      }
      const std::string& name = all[i].name;
      if (const Status seen = clients[i].observe(period, step["values"][name] == 1); !seen) {
        return seen.error();
      }
      step["lines"][name] = lines_of(clients[i]);
      for (Client* part : clients[i].parts()) {
        const Status known = part->acknowledge(part->outbox().next_index);
        if (!known) return known.error();
      }
    }
  }
  played["drawn"] = ledger->draws().front().metric;
  return played;
}

}  // namespace futurerand
