#include "futurerand/client/ledger.hpp"

#include <algorithm>

#include "futurerand/client/metric_record.hpp"
#include "futurerand/client/sealed.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kRecord = "ledger";
constexpr std::string_view kKind = "frledger";

// Writes "1.5" from billionths that may be more than any one Epsilon.
std::string decimal(std::int64_t nanos) {
  std::string fraction = std::to_string(nanos % Epsilon::kNanosPerUnit);
  fraction.insert(0, 9 - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return std::to_string(nanos / Epsilon::kNanosPerUnit) + (fraction.empty() ? "" : ".") + fraction;
}

}  // namespace

Result<Ledger> Ledger::open(StateStore& store, const Limits& limits) {
  Result<RecordLease> lease = store.lease(kRecord);
  if (!lease) return lease.error();
  Ledger ledger(*std::move(lease), limits);
  const Result<std::optional<Bytes>> bytes = ledger.lease_.load();
  if (!bytes) return bytes.error();
  if (bytes->has_value()) {
    if (const Status whole = ledger.read(**bytes); !whole) return whole.error();
  }
  if (const Status bound = ledger.check_states(store); !bound) return bound.error();
  return ledger;
}

Status Ledger::read(std::span<const std::uint8_t> bytes) {
  Result<SealedReader> reader = SealedReader::open(bytes, "the device's ledger", kKind);
  if (!reader) return reader.error();
  const std::uint32_t count = reader->u32();
  for (std::uint32_t i = 0; i < count && !reader->failed(); ++i) {
    std::string metric = reader->text(kMaxNameBytes);
    const Result<Epsilon> epsilon = Epsilon::from_nanos(static_cast<std::int64_t>(reader->u64()));
    ClientId client;
    reader->raw(client.bytes);
    if (metric.empty() || !epsilon) {
      reader->fail();
    } else {
      entries_.push_back({std::move(metric), *epsilon, client});
    }
  }
  if (!reader->at_end()) return Error{"the device's ledger is malformed", ErrorCode::kDamaged};
  return {};
}

Status Ledger::check_states(StateStore& store) const {
  const Result<std::vector<std::string>> names = store.names();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!is_metric_record(name)) continue;
    const bool known = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return metric_record(entry.metric) == name;
    });
    if (known) continue;
    return Error{"there is a state, '" + name + "', of a metric that the ledger does not know" +
                     (entries_.empty() ? ": the ledger is missing" : "") +
                     "; expected the ledger that was charged for it",
                 ErrorCode::kDamaged};
  }
  return {};
}

const Ledger::Entry* Ledger::find(std::string_view metric) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.metric == metric; });
  return found == entries_.end() ? nullptr : &*found;
}

Status Ledger::check(std::string_view metric, Epsilon epsilon) const {
  if (metric.empty() || metric.size() > kMaxNameBytes) {
    return Error{"the metric's name has " + std::to_string(metric.size()) +
                 " bytes; expected 1 to " + std::to_string(kMaxNameBytes)};
  }
  if (find(metric) != nullptr) {
    return Error{"this device joined the metric '" + std::string(metric) +
                     "' before; a metric is joined once, ever",
                 ErrorCode::kRefused};
  }
  if (limits_.per_metric && epsilon > *limits_.per_metric) {
    return Error{"the metric '" + std::string(metric) + "' asks for epsilon " + epsilon.text() +
                     "; this device allows a metric at most " + limits_.per_metric->text(),
                 ErrorCode::kRefused};
  }
  if (spent_nanos() + epsilon.nanos() > limits_.ceiling.nanos()) {
    return Error{"the metric '" + std::string(metric) + "' asks for epsilon " + epsilon.text() +
                     "; this device has " +
                     decimal(std::max<std::int64_t>(0, limits_.ceiling.nanos() - spent_nanos())) +
                     " of " + limits_.ceiling.text() + " left",
                 ErrorCode::kRefused};
  }
  return {};
}

Status Ledger::charge(std::string_view metric, Epsilon epsilon, const ClientId& client) {
  if (const Status allowed = check(metric, epsilon); !allowed) return allowed;
  std::vector<Entry> entries = entries_;
  entries.push_back({std::string(metric), epsilon, client});
  SealedWriter writer(kKind, lease_.next_revision());
  writer.u32(static_cast<std::uint32_t>(entries.size()));
  for (const Entry& entry : entries) {
    writer.text(entry.metric);
    writer.u64(static_cast<std::uint64_t>(entry.epsilon.nanos()));
    writer.raw(entry.client.bytes);
  }
  if (const Status saved = lease_.save(writer.seal()); !saved) return saved;
  entries_ = std::move(entries);
  return {};
}

std::int64_t Ledger::spent_nanos() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.epsilon.nanos();
  return sum;
}

}  // namespace futurerand
