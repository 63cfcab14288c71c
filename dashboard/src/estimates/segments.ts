// Segments of a metric: as curves, and two against each other.
import type { PeriodEstimate, SegmentDifference } from "../collector/api";
import { curvesOf, mostCurves, type Curve } from "./labels";
import type { Series } from "./series";

/** Rows by period and segment become a curve for each segment. */
export const segmentCurves = (rows: PeriodEstimate[]): Curve[] =>
  curvesOf(rows.map((row) => ({ ...row, label: row.segment ?? "" })));

/** The segments with the most devices in the last period, as many as there are colours, in the metric's order. */
export function largest(curves: Curve[], most = mostCurves): Curve[] {
  const size = ({ rows }: Curve) => rows[rows.length - 1]?.devices ?? 0;
  const kept = new Set([...curves].sort((a, b) => size(b) - size(a)).slice(0, most));
  return curves.filter((curve) => kept.has(curve));
}

export interface Gap {
  value: number;
  half: number;
}

/** The difference in the unit that is shown: means of numbers, shares of all else. */
export function gapOf(row: SegmentDifference, isNumber: boolean): Gap | null {
  const [value, upper] = isNumber ? [row.mean_difference, row.mean_upper] : [row.share_difference, row.share_upper];
  return value == null || upper == null ? null : { value, half: upper - value };
}

/** Whether noise alone hardly makes such a difference. */
export const isClear = ({ value, half }: Gap) => Math.abs(value) > half;

/** The vertical range of differences: all known ranges, and 0. Ranges wider than `full` tell nothing. */
export function gapRange({ period, lower, upper }: Series, from: number, to: number, full: number): [number, number] {
  const ends = period.flatMap((at, i) => {
    const [low, high] = [lower[i] ?? null, upper[i] ?? null];
    return at < from || at > to || low === null || high === null || high - low > full ? [] : [low, high];
  });
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const margin = 0.06 * (high - low || full);
  return [low - margin, high + margin];
}

export function gapSeries(rows: SegmentDifference[], isNumber: boolean): Series {
  const gaps = rows.map((row) => gapOf(row, isNumber));
  const none = rows.map(() => null);
  return {
    period: rows.map(({ period }) => period),
    estimate: gaps.map((gap) => gap?.value ?? null),
    lower: gaps.map((gap) => (gap ? gap.value - gap.half : null)),
    upper: gaps.map((gap) => (gap ? gap.value + gap.half : null)),
    lowerAll: none,
    upperAll: none,
    complete: none,
    truth: null,
  };
}
