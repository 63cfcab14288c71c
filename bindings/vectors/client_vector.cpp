#include "bindings/vectors/client_vector.hpp"

#include <optional>
#include <utility>

#include "bindings/vectors/tape_source.hpp"
#include "futurerand/client/client.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::ordered_json;

// The text of the outbox without the newlines that end its lines.
std::vector<std::string> split(const std::string& lines) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    list.push_back(lines.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

// Integers are yes and no; numbers have a point or an exponent.
Json json_of(const KeptValue& value) {
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? 1 : 0;
  if (const double* number = std::get_if<double>(&value)) return *number;
  return std::get<std::string>(value);
}

Result<KeptValue> read_value(const nlohmann::json* json) {
  if (json != nullptr && json->is_string()) return KeptValue(json->get<std::string>());
  if (json != nullptr && json->is_number_float()) return KeptValue(json->get<double>());
  if (json != nullptr && json->is_number_unsigned() && *json <= 1) return KeptValue(*json == 1);
  return Error{"a step has no value; expected 0, 1, a number with a point, or a text"};
}

Result<std::vector<std::string>> read_lines(const nlohmann::json* json) {
  if (json == nullptr || !json->is_array()) return Error{"a step has no lines; expected a list"};
  std::vector<std::string> lines;
  for (const nlohmann::json& line : *json) {
    if (!line.is_string()) return Error{"a line of a step is not text; expected text"};
    lines.push_back(line.get<std::string>());
  }
  return lines;
}

Result<VectorStep> read_step(const nlohmann::json& json) {
  if (!json.is_object()) return Error{"a step is not an object; expected one"};
  JsonObject object(json, "a step", {"period", "value", "lines", "acknowledged"});
  Result<KeptValue> value = read_value(object.find("value"));
  if (!value) return value.error();
  Result<std::vector<std::string>> lines = read_lines(object.find("lines"));
  if (!lines) return lines.error();
  VectorStep step{object.integer32("period", 1, kMaxPeriods + 1), *std::move(value),
                  *std::move(lines), object.boolean("acknowledged")};
  if (object.error()) return *object.error();
  return step;
}

using Call = DepartureStep::Call;
constexpr std::pair<Call, std::string_view> kCalls[] = {
    {Call::kLeave, "leave"}, {Call::kForget, "forget"}, {Call::kBeginPeriod, "begin_period"}};

std::string_view name_of(Call call) {
  for (const auto& [known, name] : kCalls) {
    if (known == call) return name;
  }
  return {};
}

Result<DepartureStep> read_departure_step(const nlohmann::json& json) {
  if (!json.is_object()) return Error{"a step is not an object; expected one"};
  JsonObject object(json, "a step", {"call", "period", "lines", "acknowledged"});
  Result<std::vector<std::string>> lines = read_lines(object.find("lines"));
  if (!lines) return lines.error();
  const std::string named = object.text("call");
  DepartureStep step{Call::kLeave, object.integer32("period", 1, kMaxPeriods), *std::move(lines),
                     object.boolean("acknowledged")};
  if (object.error()) return *object.error();
  for (const auto& [call, name] : kCalls) {
    step.call = call;
    if (name == named) return step;
  }
  return Error{"a call is none; expected leave, forget or begin_period"};
}

Status make_call(Call call, Client& client, Period period) {
  switch (call) {
    case Call::kLeave:
      return client.leave(period);
    case Call::kForget:
      return client.forget(period);
    case Call::kBeginPeriod:
      client.begin_period(period);
      return {};
  }
  return {};
}

}  // namespace

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> bytes_of_hex(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return bytes;
}

Value value_of(const KeptValue& kept) {
  return std::visit([](const auto& value) -> Value { return value; }, kept);
}

std::string to_line(const ClientVector& vector) {
  Json steps = Json::array();
  for (const VectorStep& step : vector.steps) {
    steps.push_back({{"period", step.period},
                     {"value", json_of(step.value)},
                     {"lines", step.lines},
                     {"acknowledged", step.acknowledged}});
  }
  Json json({{"metric", vector.metric},
             {"plan", Json::parse(vector.plan, nullptr, false)},
             {"digest", vector.digest},
             {"start", vector.start},
             {"period_seconds", vector.period_seconds},
             {"joined", vector.joined},
             {"entropy", hex_of(vector.entropy)},
             {"steps", steps}});
  for (const DepartureStep& step : vector.departure) {
    json["departure"].push_back({{"call", name_of(step.call)},
                                 {"period", step.period},
                                 {"lines", step.lines},
                                 {"acknowledged", step.acknowledged}});
  }
  return json.dump();
}

Result<ClientVector> parse_vector(std::string_view line) {
  const Result<nlohmann::json> json = parse_json_object(line, "a vector");
  if (!json) return json.error();
  JsonObject object(*json, "a vector",
                    {"metric", "plan", "digest", "start", "period_seconds", "joined", "entropy",
                     "steps", "departure"});
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  ClientVector vector{object.text("metric"),
                      {},
                      object.text("digest"),
                      static_cast<std::int64_t>(object.integer("start", 0, kMost)),
                      static_cast<std::int64_t>(object.integer("period_seconds", 0, kMost)),
                      object.integer32("joined", 1, kMaxPeriods)};
  const std::optional<std::vector<std::uint8_t>> entropy = bytes_of_hex(object.text("entropy"));
  const nlohmann::json* plan = object.find("plan");
  const nlohmann::json* steps = object.find("steps");
  if (object.error()) return *object.error();
  if (!entropy) return Error{"the entropy of a vector is not hexadecimal; expected hex digits"};
  if (!steps->is_array()) return Error{"the steps of a vector are no list; expected one"};
  vector.entropy = *entropy;
  // The one spelling of a plan, whatever the order of keys in the file.
  const Result<Plan> read = parse_plan(plan->dump());
  if (!read) return read.error();
  vector.plan = to_json(*read);
  for (const nlohmann::json& json_step : *steps) {
    Result<VectorStep> step = read_step(json_step);
    if (!step) return step.error();
    vector.steps.push_back(*std::move(step));
  }
  if (object.has("departure")) {
    for (const nlohmann::json& json_step : object.array("departure")) {
      Result<DepartureStep> step = read_departure_step(json_step);
      if (!step) return step.error();
      vector.departure.push_back(*std::move(step));
    }
    if (object.error()) return *object.error();
  }
  return vector;
}

Result<MetricTerms> terms_of(const ClientVector& vector) {
  Result<Plan> plan = parse_plan(vector.plan);
  if (!plan) return plan.error();
  Result<CertifiedPlan> certified = CertifiedPlan::create(*std::move(plan));
  if (!certified) return certified.error();
  return MetricTerms{vector.metric, *std::move(certified), {vector.start, vector.period_seconds}};
}

Result<ClientVector> replay(const ClientVector& vector, bool restart) {
  const Result<MetricTerms> terms = terms_of(vector);
  if (!terms) return terms.error();
  MemoryStateStore store;
  Result<Ledger> ledger = Ledger::open(store, terms->plan.plan().epsilon);
  if (!ledger) return ledger.error();
  TapeSource tape(vector.entropy);
  std::optional<Client> client;
  const auto open = [&]() -> Status {
    client.reset();
    Result<Client> opened = Client::open(*terms, vector.joined, *ledger, store, tape);
    if (!opened) return opened.error();
    client.emplace(*std::move(opened));
    return {};
  };
  if (const Status opened = open(); !opened) return opened.error();
  if (tape.left() != 0) {
    return Error{std::to_string(tape.left()) + " bytes of entropy are left; expected none"};
  }
  ClientVector played = vector;
  const auto play = [&](auto& step, const auto& act) -> Status {
    if (restart) {
      if (const Status opened = open(); !opened) return opened;
    }
    if (const Status acted = act(*client); !acted) return acted;
    const Outbox outbox = client->outbox();
    step.lines = split(to_lines(outbox));
    return step.acknowledged ? client->acknowledge(outbox.next_index) : Status();
  };
  for (VectorStep& step : played.steps) {
    const Status seen = play(
        step, [&](Client& device) { return device.observe(step.period, value_of(step.value)); });
    if (!seen) return seen.error();
  }
  for (DepartureStep& step : played.departure) {
    const Status gone =
        play(step, [&](Client& device) { return make_call(step.call, device, step.period); });
    if (!gone) return gone.error();
  }
  return played;
}

}  // namespace futurerand
