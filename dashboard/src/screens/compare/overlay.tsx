import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../chart/chart";
import type { Column, Series } from "../../estimates/series";
import { byDate, latestDifference, sharesOf, type Estimated } from "../../estimates/shares";
import { periodDate, periodTick } from "../../dates";
import { count, percent, percentLike, pointsLike } from "../../words";

interface OverlayProps {
  first: Estimated;
  second: Estimated;
  level: number;
}

/** Both curves as shares of their devices, and what the latest difference is worth. */
export function Overlay({ first, second, level }: OverlayProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useMemo(() => sharesOf(first, second), [first.periods, second.periods]);
  if (series.period.length === 0) return <p>Nothing is known yet, because no period is over.</p>;
  const [from, to] = commonRange(series);
  const difference = inWords(first, second, level);
  return (
    <section class="figure" aria-label="Over time">
      <p class="say difference" data-testid="difference">
        {difference}
      </p>
      <Readout first={first} second={second} series={series} row={hovered ?? series.period.lastIndexOf(to)} />
      <Chart
        series={series}
        devices={1}
        from={from}
        to={to}
        label={(period) => periodTick(first.metric, period)}
        figure={(share) => percent(share).replace("-", "−")}
        onZoom={() => {}}
        onHover={setHovered}
        summary={`Shares of devices over time, ${first.metric.name} and ${second.metric.name}, with ${percent(level)} ranges. ${difference}`}
      />
      <ul class="key" aria-label="Key">
        <li>
          <i class="swatch line" /> {first.metric.name}
        </li>
        <li>
          <i class="swatch second" /> {second.metric.name}
        </li>
        <li>Shaded: {percent(level)} range for one period</li>
      </ul>
      <p class="hint" id="chart-keys">
        Shares of the devices counted in each period, for the time that both cover.{" "}
        {byDate(first.metric, second.metric)
          ? "Both lie where their periods ended."
          : "Period by period, because a manual clock has no dates."}{" "}
        Arrow keys read period by period.
      </p>
    </section>
  );
}

/** Returns the time in which both have begun and neither has ended, or all of it if there is none. */
function commonRange({ period, estimate, second }: Series): [number, number] {
  const known = (column: Column) => period.filter((_, i) => column[i] !== null);
  const [one, other] = [known(estimate), known(second!.estimate)];
  const from = Math.max(one[0] ?? -Infinity, other[0] ?? -Infinity);
  const to = Math.min(one[one.length - 1] ?? Infinity, other[other.length - 1] ?? Infinity);
  return to - from >= 1 && Number.isFinite(to - from) ? [from, to] : [period[0]!, period[period.length - 1]!];
}

function inWords(first: Estimated, second: Estimated, level: number): string {
  const found = latestDifference(first, second, level);
  if (!found) return "The two metrics have no time in common.";
  const { shares, noise } = found;
  if (noise >= 0.5) {
    const few = first.metric.devices <= second.metric.devices ? first.metric : second.metric;
    return `Too few devices to compare: ${few.name} has ${count(few.devices)}.`;
  }
  const [one, other] = shares.map((share) => percentLike(Math.min(Math.max(share, 0), 1), noise));
  const names = [first.metric.name, second.metric.name] as const;
  if (Math.abs(shares[0] - shares[1]) <= noise) {
    return `${names[0]} and ${names[1]} cannot be told apart: ${one} and ${other}.`;
  }
  const higher = shares[0] > shares[1];
  return `${names[higher ? 0 : 1]} is really higher: ${higher ? one : other}, against ${higher ? other : one}.`;
}

interface ReadoutProps {
  first: Estimated;
  second: Estimated;
  series: Series;
  row: number;
}

function Readout({ first, second, series, row }: ReadoutProps) {
  const period = series.period[row]!;
  const date = periodDate(first.metric, Math.floor(period));
  const part = (name: string, key: string, estimate: Column, upper: Column) => {
    const [share, edge] = [estimate[row], upper[row]];
    return (
      <span>
        {name}{" "}
        {share == null || edge == null ? (
          "not known"
        ) : (
          <>
            <b class={key}>{percentLike(share, edge - share)}</b> ± {pointsLike(edge - share)}
          </>
        )}
      </span>
    );
  };
  return (
    <p class="readout" data-testid="readout">
      <b>{date ?? `Period ${count(Math.floor(period))}`}</b>
      {part(first.metric.name, "key-estimate", series.estimate, series.upper)}
      {part(second.metric.name, "key-second", series.second!.estimate, series.second!.upper)}
    </p>
  );
}
