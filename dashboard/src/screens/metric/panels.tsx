// Who takes part in a metric without an end, and what its panels say one by one.
import { useState } from "preact/hooks";
import { getSeasonEstimates, type LiveSeason, type Metric, type PeriodEstimate } from "../../collector/api";
import { Failed, Waiting } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { periodsAsTime } from "../../dates";
import { count, many, percentLike, sentence } from "../../words";

interface PanelRow extends LiveSeason {
  at: PeriodEstimate | undefined;
}

/** How many devices take part; on demand, the panels by age. */
export function Panels(props: { metric: Metric; at: PeriodEstimate; level: number; alarm?: string | null }) {
  const { metric, at, level, alarm } = props;
  const [open, setOpen] = useState(false);
  const { rest } = metric.seasons!;
  const season = metric.plan.periods;
  const all = Math.round((at.devices * (season + rest)) / season);
  return (
    <div class="panels" data-testid="panels">
      <p class="hint">
        {rest > 0
          ? `${many(at.devices, "device")} of about ${count(all)} take part at a time; each for ${periodsAsTime(metric, season)}, then it rests for ${periodsAsTime(metric, rest)}.`
          : `${many(at.devices, "device")} take part, each in one season of ${periodsAsTime(metric, season)} after the other.`}
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Panels by age</summary>
        <p>{alarm ? sentence(alarm) : "Panels agree: no difference is larger than noise allows."}</p>
        {open && <PanelTable metric={metric} level={level} />}
      </details>
    </div>
  );
}

function PanelTable({ metric, level }: { metric: Metric; level: number }) {
  const live = metric.live_seasons ?? [];
  const load = (signal: AbortSignal) =>
    Promise.all(
      live.map(async (panel): Promise<PanelRow> => {
        if (panel.devices === 0) return { ...panel, at: undefined };
        const { periods } = await getSeasonEstimates(metric.name, panel.season, level, signal);
        return { ...panel, at: periods[periods.length - 1] };
      }),
    );
  const { data, error } = useLoad<PanelRow[]>(`${metric.name} panels ${level}`, metric.current_period, load);
  if (error) return <Failed message={error} />;
  if (!data) return <Waiting what="the panels" />;
  return (
    <table>
      <caption>What each panel says of the last period</caption>
      <thead>
        <tr>
          <th scope="col">Season</th>
          <th scope="col">Age in periods</th>
          <th scope="col">Devices</th>
          <th scope="col">Share</th>
          <th scope="col">Range</th>
        </tr>
      </thead>
      <tbody>
        {data.map(({ season, from, devices, at }) => {
          const half = at && at.share !== null && at.share_upper !== null ? at.share_upper - at.share : null;
          return (
            <tr key={season}>
              <th scope="row">{season}</th>
              <td>{count(metric.current_period - from)}</td>
              <td>{count(devices)}</td>
              <td>{half === null ? "–" : percentLike(at!.share!, half)}</td>
              <td>
                {half === null
                  ? "–"
                  : `${percentLike(at!.share_lower!, half)} to ${percentLike(at!.share_upper!, half)}`}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
