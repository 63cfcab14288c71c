// Two segments against each other: their difference over time, with its range.
import { useMemo, useState } from "preact/hooks";
import {
  getSegmentDifference,
  periodsGone,
  type Metric,
  type SegmentDifference,
  type ValueQuery,
} from "../../collector/api";
import { Plot, type Drawing } from "../../chart/plot";
import { drawingSvg } from "../../chart/svg";
import { axisText, meanText, numberOf } from "../../estimates/mean";
import { gapOf, gapRange, gapSeries, isClear } from "../../estimates/segments";
import { ConfidenceChoice } from "../../parts/estimate_choices";
import { Choices } from "../../parts/choices";
import { Failed, Waiting } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { keepInLink, useRoute } from "../../state/route";
import { periodDate, periodTick } from "../../dates";
import { count, many, percent, percentLike, pointsLike, shareSaid } from "../../words";
import { ChartKeys } from "./chart_keys";
import { ValueDownloads } from "./files";
import { marksOf, Notes } from "./notes";
import { Ranges } from "./ranges";
import { windows, zoomTo, type Selection } from "./selection";

interface Props {
  metric: Metric;
  selection: Selection;
  segment: string;
  against: string;
  tick: number;
}

export function PairView({ metric, selection, segment, against, tick }: Props) {
  const { query } = useRoute();
  const gone = periodsGone(metric);
  const asked = Number(query.get("window") ?? 1);
  const pooled = windows.filter((each) => Number(each) <= gone);
  const window = pooled.includes(String(asked) as (typeof windows)[number]) ? asked : 1;
  const parameters = { segment, against, level: selection.level, ...(window > 1 && { window }) };
  const { data, error } = useLoad<SegmentDifference[]>(
    `${metric.name} ${JSON.stringify(parameters)}`,
    tick,
    (signal) => getSegmentDifference(metric.name, parameters, signal),
    `${metric.name} pair`,
  );
  if (error) return <Failed message={error} />;
  if (!data) return <Waiting what="the difference" />;
  return (
    <>
      <Headline metric={metric} rows={data} pair={[segment, against]} level={selection.level} window={window} />
      <section class="figure" aria-label="The difference over time" data-testid="pair">
        <div class="controls">
          <ConfidenceChoice value={selection.level} />
          {pooled.length > 1 && !metric.seasons && (
            <Choices
              name="window"
              label="Mean of periods"
              value={String(window)}
              choices={pooled.map((value) => ({ value, label: value }))}
              onChange={(value) => keepInLink({ window: value === "1" ? undefined : value })}
            />
          )}
          <Ranges last={gone} selection={selection} zoom={(from, to) => zoomTo(from, to, gone)} />
        </div>
        <Curve
          metric={metric}
          selection={selection}
          rows={data}
          pair={[segment, against]}
          query={{ ...parameters, from: 1 }}
        />
      </section>
    </>
  );
}

interface CurveProps {
  metric: Metric;
  selection: Selection;
  rows: SegmentDifference[];
  pair: [string, string];
  query: ValueQuery;
}

function Curve({ metric, selection, rows, pair, query }: CurveProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const number = numberOf(metric);
  const drawing = useMemo<Drawing>(() => {
    const series = gapSeries(rows, number !== null);
    return {
      period: series.period,
      areas: [{ lower: series.lower, upper: series.upper, colour: "band" }],
      lines: [
        { values: series.estimate, colour: "estimate" },
        { values: series.period.map(() => 0), colour: "edge", width: 1 },
      ],
      range: (from, to) => gapRange(series, from, to, number ? number.high - number.low : 1),
    };
  }, [rows]);
  const at = rows[hovered ?? rows.length - 1];
  const gap = at && gapOf(at, number !== null);
  const gone = periodsGone(metric);
  const figure = (value: number) =>
    number ? axisText(value) : `${percent(value).replace("-", "−").replace("%", "")} pts`;
  return (
    <>
      {at && (
        <p class="readout" aria-live={hovered === null ? "off" : "polite"} data-testid="readout">
          <b>{periodDate(metric, at.period) ?? `Period ${count(at.period)}`}</b>
          <span class="key-estimate">{gap ? changeSaid(metric, gap) : "not known"}</span>
          {!number && at.share !== null && at.against_share !== null && gap && (
            <span>
              {pair[0]} {percentLike(at.share, gap.half)}, {pair[1]} {percentLike(at.against_share, gap.half)}
            </span>
          )}
        </p>
      )}
      <Plot
        drawing={drawing}
        from={selection.from}
        to={selection.to}
        label={(period) => periodTick(metric, period)}
        figure={figure}
        onZoom={(from, to) => zoomTo(from, to, gone)}
        onHover={setHovered}
        summary={`${pair[0]} less ${pair[1]} by period, with ${percent(selection.level)} ranges`}
        marks={marksOf(metric)}
      />
      <ul class="key" aria-label="Key">
        <li>
          <i class="swatch line" /> {pair[0]} less {pair[1]}
        </li>
        <li>
          <i class="swatch band" /> {percent(selection.level)} range. Where it includes 0, noise alone can make the
          difference.
        </li>
      </ul>
      <Notes metric={metric} from={selection.from} to={selection.to} compares={false} />
      <ChartKeys metric={metric} />
      <ValueDownloads
        metric={metric}
        query={query}
        of={pair.join("-less-")}
        svg={() =>
          drawingSvg({
            drawing,
            metric,
            from: selection.from,
            to: selection.to,
            words: `${pair[0]} less ${pair[1]}, ${percent(selection.level)} ranges`,
            figure,
            names: [],
          })
        }
      />
    </>
  );
}

function changeSaid(metric: Metric, { value, half }: { value: number; half: number }): string {
  const number = numberOf(metric);
  const sign = value > 0 ? "+" : "";
  if (number) return `${sign}${meanText(value, number)} ± ${meanText(half, number)}`;
  return `${sign}${shareSaid(value, half).replace("%", "")} points`;
}

interface HeadlineProps {
  metric: Metric;
  rows: SegmentDifference[];
  pair: [string, string];
  level: number;
  window: number;
}

/** The newest difference in a plain sentence. */
function Headline({ metric, rows, pair: [segment, against], level, window }: HeadlineProps) {
  const number = numberOf(metric);
  const at = rows[rows.length - 1];
  const gap = at ? gapOf(at, number !== null) : null;
  if (!at || !gap) {
    return (
      <p class="say" data-testid="say">
        Not known: one of the segments has no active device.
      </p>
    );
  }
  const size = number
    ? meanText(Math.abs(gap.value), number)
    : percentLike(Math.abs(gap.value), gap.half).replace("%", "");
  const noise = number ? meanText(gap.half, number) : pointsLike(gap.half);
  const unit = number ? "" : " points";
  return (
    <section class="now" aria-label="Now">
      <div class="sentence">
        <p class="say" data-testid="say">
          {isClear(gap) ? (
            <>
              {segment} is{" "}
              <strong>
                {size}
                {unit} {gap.value > 0 ? "above" : "below"}
              </strong>{" "}
              {against}, <span class="give">give or take {noise}</span>
            </>
          ) : (
            <>
              {segment} and {against} cannot be told apart
              <span class="give">
                : {size}
                {unit} is within the noise of {noise}
              </span>
            </>
          )}
        </p>
        <p class="hint">
          {window > 1 ? `Mean of ${count(window)} periods up to ` : ""}
          {periodDate(metric, at.period) ?? `${window > 1 ? "period" : "Period"} ${count(at.period)}`}:{" "}
          {many(at.devices, "device")} of {segment}, {many(at.against_devices, "device")} of {against} ({percent(level)}{" "}
          confidence).
        </p>
      </div>
    </section>
  );
}
