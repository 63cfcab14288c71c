import "./chart.css";
import { useMemo } from "preact/hooks";
import type { Series } from "../estimates/series";

const most = 240;

/** A bar per period, or per run of periods if there are many: how much of what was due is in. */
export function Completeness({ series, from, to }: { series: Series; from: number; to: number }) {
  const bars = useMemo(() => {
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
  return (
    <svg class="completeness" viewBox={`0 0 ${to - from + 1} 1`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map(({ x, width, share }) => (
        <rect
          key={x}
          class={share < 0.95 ? "short" : "full"}
          x={x + gap / 2}
          width={width - gap}
          y={1 - share}
          height={share}
        />
      ))}
    </svg>
  );
}
