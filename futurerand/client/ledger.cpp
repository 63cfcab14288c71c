#include "futurerand/client/ledger.hpp"

#include <algorithm>

#include "futurerand/client/metric_record.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

Error refused(std::string message) { return {std::move(message), ErrorCode::kRefused}; }

// Returns what is left of a budget, as text.
std::string left_of(std::int64_t budget, std::int64_t spent) {
  return budget_text(std::max<std::int64_t>(0, budget - spent));
}

Status check_name(std::string_view metric) {
  if (!metric.empty() && metric.size() <= Ledger::kMaxNameBytes) return {};
  return Error{"the metric's name has " + std::to_string(metric.size()) + " bytes; expected 1 to " +
               std::to_string(Ledger::kMaxNameBytes)};
}

Status check_window(const Ledger::Window& window) {
  if (window.seconds >= 1 && window.seconds <= Ledger::kMaxWindowSeconds) return {};
  return Error{"the window has " + std::to_string(window.seconds) + " seconds; expected 1 to " +
               std::to_string(Ledger::kMaxWindowSeconds)};
}

std::string named(std::string_view metric) { return "the metric '" + std::string(metric) + "'"; }

std::string named(std::string_view metric, std::uint64_t season) {
  return "season " + std::to_string(season) + " of " + named(metric);
}

template <typename List>
auto* with_name(List& list, std::string_view metric) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const auto& item) { return item.metric == metric; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

std::string budget_text(std::int64_t nanos) {
  std::string fraction = std::to_string(nanos % Epsilon::kNanosPerUnit);
  fraction.insert(0, 9 - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return std::to_string(nanos / Epsilon::kNanosPerUnit) + (fraction.empty() ? "" : ".") + fraction;
}

Result<Ledger> Ledger::open(StateStore& store, const Limits& limits) {
  if (limits.window) {
    if (const Status valid = check_window(*limits.window); !valid) return valid.error();
  }
  return read_store(store, &limits);
}

Status Ledger::set_window(const Window& window) {
  if (const Status valid = check_window(window); !valid) return valid;
  limits_.window = window;
  return {};
}

Result<Ledger> Ledger::open_as_saved(StateStore& store) { return read_store(store, nullptr); }

Status Ledger::check_states(StateStore& store) const {
  const Result<std::vector<std::string>> names = store.names();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!is_metric_record(name)) continue;
    const auto has_state = [&](const Entry& entry) {
      return entry.season == 0 && metric_record(entry.metric) == name;
    };
    const auto has_seasons = [&](const Series& of) {
      return season_record(of.metric, 0) == name || season_record(of.metric, 1) == name;
    };
    if (std::any_of(entries().begin(), entries().end(), has_state)) continue;
    if (std::any_of(series().begin(), series().end(), has_seasons)) continue;
    return Error{"there is a state, '" + name + "', of a metric that the ledger does not know" +
                     (entries().empty() ? ": the ledger is missing" : "") +
                     "; expected the ledger that was charged for it",
                 ErrorCode::kDamaged};
  }
  return {};
}

const Ledger::Entry* Ledger::find(std::string_view metric) const {
  // The entry of a series' last season is behind those of earlier ones.
  const auto found = std::find_if(entries().rbegin(), entries().rend(),
                                  [&](const Entry& entry) { return entry.metric == metric; });
  return found == entries().rend() ? nullptr : &*found;
}

const Ledger::Entry* Ledger::find_season(std::string_view metric, std::uint64_t season) const {
  const auto found = std::find_if(entries().begin(), entries().end(), [&](const Entry& entry) {
    return entry.season == season && entry.metric == metric;
  });
  return season == 0 || found == entries().end() ? nullptr : &*found;
}

const Ledger::Series* Ledger::find_series(std::string_view metric) const {
  return with_name(series(), metric);
}

const Ledger::Draw* Ledger::find_draw(std::string_view group) const {
  for (const Draw& draw : draws()) {
    if (draw.group.name() == group) return &draw;
  }
  return nullptr;
}

bool Ledger::drew_another(std::string_view metric) const {
  return std::any_of(draws().begin(), draws().end(), [&](const Draw& draw) {
    return draw.metric != metric && draw.group.has(metric);
  });
}

Status Ledger::check_drawn(std::string_view metric) const {
  if (!drew_another(metric)) return {};
  return refused(named(metric) +
                 " is one of a group, and this device drew another metric of it; a device joins "
                 "one metric of a group, ever");
}

Status Ledger::check_draw(const MetricGroup& group) const {
  if (const Draw* draw = find_draw(group.name())) {
    if (draw->group == group) return {};
    return refused("the group '" + group.name() +
                   "' is not the one that this device drew from: its metrics or shares changed; "
                   "expected the same for ever");
  }
  for (const MetricGroup::Member& member : group.members()) {
    if (find(member.metric) != nullptr || find_series(member.metric) != nullptr) {
      return refused("this device joined " + named(member.metric) + " before, outside the group '" +
                     group.name() + "'; expected a group of new metrics");
    }
    for (const Draw& draw : draws()) {
      if (!draw.group.has(member.metric)) continue;
      return refused(named(member.metric) + " is in the groups '" + draw.group.name() + "' and '" +
                     group.name() + "'; expected one");
    }
  }
  return {};
}

Status Ledger::begin_group(const MetricGroup& group, std::string_view drawn) {
  if (const Status allowed = check_draw(group); !allowed) return allowed;
  if (find_draw(group.name()) != nullptr) return {};
  Book book = book_;
  book.draws.push_back({group, std::string(drawn)});
  return save(std::move(book));
}

Status Ledger::check_limits(std::string_view what, Epsilon epsilon, const Span& span) const {
  const std::string asks = std::string(what) + " asks for epsilon " + epsilon.text();
  if (limits_.per_metric && epsilon > *limits_.per_metric) {
    return refused(asks + "; this device allows a metric at most " + limits_.per_metric->text());
  }
  if (spent_nanos() + epsilon.nanos() > limits_.ceiling.nanos()) {
    return refused(asks + "; this device has " + left_of(limits_.ceiling.nanos(), spent_nanos()) +
                   " of " + limits_.ceiling.text() + " left");
  }
  if (span.from > believed_ || span.until <= believed_) {
    return Error{std::string(what) + " runs from " + readable_time(span.from) + " to " +
                     readable_time(span.until) + "; this device's clock says " +
                     readable_time(believed_),
                 span.from > believed_ ? ErrorCode::kNotStarted : ErrorCode::kRefused};
  }
  if (!limits_.window) return {};
  const Window& window = *limits_.window;
  const std::int64_t spent = window_nanos(span.from);
  if (spent + epsilon.nanos() > window.epsilon.nanos()) {
    const std::string left = asks + "; this device has " + left_of(window.epsilon.nanos(), spent) +
                             " of " + window.epsilon.text() + " left in any " +
                             std::to_string(window.seconds) + " seconds";
    const std::optional<std::int64_t> later = fits_from(epsilon);
    if (!later) return refused(left);
    return Error{left + "; it fits from " + readable_time(*later) + " on", ErrorCode::kNotStarted};
  }
  return {};
}

Status Ledger::check(std::string_view metric, Epsilon epsilon, const Span& span) const {
  if (const Status valid = check_name(metric); !valid) return valid;
  if (find(metric) != nullptr || find_series(metric) != nullptr) {
    return refused("this device joined " + named(metric) +
                   " before; a metric is joined once, ever");
  }
  if (const Status drawn = check_drawn(metric); !drawn) return drawn;
  return check_limits(named(metric), epsilon, span);
}

Status Ledger::charge(std::string_view metric, Epsilon epsilon, const ClientId& client,
                      const Span& span) {
  if (const Status allowed = check(metric, epsilon, span); !allowed) return allowed;
  Book book = book_;
  book.entries.push_back({std::string(metric), epsilon, client, span});
  return save(std::move(book));
}

Status Ledger::begin_series(std::string_view metric, const Digest& terms, std::uint32_t phase) {
  if (const Status valid = check_name(metric); !valid) return valid;
  if (const Series* pinned = find_series(metric)) {
    if (pinned->terms == terms) return {};
    return refused(named(metric) +
                   " is not the one that this device joined: its plan, start, period length or "
                   "seasons changed; expected the same terms for ever");
  }
  if (find(metric) != nullptr) {
    return refused("this device joined " + named(metric) + " before, as one without seasons");
  }
  if (const Status drawn = check_drawn(metric); !drawn) return drawn;
  Book book = book_;
  book.series.push_back({std::string(metric), terms, phase});
  return save(std::move(book));
}

Status Ledger::check_order(std::string_view metric, std::uint64_t season) const {
  const Series* pinned = find_series(metric);
  if (pinned == nullptr) {
    return Error{"the ledger has no series of " + named(metric) + "; expected begin_series first",
                 ErrorCode::kNotFound};
  }
  if (season > pinned->last_season) return {};
  return refused(named(metric, season) + " is not after season " +
                 std::to_string(pinned->last_season) +
                 ", which this device joined or sat out; a season is joined once, ever");
}

Status Ledger::check_season(std::string_view metric, std::uint64_t season, Epsilon epsilon,
                            const Span& span) const {
  if (const Status next = check_order(metric, season); !next) return next;
  return check_limits(named(metric, season), epsilon, span);
}

Status Ledger::sit_out(std::string_view metric, std::uint64_t season) {
  if (const Status next = check_order(metric, season); !next) return next;
  Book book = book_;
  with_name(book.series, metric)->last_season = season;
  return save(std::move(book));
}

Status Ledger::charge_season(std::string_view metric, std::uint64_t season, Epsilon epsilon,
                             const ClientId& client, const Span& span) {
  if (const Status allowed = check_season(metric, season, epsilon, span); !allowed) return allowed;
  Book book = book_;
  Series& of = *with_name(book.series, metric);
  of.last_season = season;
  // Seasons outside the window become part of one sum, so the ledger does not grow with time. The
  // sum keeps the latest end, so it counts at least as long as each of its seasons.
  const std::int64_t past =
      limits_.window ? believed_ - limits_.window->seconds : std::int64_t{kNoEnd};
  std::erase_if(book.entries, [&](const Entry& entry) {
    if (entry.metric != metric || entry.span.until > past) return false;
    of.earlier_nanos += entry.epsilon.nanos();
    of.earlier_until = std::max(of.earlier_until, entry.span.until);
    return true;
  });
  book.entries.push_back({std::string(metric), epsilon, client, span, season});
  return save(std::move(book));
}

std::int64_t Ledger::spent_nanos() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries()) sum += entry.epsilon.nanos();
  for (const Series& past : series()) sum += past.earlier_nanos;
  return sum;
}

std::int64_t Ledger::window_nanos(std::int64_t from) const {
  const std::int64_t begin = from - limits_.window->seconds;
  std::int64_t sum = 0;
  for (const Entry& entry : entries()) sum += entry.span.until > begin ? entry.epsilon.nanos() : 0;
  for (const Series& past : series()) sum += past.earlier_until > begin ? past.earlier_nanos : 0;
  return sum;
}

std::optional<std::int64_t> Ledger::fits_from(Epsilon epsilon) const {
  if (limits_.per_metric && epsilon > *limits_.per_metric) return std::nullopt;
  if (spent_nanos() + epsilon.nanos() > limits_.ceiling.nanos()) return std::nullopt;
  if (!limits_.window) return believed_;
  // What counts only falls where an entry leaves.
  std::vector<std::int64_t> times = {believed_};
  const auto leaves_at = [&](std::int64_t until) {
    if (until < kNoEnd - limits_.window->seconds) times.push_back(until + limits_.window->seconds);
  };
  for (const Entry& entry : entries()) leaves_at(entry.span.until);
  for (const Series& past : series()) leaves_at(past.earlier_until);
  std::sort(times.begin(), times.end());
  for (const std::int64_t time : times) {
    if (time < believed_) continue;
    if (window_nanos(time) + epsilon.nanos() <= limits_.window->epsilon.nanos()) return time;
  }
  return std::nullopt;
}

}  // namespace futurerand
