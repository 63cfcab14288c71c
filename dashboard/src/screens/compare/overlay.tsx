import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../chart/chart";
import type { Column } from "../../estimates/series";
import { byDate, latestDifference, sharesOf, type Estimated } from "../../estimates/shares";
import { count, percent, percentLike, periodDate, periodTick } from "../../words";

interface OverlayProps {
  first: Estimated;
  second: Estimated;
  level: number;
}

/** Both curves as shares of their devices, and what the latest difference is worth. */
export function Overlay({ first, second, level }: OverlayProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useMemo(() => sharesOf(first, second), [first.periods, second.periods]);
  if (series.period.length === 0) return <p>Nothing is known of either yet: no period is over.</p>;
  const [from, to] = [series.period[0]!, series.period[series.period.length - 1]!];
  const difference = inWords(first, second, level);
  return (
    <section class="figure" aria-label="Over time">
      <p class="say difference" data-testid="difference">
        {difference}
      </p>
      <Readout first={first} second={second} series={series} row={hovered ?? series.period.length - 1} />
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
        Shares of the devices that joined each metric.{" "}
        {byDate(first.metric, second.metric)
          ? "Both lie where their periods ended."
          : "Period by period, since a clock that is moved by hand has no dates."}{" "}
        Arrow keys read period by period.
      </p>
    </section>
  );
}

function inWords(first: Estimated, second: Estimated, level: number): string {
  const found = latestDifference(first, second, level);
  if (!found) return "There is no time for which both are known.";
  const { shares, noise } = found;
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
  series: ReturnType<typeof sharesOf>;
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
            <b class={key}>{percentLike(share, edge - share)}</b> ± {percentLike(edge - share, edge - share)}
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
