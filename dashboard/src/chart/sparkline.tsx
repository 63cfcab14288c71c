import "./chart.css";
import { useMemo } from "preact/hooks";
import type { PeriodEstimate } from "../collector/api";

const width = 240;
const height = 56;

/** The trend from..to at a glance: the estimate and its band, 120 points at most. Decoration beside a number. */
export function Sparkline({ periods, from, to }: { periods: PeriodEstimate[]; from: number; to: number }) {
  const paths = useMemo(() => draw(periods, from, to), [periods, from, to]);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {paths && <path class="spark-band" d={paths.band} />}
      {paths && <path class="spark-line" d={paths.line} />}
    </svg>
  );
}

function draw(periods: PeriodEstimate[], from: number, to: number): { line: string; band: string } | null {
  const known = periods.filter((at) => at.estimate !== null);
  if (known.length < 2) return null;
  const step = Math.ceil(known.length / 120);
  const points = known.filter((_, i) => (known.length - 1 - i) % step === 0);
  const values = points.map((at) => at.estimate!);
  // There is room for the usual noise; wilder bands of the first periods are cut at the edge.
  const widths = points.map((at) => (at.upper ?? 0) - (at.lower ?? 0)).sort((a, b) => a - b);
  const usual = widths[Math.floor(widths.length / 2)]! / 2;
  const low = Math.min(0, ...values) - usual * 0.2;
  const high = Math.max(...values) + usual;
  const x = (period: number) => ((period - from) / Math.max(1, to - from)) * width;
  const y = (value: number) => Math.min(Math.max(height - ((value - low) / (high - low || 1)) * height, 0), height);
  const at = (period: number, value: number) => `${x(period).toFixed(1)} ${y(value).toFixed(1)}`;
  const upper = points.map((p) => at(p.period, p.upper ?? p.estimate!));
  const lower = points.map((p) => at(p.period, p.lower ?? p.estimate!)).reverse();
  return {
    line: `M${points.map((p) => at(p.period, p.estimate!)).join("L")}`,
    band: `M${upper.join("L")}L${lower.join("L")}Z`,
  };
}
