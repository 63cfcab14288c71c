#include "futurerand/estimator/panels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "futurerand/estimator/normal_quantile.hpp"

namespace futurerand {
namespace {

// The part of a rate for look number i. All parts add up to the rate.
double rate_of_look(double rate, std::int64_t look) {
  const double i = static_cast<double>(look) * std::numbers::pi;
  return rate * 6 / (i * i);
}

// Calls visit(look, period) until it returns true. Returns the period of this look, or 0.
template <typename Visit>
Period first_look(const Panels& panels, const Visit& visit) {
  const std::int64_t every = panels.calendar.every();
  for (std::int64_t look = 1; look * every <= panels.up_to(); ++look) {
    const auto t = static_cast<Period>(look * every);
    if (visit(look, t)) return t;
  }
  return 0;
}

// The share estimated by one or more panels.
struct PanelShare {
  double value = 0, variance = 0, bias = 0, devices = 0;

  void add(const PanelPeriod& at, double bias_each) {
    value += at.value;
    variance += at.variance;
    bias += bias_each * at.devices;
    devices += at.devices;
  }
  double share() const { return value / devices; }
  // The devices are a sample of all devices. Each holds 1 with this chance.
  double variance_of_share(double chance) const {
    return variance / (devices * devices) + chance * (1 - chance) / devices;
  }
};

std::vector<PanelShare> shares_at(const Panels& panels, Period t) {
  std::vector<PanelShare> shares;
  const std::int64_t first = panels.calendar.first_live(t);
  for (std::int64_t s = first; s < first + panels.calendar.num_live(); ++s) {
    const PanelPeriod* at = panels.at(s, t);
    if (at == nullptr || at->devices < kLeastPanel) continue;
    const auto age = static_cast<Period>(t - panels.calendar.first(s) + 1);
    shares.emplace_back().add(*at, panels.estimate == nullptr ? 0 : panels.estimate->bias(age));
  }
  return shares;
}

bool disagree(const std::vector<PanelShare>& shares, double rate) {
  if (shares.size() < 2) return false;
  const double limit = two_sided_quantile(rate / static_cast<double>(shares.size()));
  for (const PanelShare& one : shares) {
    PanelShare others;
    for (const PanelShare& other : shares) {
      if (&other == &one) continue;
      others.value += other.value;
      others.variance += other.variance;
      others.bias += other.bias;
      others.devices += other.devices;
    }
    const double chance =
        std::clamp((one.value + others.value) / (one.devices + others.devices), 0.0, 1.0);
    const double bias = one.bias / one.devices + others.bias / others.devices;
    const double apart = std::abs(one.share() - others.share()) - bias;
    const double variance = one.variance_of_share(chance) + others.variance_of_share(chance);
    if (apart > limit * std::sqrt(variance)) return true;
  }
  return false;
}

// At most so likely is a count of independent coins as far from `n chance` as this one, to its
// side (Chernoff).
double log_tail(double count, double n, double chance) {
  const auto part = [](double share, double expected) {
    return share == 0 ? 0 : share * std::log(share / expected);
  };
  const double share = count / n;
  return -n * (part(share, chance) + part(1 - share, 1 - chance));
}

}  // namespace

Panels Panels::stratum(std::uint32_t number) const {
  static const auto empty = std::make_shared<const Panel>();
  Panels one{calendar, current, estimate, {}, asked_share};
  for (const auto& [season, panel] : seasons) {
    const bool has_it = number < panel->strata.size();
    one.seasons.emplace(
        season, has_it ? std::shared_ptr<const Panel>(panel, &panel->strata[number]) : empty);
  }
  return one;
}

const PanelPeriod* Panels::at(std::int64_t season, Period t) const {
  const auto found = seasons.find(season);
  if (found == seasons.end()) return nullptr;
  const std::int64_t age = t - calendar.first(season);  // counted from 0
  const std::vector<PanelPeriod>& periods = found->second->periods;
  if (age < 0 || age >= static_cast<std::int64_t>(periods.size())) return nullptr;
  return &periods[static_cast<std::size_t>(age)];
}

ActiveCount Panels::count(Period t) const {
  ActiveCount all;
  const std::int64_t first = calendar.first_live(t);
  for (std::int64_t s = first; s < first + calendar.num_live(); ++s) {
    const PanelPeriod* one = at(s, t);
    if (one == nullptr) continue;
    all.value += one->value;
    all.variance += one->variance;
    all.devices += one->devices;
    all.reports += one->reports;
    const auto age = static_cast<Period>(t - calendar.first(s) + 1);
    if (estimate != nullptr) all.bias += estimate->bias(age) * one->devices;
  }
  return all;
}

std::vector<double> Panels::rows(Period t, std::size_t num_codes) const {
  std::vector<double> sums(num_codes);
  const std::int64_t first = calendar.first_live(t);
  for (std::int64_t s = first; s < first + calendar.num_live(); ++s) {
    if (at(s, t) == nullptr) continue;
    const std::vector<float>& rows = seasons.at(s)->rows;
    const std::size_t begin = static_cast<std::size_t>(t - calendar.first(s)) * num_codes;
    for (std::size_t row = 0; row < num_codes && begin + row < rows.size(); ++row) {
      sums[row] += static_cast<double>(rows[begin + row]);
    }
  }
  return sums;
}

double sampling_variance(double value, double devices, double resting) {
  const double inside = std::clamp(value, 0.0, devices);
  return devices > 0 ? resting * inside * (1 - inside / devices) : 0;
}

Period disagree_by(const Panels& panels, double rate) {
  return first_look(panels, [&](std::int64_t look, Period t) {
    return disagree(shares_at(panels, t), rate_of_look(rate, look));
  });
}

Period crowded_by(const Panels& panels, Period settling, double rate) {
  return first_look(panels, [&](std::int64_t look, Period t) {
    std::vector<double> sizes;
    double all = 0;
    const std::int64_t first = panels.calendar.first_live(t);
    for (std::int64_t s = first; s < first + panels.calendar.num_live(); ++s) {
      if (t - panels.calendar.first(s) < settling) continue;
      const PanelPeriod* at = panels.at(s, t);
      sizes.push_back(at == nullptr ? 0 : at->devices);
      all += sizes.back();
    }
    if (sizes.size() < 2 || all == 0) return false;
    const double number = static_cast<double>(sizes.size());
    const double limit = std::log(rate_of_look(rate, look) / (2 * number));
    return std::any_of(sizes.begin(), sizes.end(),
                       [&](double size) { return log_tail(size, all, 1 / number) < limit; });
  });
}

Alarm check_panels(const Panels& panels, Period settling) {
  const Period crowded = crowded_by(panels, settling, kPanelsAlarmRate / 2);
  const Period apart = disagree_by(panels, kPanelsAlarmRate / 2);
  if (apart != 0 && (crowded == 0 || apart <= crowded)) return {apart, kPanelsAlarmText};
  if (crowded != 0) return {crowded, kPhasesAlarmText};
  return {};
}

}  // namespace futurerand
