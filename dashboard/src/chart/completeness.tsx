import "./chart.css";
import { useMemo, useState } from "preact/hooks";
import type { Series } from "../estimates/series";
import { many, percent } from "../words";

const most = 240;

interface CompletenessProps {
  series: Series;
  from: number;
  to: number;
  /** Says what a period is: a date, or its number. */
  label?: (period: number) => string;
}

interface Bar {
  x: number;
  width: number;
  share: number;
}

/** A bar per period, or per run of periods if there are many: how much of what was due is in. */
export function Completeness({ series, from, to, label = String }: CompletenessProps) {
  const [hovered, setHovered] = useState<Bar | null>(null);
  const bars = useMemo<Bar[]>(() => {
    const each = Math.max(1, Math.ceil((to - from + 1) / most));
    const worst = new Map<number, number>();
    series.period.forEach((period, i) => {
      const share = series.complete[i];
      if (period < from || period > to || share === null || share === undefined) return;
      const bar = Math.floor((period - from) / each);
      worst.set(bar, Math.min(worst.get(bar) ?? 1, share));
    });
    return [...worst].map(([bar, share]) => ({ x: bar * each, width: each, share }));
  }, [series, from, to]);
  const gap = (to - from + 1) / most > 0.5 ? 0 : 0.12;
  const shown = series.period.filter((period) => period >= from && period <= to).length;
  const due = series.period.filter((period, i) => period >= from && period <= to && series.complete[i] != null).length;
  const where = due === shown ? "in every period shown" : `in the ${many(due, "period")} with active devices`;
  const least = bars.reduce<Bar | null>((low, bar) => (!low || bar.share < low.share ? bar : low), null);
  if (!least) return null;
  const said = (bar: Bar) =>
    `${percent(bar.share)} of the reports due are in, ${label(from + bar.x)}${bar.width > 1 ? " and after" : ""}`;
  return (
    <div class="completeness" data-testid="completeness">
      <div class="completeness-scale" aria-hidden="true">
        <span>100%</span>
        <span>0%</span>
      </div>
      <svg viewBox={`0 0 ${to - from + 1} 1`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((bar) => (
          <rect
            key={bar.x}
            class={bar.share < 0.95 ? "short" : "full"}
            x={bar.x + gap / 2}
            width={bar.width - gap}
            y={1 - bar.share}
            height={bar.share}
          />
        ))}
        {bars.map((bar) => (
          <rect
            key={`hover ${bar.x}`}
            class="hover-area"
            x={bar.x}
            width={bar.width}
            y={0}
            height={1}
            onMouseEnter={() => setHovered(bar)}
            onMouseLeave={() => setHovered(null)}
          />
        ))}
      </svg>
      <p class="hint" data-testid="completeness-said">
        {hovered
          ? said(hovered)
          : least.share === 1
            ? `All reports due are in, ${where}`
            : `At least ${percent(least.share)} of the reports due are in, ${where}`}
      </p>
    </div>
  );
}
