// Quantiles of a distribution as the curves of a fan.
import type { DistributionValue, PeriodEstimate } from "../collector/api";
import { curvesOf } from "./labels";
import type { Column } from "./series";

export const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9];

export interface Fan {
  period: number[];
  /** By quantile, in the order of `quantiles`. */
  values: Column[];
  median: PeriodEstimate[];
}

export function fanOf(rows: PeriodEstimate[]): Fan {
  const curves = curvesOf(rows);
  const median = curves[quantiles.indexOf(0.5)]?.rows ?? [];
  return {
    period: median.map((at) => at.period),
    values: curves.map(({ rows }) => rows.map((at) => at.value ?? null)),
    median,
  };
}

/** Returns the vertical range of the fan and the means for periods from..to, within the metric's range. */
export function fanRange(
  fan: Fan,
  means: Column,
  { low, high }: DistributionValue,
  from: number,
  to: number,
): [number, number] {
  const shown = [...fan.values, means].flatMap((column) =>
    column.filter((at, i): at is number => at != null && fan.period[i]! >= from && fan.period[i]! <= to),
  );
  if (shown.length === 0) return [low, high];
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  const margin = Math.max((most - least) * 0.08, (high - low) * 0.02);
  return [Math.max(Math.min(low, least), least - margin), Math.min(Math.max(high, most), most + margin)];
}
