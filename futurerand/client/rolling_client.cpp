#include "futurerand/client/rolling_client.hpp"

#include <algorithm>
#include <utility>

#include "futurerand/client/group_draw.hpp"
#include "futurerand/core/coding/row.hpp"
#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/entropy/checked_entropy.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand {

namespace {

// A collector's names have letters, digits, '_', '-' and '.'; other bytes are escaped.
std::string escaped(std::string_view name) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : name) {
    if (kPlain.find(c) != kPlain.npos) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

}  // namespace

std::string reports_path(const Client& client) {
  std::string path = "/v1/metrics/" + escaped(client.metric());
  if (client.season() != 0) path += "/seasons/" + std::to_string(client.season());
  return path + "/reports";
}

Result<RollingClient> RollingClient::open(const MetricTerms& terms, Period period, Ledger& ledger,
                                          StateStore& store, RandomSource& entropy,
                                          std::string_view segment) {
  RollingClient rolling(terms, ledger, store, entropy, segment);
  if (const Status valid = terms.validate(); !valid) return valid.error();
  const Result<bool> drawn = futurerand::takes_part(terms, period, ledger, entropy);
  if (!drawn) return drawn.error();
  rolling.takes_part_ = *drawn;
  if (!rolling.takes_part_) return rolling;
  if (!terms.is_endless()) {
    Result<Client> client = Client::open(terms, period, ledger, store, entropy, segment);
    if (!client) return client.error();
    rolling.parts_[kLive] = *std::move(client);
    return rolling;
  }
  if (const Status known = terms.check_segment(segment); !known) return known.error();
  if (const Status pinned = rolling.begin_series(); !pinned) return pinned.error();
  if (const Status opened = rolling.open_seasons(); !opened) return opened.error();
  return rolling;
}

Status RollingClient::begin_series() {
  std::uint32_t phase = 0;
  if (ledger_->find_series(metric()) == nullptr) {
    CheckedEntropy checked(*entropy_);
    checked.discard_buffered();
    UniformBits bits(checked);
    phase = bits.below(static_cast<std::uint32_t>(terms_.seasons->num_phases()));
    if (bits.failed()) {
      return Error{"the random source failed; the device did not join", ErrorCode::kNoEntropy};
    }
  }
  const Status pinned = ledger_->begin_series(metric(), terms_.digest(), phase);
  if (pinned) phase_ = ledger_->find_series(metric())->phase;
  return pinned;
}

Status RollingClient::open_seasons() {
  const std::uint64_t last = ledger_->find_series(metric())->last_season;
  const auto num_phases = static_cast<std::uint64_t>(terms_.seasons->num_phases());
  const std::array<std::uint64_t, 2> seasons = {last, last > num_phases ? last - num_phases : 0};
  for (std::size_t i = 0; i < seasons.size(); ++i) {
    if (seasons[i] == 0) continue;
    const MetricTerms terms = terms_.season_terms(seasons[i]);
    Result<std::optional<Client>> part = Client::open_season(terms, *ledger_, *store_);
    if (!part) return part.error();
    parts_[i] = *std::move(part);
  }
  if (const Client* client = live()) {
    const auto first = terms_.seasons->first(static_cast<std::int64_t>(client->season()));
    latest_ = static_cast<Period>(std::max<std::int64_t>(0, first - 1 + client->now()));
  }
  return {};
}

Period RollingClient::now() const { return is_endless() || !takes_part_ ? latest_ : live()->now(); }

Result<Period> RollingClient::current_period(Period period) const {
  const std::int64_t now = ledger_->believed();
  Period t = std::max(period, latest_);
  if (now != 0) {
    t = terms_.period_at(now);
    if (period > t + 1 || period + 1 < t) {
      return Error{"the metric's period is " + std::to_string(period) +
                       "; by this device's clock it is " + std::to_string(t) +
                       ", and expected within one period of it",
                   ErrorCode::kNotStarted};
    }
  } else if (ledger_->limits().window) {
    return Error{"this device has no clock; expected one, since its limits have a window"};
  }
  if (t == 0) {
    return Error{"the metric '" + metric() + "' starts on " + readable_time(terms_.clock.start) +
                     "; try again then",
                 ErrorCode::kNotStarted};
  }
  return t;
}

Status RollingClient::end_seasons(Period t) {
  const auto last = [&](const Client& part) {
    return terms_.seasons->last(static_cast<std::int64_t>(part.season()));
  };
  if (parts_[kLive] && last(*parts_[kLive]) < t) {
    if (parts_[kFinishing]) {
      if (const Status erased = parts_[kFinishing]->erase_state(); !erased) return erased;
      parts_[kFinishing].reset();
    }
    if (const Status finished = parts_[kLive]->finish(); !finished) return finished;
    parts_[kFinishing] = std::exchange(parts_[kLive], std::nullopt);
  }
  if (!parts_[kFinishing]) return {};
  Client& part = *parts_[kFinishing];
  if (const Status finished = part.finish(); !finished) return finished;
  const bool is_late = last(part) + terms_.grace < t;
  if (!is_late && !part.delivered() && part.closed()) return {};
  if (const Status erased = part.erase_state(); !erased) return erased;
  parts_[kFinishing].reset();
  return {};
}

Status RollingClient::join_season(Period t) {
  const std::optional<std::int64_t> live = terms_.seasons->season_of(phase_, t);
  if (parts_[kLive] || !live || !may_join_) return {};
  const auto season = static_cast<std::uint64_t>(*live);
  if (season <= ledger_->find_series(metric())->last_season) return {};
  const MetricTerms terms = terms_.season_terms(season);
  const auto period = static_cast<Period>(t - terms_.seasons->first(*live) + 1);
  const Status allowed = Client::check_join(terms, period, *ledger_);
  if (!allowed) return ledger_->sit_out(metric(), season);
  Result<Client> client = Client::open(terms, period, *ledger_, *store_, *entropy_, segment_);
  if (!client) return client.error();
  parts_[kLive] = *std::move(client);
  return {};
}

Status RollingClient::begin_period(Period period) {
  if (!takes_part_) return {};
  if (!is_endless()) {
    parts_[kLive]->begin_period(period);
    return {};
  }
  const Result<Period> t = current_period(period);
  if (!t) return t.error();
  if (const Status ended = end_seasons(*t); !ended) return ended;
  latest_ = *t;
  if (Client* client = parts_[kLive] ? &*parts_[kLive] : nullptr) {
    const auto first = terms_.seasons->first(static_cast<std::int64_t>(client->season()));
    client->begin_period(static_cast<Period>(*t - first + 1));
  }
  return {};
}

Status RollingClient::observe(Period period, const Value& value) {
  const Observation one{period, value};
  return observe(std::span(&one, 1));
}

Status RollingClient::ignore(std::span<const Observation> all) {
  // The values are checked under any row: a wrong kind of value is an error on every device.
  const CodingRow row = row_of(coding(), {});
  Period last = latest_;
  for (const Observation& seen : all) {
    if (seen.period < last) {
      return Error{"period " + std::to_string(seen.period) + " is over; expected period " +
                   std::to_string(last) + " or a later one"};
    }
    last = seen.period;
    if (const Result<std::uint32_t> value = coding().held(row, seen.value); !value) {
      return value.error();
    }
  }
  latest_ = last;
  return {};
}

Status RollingClient::observe(std::span<const Observation> all) {
  if (!takes_part_) return ignore(all);
  if (!is_endless()) return parts_[kLive]->observe(all);
  if (all.empty()) return {};
  if (const Status begun = begin_period(all.back().period); !begun) return begun;
  if (const Status joined = join_season(latest_); !joined) return joined;
  if (!parts_[kLive]) return {};
  Client& client = *parts_[kLive];
  const auto first = terms_.seasons->first(static_cast<std::int64_t>(client.season()));
  // The last value is of the current period. Values from before the device joined stay out.
  std::vector<Observation> in_season;
  for (const Observation& seen : all) {
    const Period t = &seen == &all.back() ? latest_ : std::min(seen.period, latest_);
    const std::int64_t period = std::int64_t{t} - first + 1;
    if (period < client.joined()) continue;
    in_season.push_back({static_cast<Period>(period), seen.value});
  }
  return client.observe(in_season);
}

Status RollingClient::depart(Period period, bool forget) {
  if (const Status begun = begin_period(period); !begun) return begun;
  for (Client* part : parts()) {
    const std::int64_t first =
        is_endless() ? terms_.seasons->first(static_cast<std::int64_t>(part->season())) : 1;
    const std::int64_t in_season = std::int64_t{is_endless() ? latest_ : period} - first + 1;
    const auto at = static_cast<Period>(std::max<std::int64_t>(0, in_season));
    const Status left = forget ? part->forget(at) : part->leave(at);
    if (!left) return left;
  }
  return forget && is_endless() ? forget_erased_season() : Status();
}

Status RollingClient::forget_erased_season() {
  if (parts_[kFinishing]) return {};
  const auto last = static_cast<std::int64_t>(ledger_->find_series(metric())->last_season);
  const std::int64_t season = parts_[kLive] ? last - terms_.seasons->num_phases() : last;
  if (season < 1) return {};
  const std::int64_t end = terms_.seasons->last(season);
  if (end >= latest_ || end + terms_.grace < latest_) return {};
  Result<std::optional<Client>> part = Client::forget_erased(
      terms_.season_terms(static_cast<std::uint64_t>(season)), *ledger_, *store_);
  if (!part) return part.error();
  parts_[kFinishing] = *std::move(part);
  return {};
}

std::vector<Client*> RollingClient::parts() {
  std::vector<Client*> parts;
  for (const std::size_t i : {kFinishing, kLive}) {
    if (parts_[i]) parts.push_back(&*parts_[i]);
  }
  return parts;
}

Result<Client*> RollingClient::part_of(std::string_view lines) {
  Error none{"this device has no lines of this metric; expected lines as it gave them"};
  for (Client* part : parts()) {
    const Result<Outbox> outbox = part->outbox_of(lines);
    if (outbox) return part;
    none = outbox.error();
  }
  return none;
}

Client* RollingClient::due() {
  for (Client* part : parts()) {
    if (part->outbox().num_lines() > 0) return part;
  }
  return nullptr;
}

}  // namespace futurerand
