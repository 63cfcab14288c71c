// When the periods of a metric are, as dates in the metric's own time zone: the same for every reader. The collector's
// period_dates.cpp follows the same rules.
import { duration, many } from "./words";

export interface Clock {
  start?: number | null;
  period_seconds?: number | null;
  /** A zone of the IANA database; UTC without it. */
  time_zone?: string;
}

const dayMs = 86_400_000;
/** Clock changes move midnight by an hour, and periods have a fixed length. */
const nearMidnight = 2 * 3_600_000;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (zone: string) => {
  const options: Intl.DateTimeFormatOptions = {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  };
  const found = formats.get(zone) ?? new Intl.DateTimeFormat("en", options);
  formats.set(zone, found);
  return found;
};

/** Returns what clocks and calendars show there, as the milliseconds at which UTC shows the same. */
export function wallClock(instant: number, zone = "UTC"): number {
  if (zone === "UTC") return instant;
  const parts = formatOf(zone).formatToParts(instant);
  const part = (type: string) => Number(parts.find((each) => each.type === type)!.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

const nearestDay = (wall: number) => Math.floor((wall + dayMs / 2) / dayMs) * dayMs;
const isNearMidnight = (wall: number) => Math.abs(wall - nearestDay(wall)) <= nearMidnight;
const two = (n: number) => String(n).padStart(2, "0");

const monthAndDay = (wall: number) => {
  const at = new Date(wall);
  return `${months[at.getUTCMonth()]} ${at.getUTCDate()}`;
};
const year = (wall: number) => new Date(wall).getUTCFullYear();
const month = (wall: number) => new Date(wall).getUTCMonth();
export const dateText = (wall: number) => `${monthAndDay(wall)}, ${year(wall)}`;
const timeText = (wall: number, seconds: boolean) => {
  const at = new Date(wall);
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}${seconds ? `:${two(at.getUTCSeconds())}` : ""}`;
};

function daysText(first: number, last: number): string {
  if (first === last) return dateText(first);
  if (year(first) !== year(last)) return `${dateText(first)} – ${dateText(last)}`;
  if (month(first) !== month(last)) return `${monthAndDay(first)} – ${dateText(last)}`;
  return `${monthAndDay(first)}–${new Date(last).getUTCDate()}, ${year(last)}`;
}

/** Returns the beginning of a period and its end, on wall clocks of the zone, or null if the clock is moved by hand. */
function wallOf(clock: Clock, period: number) {
  const { start, period_seconds: length, time_zone } = clock;
  if (start == null || length == null) return null;
  const wall = (at: number) => wallClock((start + (at - 1) * length) * 1000, time_zone);
  const [begin, end] = [wall(period), wall(period + 1)];
  const wholeDays = isNearMidnight(begin) && isNearMidnight(end) && nearestDay(begin) < nearestDay(end);
  return { begin, end, wholeDays, seconds: start % 60 !== 0 || length % 60 !== 0 };
}

/** Says when a period is: "Nov 9–15, 2026", or "Nov 9, 2026, 14:00–15:00"; null if the clock is moved by hand. */
export function periodDate(clock: Clock, period: number): string | null {
  const at = wallOf(clock, period);
  if (!at) return null;
  const { begin, end, seconds } = at;
  if (at.wholeDays) return daysText(nearestDay(begin), nearestDay(end) - dayMs);
  const from = `${dateText(begin)}, ${timeText(begin, seconds)}`;
  if (Math.floor(begin / dayMs) === Math.floor(end / dayMs)) return `${from}–${timeText(end, seconds)}`;
  return `${from} – ${dateText(end)}, ${timeText(end, seconds)}`;
}

/** Says when a period begins, for an axis, where room is scarce. */
export function periodTick(clock: Clock, period: number): string {
  const at = wallOf(clock, period);
  if (!at) return period >= 1 ? String(period) : "";
  if (at.wholeDays) return monthAndDay(nearestDay(at.begin));
  return clock.period_seconds! < 3600 ? timeText(at.begin, at.seconds) : monthAndDay(at.begin);
}

/** Says on which day, or when, a period begins, or the last one ends. */
export function beginDate(clock: Clock, period: number): string | null {
  const at = wallOf(clock, period);
  if (!at) return null;
  return at.wholeDays ? dateText(nearestDay(at.begin)) : `${dateText(at.begin)}, ${timeText(at.begin, at.seconds)}`;
}
export function endDate(clock: Clock, period: number): string | null {
  const at = wallOf(clock, period);
  if (!at) return null;
  return at.wholeDays ? dateText(nearestDay(at.end) - dayMs) : `${dateText(at.end)}, ${timeText(at.end, at.seconds)}`;
}

/** Writes periods as a length of time, or as a number of periods if the metric's clock is moved by hand. */
export const periodsAsTime = ({ period_seconds }: Clock, periods: number) =>
  period_seconds == null ? many(periods, "period") : duration(periods * period_seconds);
