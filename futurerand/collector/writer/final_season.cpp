#include "futurerand/collector/writer/final_season.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "futurerand/collector/fold/fold_checkpoint.hpp"

namespace futurerand {
namespace {

// Far beyond any population, and far from overflow when parts of a season are added up.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 48;

bool can_be_counted(const Plan& plan, const Sums& sums) {
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      const IndexSum& at = sums.at(view, index);
      const auto most = static_cast<std::int64_t>(std::min(at.spoken, kMostCounted));
      if (at.count > kMostCounted || at.spoken > at.count || at.sum < -most || at.sum > most) {
        return false;
      }
    }
    for (Period t = 1; t <= plan.num_periods; ++t) {
      if (sums.enrolled_in(view, t) > kMostCounted) return false;
    }
  }
  return true;
}

void put_number(std::string& out, double value) {
  put_word(out, std::bit_cast<std::uint64_t>(value));
}

double read_finite(ByteReader& in) {
  const auto value = std::bit_cast<double>(in.word());
  if (!std::isfinite(value)) in.fail();
  return value;
}

void put_panel(std::string& out, const Panel& panel) {
  put_varint(out, panel.periods.size());
  for (const PanelPeriod& at : panel.periods) {
    for (const double value : {at.value, at.variance, at.devices, at.reports}) {
      put_number(out, value);
    }
  }
  put_varint(out, panel.rows.size());
  for (const float row : panel.rows) put_half_word(out, std::bit_cast<std::uint32_t>(row));
  for (const Panel& one : panel.strata) put_panel(out, one);
}

// Without those of its strata.
Panel read_one_panel(ByteReader& in, const Plan& plan) {
  Panel panel;
  const std::uint64_t periods = in.varint();
  if (periods > plan.num_periods) in.fail();
  for (std::uint64_t at = 0; at < periods && in.ok(); ++at) {
    PanelPeriod& period = panel.periods.emplace_back();
    for (double* value : {&period.value, &period.variance, &period.devices, &period.reports}) {
      *value = read_finite(in);
    }
  }
  const std::uint64_t codes = plan.coding.has_rows() ? plan.coding.num_codes() : 0;
  const std::uint64_t rows = in.varint();
  if (rows != codes * panel.periods.size()) in.fail();
  for (std::uint64_t at = 0; at < rows && in.ok(); ++at) {
    panel.rows.push_back(std::bit_cast<float>(in.half_word()));
    if (!std::isfinite(panel.rows.back())) in.fail();
  }
  return panel;
}

Panel read_panel(ByteReader& in, const Plan& plan) {
  Panel panel = read_one_panel(in, plan);
  for (std::size_t g = 0; g < plan.segments.values().size(); ++g) {
    panel.strata.push_back(read_one_panel(in, plan));
  }
  return panel;
}

}  // namespace

std::uint64_t FinalSeason::memory_bytes() const {
  return panel->memory_bytes() + sums.memory_bytes();
}

std::string to_bytes(const Plan& plan, const FinalSeason& season) {
  Fold fold(plan, HashKey{});
  fold.adopt(season.sums);
  const std::string sums = FoldCheckpoint::save(fold, 0);
  std::string bytes;
  put_varint(bytes, sums.size());
  bytes += sums;
  put_panel(bytes, *season.panel);
  return bytes;
}

Result<FinalSeason> parse_final_season(const Plan& plan, std::string_view bytes) {
  ByteReader in(bytes);
  Fold fold(plan, HashKey{});
  const std::string_view sums = in.take(in.varint());
  if (const Status loaded = FoldCheckpoint::load(0, sums, fold); !loaded) return loaded.error();
  if (!fold.dropped_clients()) return Error{"a final season without its enrolments"};
  for (std::uint32_t g = 0; g < fold.sums().num_strata(); ++g) {
    if (!can_be_counted(plan, fold.sums().stratum(g))) {
      return Error{"sums that no season can have"};
    }
  }
  auto panel = std::make_shared<const Panel>(read_panel(in, plan));
  if (!in.at_end()) return Error{"the figures of a season cannot be read"};
  return FinalSeason{fold.sums(), std::move(panel)};
}

std::string to_bytes(const Plan& plan, const FinalSeasons& seasons) {
  std::string bytes;
  put_varint(bytes, seasons.size());
  for (const auto& [number, season] : seasons) {
    const std::string one = to_bytes(plan, *season);
    put_varint(bytes, static_cast<std::uint64_t>(number));
    put_varint(bytes, one.size());
    bytes += one;
  }
  return bytes;
}

Result<FinalSeasons> parse_final_seasons(const Plan& plan, std::string_view bytes) {
  ByteReader in(bytes);
  FinalSeasons seasons;
  const std::uint64_t count = in.varint();
  for (std::uint64_t at = 0; at < count && in.ok(); ++at) {
    const std::int64_t number = in.varint32();
    const std::string_view one = in.take(in.varint());
    if (!in.ok()) break;
    Result<FinalSeason> season = parse_final_season(plan, one);
    if (!season) return season.error();
    const bool is_new =
        number >= 1 &&
        seasons.emplace(number, std::make_shared<const FinalSeason>(*std::move(season))).second;
    if (!is_new) return Error{"season " + std::to_string(number) + " twice"};
  }
  if (!in.at_end()) return Error{"final seasons cannot be read"};
  return seasons;
}

std::string endless_sums(const Plan& plan, const Fold& fold, const FinalSeasons& seasons) {
  const std::string sums = FoldCheckpoint::save(fold, 0);
  std::string both;
  put_varint(both, sums.size());
  return both + sums + to_bytes(plan, seasons);
}

Result<FinalSeasons> load_endless_sums(const Plan& plan, std::string_view bytes, Fold& fold) {
  ByteReader in(bytes);
  const std::string_view sums = in.take(in.varint());
  if (!in.ok()) return Error{"the sums of an endless metric end too early"};
  if (const Status loaded = FoldCheckpoint::load(0, sums, fold); !loaded) return loaded.error();
  return parse_final_seasons(plan, in.take(in.remaining()));
}

void add(const Plan& plan, FinalSeasons& to, const FinalSeasons& more) {
  for (const auto& [number, season] : more) {
    const auto [at, is_new] = to.try_emplace(number, season);
    if (is_new) continue;
    Sums sums(plan);
    sums.merge(at->second->sums);
    sums.merge(season->sums);
    Panel panel = *at->second->panel;
    add(panel, *season->panel);
    at->second = std::make_shared<const FinalSeason>(
        FinalSeason{std::move(sums), std::make_shared<const Panel>(std::move(panel))});
  }
}

}  // namespace futurerand
