// Panels: all seasons of a metric without an end as one timeline, with two checks impossible on a
// single horizon. panels.md has the proofs.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/estimator/active_counts.hpp"
#include "futurerand/estimator/panel.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"

namespace futurerand {

// Honest devices raise either of the two alarms below in at most one of a thousand metrics, over
// any length of time. Each check gets half of this rate. Look number i gets 6 / (pi i)^2 of the
// check's rate. There is one look every calendar.every() periods.
inline constexpr double kPanelsAlarmRate = 0.001;
// Smaller panels are not compared: their errors are not normal.
inline constexpr double kLeastPanel = 100;
inline constexpr std::string_view kPanelsAlarmText =
    "panels of different ages disagree: devices may be enrolling more than once, or lying";
inline constexpr std::string_view kPhasesAlarmText =
    "panels differ in size by more than chance: devices may be enrolling more than once";

struct Panels {
  Calendar calendar;
  Period current = 0;                        // of the endless clock; periods before it are over
  const DeviceEstimate* estimate = nullptr;  // of the plan; null: devices are not counted singly
  std::map<std::int64_t, std::shared_ptr<const Panel>> seasons = {};
  double asked_share = 1;  // of the devices of a group, as in Folded

  Period up_to() const { return current == 0 ? 0 : current - 1; }
  // Those of the devices in one segment. Keeps the seasons' panels alive.
  Panels stratum(std::uint32_t number) const;
  // The sums of period t in this season; null if there are none.
  const PanelPeriod* at(std::int64_t season, Period t) const;
  // The share of resting devices. They are not observed.
  double resting() const {
    return static_cast<double>(calendar.rest()) / static_cast<double>(calendar.cycle());
  }
  // The share of devices that are not observed: they rest, or drew another metric of the group.
  double unobserved() const { return 1 - asked_share * (1 - resting()); }
  // The sum over all panels running in this period, with the bias of the cap.
  ActiveCount count(Period t) const;
  // The same of the sums by row, num_codes of them.
  std::vector<double> rows(Period t, std::size_t num_codes) const;
};

// The variance of a count of `value` out of `devices` due to sampling: only some of all devices
// take part. It makes the share one of all devices.
double sampling_variance(double value, double devices, double resting);

// The first look with a contradiction between one panel and the others; 0 if there is none.
Period disagree_by(const Panels& panels, double rate);
// The first look at which panel sizes differ by more than chance; 0 if there is none. Ignores
// panels begun within the last `settling` periods, since some of their devices are late.
Period crowded_by(const Panels& panels, Period settling, double rate);
// Both, each with half of kPanelsAlarmRate.
Alarm check_panels(const Panels& panels, Period settling);

}  // namespace futurerand
