// Two stretches of time that a reader compares. The link keeps both.
import { instantOf } from "../zoned_time";
import { wallClock, type Clock } from "../dates";

export interface Stretch {
  from: number;
  to: number;
}

/** Reads "8..14"; null if it is no stretch of the periods 1..last. */
export function stretchNamed(text: string | null, last: number): Stretch | null {
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(text ?? "") ?? [];
  const stretch = { from: Number(from), to: Number(to) };
  return stretch.from >= 1 && stretch.from <= stretch.to && stretch.to <= last ? stretch : null;
}

export const stretchText = ({ from, to }: Stretch) => `${from}..${to}`;

/** The last few periods and as many before them; null for fewer than two periods. */
export function latestStretches(last: number, most = 7): { before: Stretch; after: Stretch } | null {
  const length = Math.min(most, Math.floor(last / 2));
  if (length < 1) return null;
  return {
    before: { from: last - 2 * length + 1, to: last - length },
    after: { from: last - length + 1, to: last },
  };
}

/** As many periods before `period` as from it on; null if there are none on one side. */
export function aroundPeriod(period: number, last: number, most = 7): { before: Stretch; after: Stretch } | null {
  const length = Math.min(most, period - 1, last - period + 1);
  if (length < 1) return null;
  return {
    before: { from: period - length, to: period - 1 },
    after: { from: period, to: period + length - 1 },
  };
}

/** A stretch replaces the other one where they overlap or are in the wrong order. */
export function inOrder(before: Stretch, after: Stretch): boolean {
  return before.to < after.from;
}

const dayMs = 86_400_000;

/** Returns the period that a day, such as "2026-11-12", is in, from 1 to `last`; null if it is no day. */
export function periodOfDay(clock: Clock, day: string, last: number): number | null {
  const noon = instantOf(`${day}T12:00`, clock.time_zone ?? "UTC");
  if (Number.isNaN(noon) || clock.start == null || clock.period_seconds == null) return null;
  const period = Math.floor((noon - clock.start) / clock.period_seconds) + 1;
  return Math.min(Math.max(period, 1), last);
}

/** Returns the first day of a period, or its last one, as "2026-11-12". */
export function dayOfPeriod(clock: Clock, period: number, end: "first" | "last"): string {
  const at = clock.start! + (period - (end === "first" ? 1 : 0)) * clock.period_seconds!;
  // Clock changes move midnight by an hour.
  const wall = wallClock(at * 1000, clock.time_zone) + (end === "first" ? dayMs / 8 : -dayMs / 8);
  return new Date(wall).toISOString().slice(0, 10);
}

/** Whether stretches are chosen by days: periods of whole days. */
export const hasDays = ({ start, period_seconds }: Clock) =>
  start != null && period_seconds != null && period_seconds % 86_400 === 0;
