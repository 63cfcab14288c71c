#include "futurerand/client/ledger.hpp"

#include <algorithm>

#include "futurerand/client/sealed.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kRecord = "ledger";
constexpr std::string_view kKind = "frledger";
constexpr std::uint32_t kVersion = 1;

// "1.5" from billionths that may be more than any one Epsilon.
std::string decimal(std::int64_t nanos) {
  std::string fraction = std::to_string(nanos % Epsilon::kNanosPerUnit);
  fraction.insert(0, 9 - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return std::to_string(nanos / Epsilon::kNanosPerUnit) + (fraction.empty() ? "" : ".") + fraction;
}

Status save(StateStore& store, const std::vector<Ledger::Entry>& entries) {
  SealedWriter writer(kKind, kVersion);
  writer.u32(static_cast<std::uint32_t>(entries.size()));
  for (const Ledger::Entry& entry : entries) {
    writer.text(entry.metric);
    writer.u64(static_cast<std::uint64_t>(entry.epsilon.nanos()));
  }
  return store.save(kRecord, writer.seal());
}

}  // namespace

Result<Ledger> Ledger::open(StateStore& store, Epsilon ceiling) {
  Ledger ledger(store, ceiling);
  const Result<std::optional<Bytes>> bytes = store.load(kRecord);
  if (!bytes) return bytes.error();
  if (!bytes->has_value()) return ledger;
  Result<SealedReader> reader = SealedReader::open(**bytes, "the device's ledger", kKind, kVersion);
  if (!reader) return reader.error();
  const std::uint32_t count = reader->u32();
  for (std::uint32_t i = 0; i < count && !reader->failed(); ++i) {
    std::string metric = reader->text(kMaxNameBytes);
    const Result<Epsilon> epsilon = Epsilon::from_nanos(static_cast<std::int64_t>(reader->u64()));
    if (metric.empty() || !epsilon) {
      reader->fail();
    } else {
      ledger.entries_.push_back({std::move(metric), *epsilon});
    }
  }
  if (!reader->at_end()) return Error{"the device's ledger is malformed", ErrorCode::kDamaged};
  return ledger;
}

bool Ledger::knows(std::string_view metric) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.metric == metric; });
}

Status Ledger::check(std::string_view metric, Epsilon epsilon) const {
  if (metric.empty() || metric.size() > kMaxNameBytes) {
    return Error{"the metric's name has " + std::to_string(metric.size()) +
                 " bytes; expected 1 to " + std::to_string(kMaxNameBytes)};
  }
  if (knows(metric)) {
    return Error{"this device joined the metric '" + std::string(metric) +
                     "' before; a metric is joined once, ever",
                 ErrorCode::kRefused};
  }
  if (spent_nanos() + epsilon.nanos() > ceiling_.nanos()) {
    return Error{"the metric '" + std::string(metric) + "' asks for epsilon " + epsilon.text() +
                     "; this device has " +
                     decimal(std::max<std::int64_t>(0, ceiling_.nanos() - spent_nanos())) + " of " +
                     ceiling_.text() + " left",
                 ErrorCode::kRefused};
  }
  return {};
}

Status Ledger::charge(std::string_view metric, Epsilon epsilon) {
  if (const Status allowed = check(metric, epsilon); !allowed) return allowed;
  std::vector<Entry> entries = entries_;
  entries.push_back({std::string(metric), epsilon});
  if (const Status saved = save(*store_, entries); !saved) return saved;
  entries_ = std::move(entries);
  return {};
}

std::int64_t Ledger::spent_nanos() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.epsilon.nanos();
  return sum;
}

}  // namespace futurerand
