// The ledger's record: entries, series, draws of groups, the believed time, and the limits it was
// saved under.
#include <algorithm>

#include "futurerand/client/ledger.hpp"
#include "futurerand/client/sealed.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kRecord = "ledger";
constexpr std::string_view kKind = "frledger";

void write_budget(SealedWriter& writer, const std::optional<Epsilon>& budget) {
  writer.u64(budget ? static_cast<std::uint64_t>(budget->nanos()) : 0);
}

// Reads nothing from 0.
std::optional<Epsilon> read_budget(SealedReader& reader) {
  const std::uint64_t nanos = reader.u64();
  if (nanos == 0) return std::nullopt;
  const Result<Epsilon> budget = Epsilon::from_nanos(static_cast<std::int64_t>(nanos));
  if (!budget) reader.fail();
  return budget ? std::optional(*budget) : std::nullopt;
}

// Reads a time or a sum, which is not negative.
std::int64_t read_natural(SealedReader& reader) {
  const auto value = static_cast<std::int64_t>(reader.u64());
  if (value < 0) reader.fail();
  return value;
}

std::optional<Ledger::Draw> read_draw(SealedReader& reader) {
  std::string name = reader.text(Ledger::kMaxNameBytes);
  const std::uint32_t num_members = reader.u32(), drawn = reader.u32();
  std::vector<MetricGroup::Member> members;
  for (std::uint32_t i = 0; i < num_members && !reader.failed(); ++i) {
    std::string metric = reader.text(Ledger::kMaxNameBytes);
    members.push_back({std::move(metric), reader.u32()});
  }
  const Result<MetricGroup> group = MetricGroup::create(std::move(name), std::move(members));
  if (reader.failed() || !group || drawn >= num_members) return std::nullopt;
  return Ledger::Draw{*group, group->members()[drawn].metric};
}

void write_draw(SealedWriter& writer, const Ledger::Draw& draw) {
  const std::vector<MetricGroup::Member>& members = draw.group.members();
  const auto drawn = std::find_if(members.begin(), members.end(),
                                  [&](const auto& member) { return member.metric == draw.metric; });
  writer.text(draw.group.name());
  writer.u32(static_cast<std::uint32_t>(members.size()));
  writer.u32(static_cast<std::uint32_t>(drawn - members.begin()));
  for (const MetricGroup::Member& member : members) {
    writer.text(member.metric);
    writer.u32(member.share);
  }
}

std::string read_name(SealedReader& reader) {
  std::string name = reader.text(Ledger::kMaxNameBytes);
  if (name.empty()) reader.fail();
  return name;
}

}  // namespace

Result<Ledger> Ledger::read_store(StateStore& store, const Limits* limits) {
  Result<RecordLease> lease = store.lease(kRecord);
  if (!lease) return lease.error();
  Ledger ledger(*std::move(lease),
                limits != nullptr ? *limits : Limits{*Epsilon::from_nanos(Epsilon::kMaxNanos)});
  // To show it, its age does not matter, and no counter is needed. Such a ledger cannot be saved.
  const Result<std::optional<Bytes>> bytes =
      limits == nullptr ? store.load(kRecord) : ledger.lease_.load();
  if (!bytes) return bytes.error();
  if (bytes->has_value()) {
    const Result<Limits> saved = ledger.read(**bytes);
    if (!saved) return saved.error();
    if (limits == nullptr) ledger.limits_ = *saved;
  } else if (limits == nullptr) {
    return Error{"there is no ledger", ErrorCode::kNotFound};
  }
  if (const Status bound = ledger.check_states(store); !bound) return bound.error();
  return ledger;
}

Result<Ledger::Limits> Ledger::read(std::span<const std::uint8_t> bytes) {
  Result<SealedReader> opened = SealedReader::open(bytes, "the device's ledger", kKind);
  if (!opened) return opened.error();
  SealedReader& reader = *opened;
  const Error malformed{"the device's ledger is malformed", ErrorCode::kDamaged};
  const std::uint32_t num_entries = reader.u32();
  for (std::uint32_t i = 0; i < num_entries && !reader.failed(); ++i) {
    std::string metric = read_name(reader);
    const std::optional<Epsilon> epsilon = read_budget(reader);
    if (!epsilon) return malformed;
    Entry entry{std::move(metric), *epsilon, {}, {}};
    reader.raw(entry.client.bytes);
    entry.span.from = read_natural(reader);
    entry.span.until = read_natural(reader);
    entry.season = reader.u64();
    book_.entries.push_back(std::move(entry));
  }
  const std::uint32_t num_series = reader.u32();
  for (std::uint32_t i = 0; i < num_series && !reader.failed(); ++i) {
    Series series;
    series.metric = read_name(reader);
    reader.raw(series.terms);
    series.phase = reader.u32();
    series.last_season = reader.u64();
    series.earlier_nanos = read_natural(reader);
    series.earlier_until = read_natural(reader);
    book_.series.push_back(std::move(series));
  }
  const std::uint32_t num_draws = reader.u32();
  for (std::uint32_t i = 0; i < num_draws && !reader.failed(); ++i) {
    std::optional<Draw> draw = read_draw(reader);
    if (!draw) return malformed;
    book_.draws.push_back(*std::move(draw));
  }
  believed_ = read_natural(reader);
  const std::optional<Epsilon> ceiling = read_budget(reader), per_metric = read_budget(reader);
  const std::optional<Epsilon> in_window = read_budget(reader);
  const std::int64_t seconds = read_natural(reader);
  if (!reader.at_end() || !ceiling || in_window.has_value() != (seconds > 0)) return malformed;
  Limits limits{*ceiling, per_metric};
  if (in_window) limits.window = Window{*in_window, seconds};
  return limits;
}

Status Ledger::save(Book book) {
  SealedWriter writer(kKind, lease_.next_revision());
  const auto u64 = [&](std::int64_t value) { writer.u64(static_cast<std::uint64_t>(value)); };
  writer.u32(static_cast<std::uint32_t>(book.entries.size()));
  for (const Entry& entry : book.entries) {
    writer.text(entry.metric);
    u64(entry.epsilon.nanos());
    writer.raw(entry.client.bytes);
    u64(entry.span.from);
    u64(entry.span.until);
    writer.u64(entry.season);
  }
  writer.u32(static_cast<std::uint32_t>(book.series.size()));
  for (const Series& series : book.series) {
    writer.text(series.metric);
    writer.raw(series.terms);
    writer.u32(series.phase);
    writer.u64(series.last_season);
    u64(series.earlier_nanos);
    u64(series.earlier_until);
  }
  writer.u32(static_cast<std::uint32_t>(book.draws.size()));
  for (const Draw& draw : book.draws) write_draw(writer, draw);
  u64(believed_);
  write_budget(writer, limits_.ceiling);
  write_budget(writer, limits_.per_metric);
  write_budget(writer, limits_.window ? std::optional(limits_.window->epsilon) : std::nullopt);
  u64(limits_.window ? limits_.window->seconds : 0);
  if (const Status saved = lease_.save(writer.seal()); !saved) return saved;
  book_ = std::move(book);
  return {};
}

}  // namespace futurerand
